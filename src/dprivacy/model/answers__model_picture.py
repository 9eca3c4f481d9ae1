"""`.plot()` on values and results, without a plotting library down here."""

from importlib import import_module
from typing import Any


class Pictured:
    """Something that the room of pictures can draw.

    The room stands above this one and is looked up by name when a picture is asked for, so that
    nothing below it imports it.
    """

    __slots__ = ()

    def plot(self, **options: Any) -> Any:
        """A picture of this, as a matplotlib figure.

        Parameters
        ----------
        **options
            What the drawing function of `dprivacy.viz` for this kind of object takes.

        Returns
        -------
        matplotlib.figure.Figure
            Write it with `dprivacy.viz.save`, or with its own `savefig`.

        Raises
        ------
        MissingExtra
            When matplotlib is not installed.
        """
        return import_module("dprivacy.viz").picture(self, **options)
