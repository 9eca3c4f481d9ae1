"""Pictures as files and as text: the same picture gives the same bytes."""

from pathlib import Path

from dprivacy.errors import UnknownName
from dprivacy.typing import PathArg
from dprivacy.viz.style.picture_style import METADATA, Figure, look


def save(figure: Figure, path: PathArg) -> Path:
    """Write a picture to a file.

    Parameters
    ----------
    figure
        What a ``plot_…`` function or `.plot()` gave.
    path
        Where to; the ending says which format: .svg, .png or .pdf.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    UnknownName
        For another ending.

    Notes
    -----
    The file holds no date and no version of a library: the same picture, drawn with the same versions,
    is the same file.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from dprivacy.viz import plot_bars
    >>> save(plot_bars({"": {"yes": 3, "no": 1}}), f"{mkdtemp()}/answers.svg").name
    'answers.svg'
    """
    target = Path(path)
    ending = target.suffix.lower()
    require_ending(target)
    with look():
        figure.savefig(target, format=ending[1:], metadata=METADATA[ending])
    return target


def require_ending(path: PathArg) -> None:
    """Refuse a file name whose ending does not name a format for pictures."""
    ending = Path(path).suffix
    if ending.lower() not in METADATA:
        raise UnknownName.among("the ending of a picture's file", ending, METADATA)
