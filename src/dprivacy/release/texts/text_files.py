"""Texts in a folder, a file for each: a protected copy, and all of them for their owner."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dprivacy.extras import arrow
from dprivacy.model import as_path
from dprivacy.release.files.released_data import Released
from dprivacy.release.ledger.release_spending import Terms
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.texts.folder_job import FILE, TEXT, Progress, run_folder_job
from dprivacy.text import read_document
from dprivacy.typing import LedgerLike, PathArg, PlanLike


def folder_table(folder: PathArg, files: Iterable[Path], *, encoding: str | None = None) -> Any:
    """The texts in a folder as a table of names and texts."""
    listed = list(files)
    names = [path.relative_to(folder).as_posix() for path in listed]
    return arrow().table({
        FILE: names, TEXT: [read_document(path, encoding=encoding) for path in listed],
    })  # fmt: skip


def sanitise_folder(
    source: PathArg,
    plan: PlanLike,
    output: PathArg,
    *,
    pattern: str = "**/*.txt",
    encoding: str | None = None,
    resume: bool = False,
    discard: bool = False,
    ledger: LedgerLike = None,
    again: str | None = None,
    insecure_seed: int | None = None,
    progress: Progress | None = None,
) -> Released[Path]:
    """A protected copy of a folder of texts: the same names, noisy texts, and one _card.json.

    Parameters
    ----------
    source
        The folder; the names of its files are published as they are.
    plan
        It protects a column "text" and passes "file" through.
    output
        A folder that does not exist yet; it appears when it is complete.
    pattern
        Which files are texts.
    encoding
        Of the texts, as Python calls it; UTF-8 by default.
    resume, discard, ledger, again, insecure_seed, progress
        As for `sanitise_file`.

    Examples
    --------
    >>> import tempfile
    >>> column = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> plan = {"columns": {"text": column}, "pass_through": ["file"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "in").mkdir()
    ...     _ = Path(folder, "in", "ann.txt").write_text("yes")
    ...     released = sanitise_folder(f"{folder}/in", plan, f"{folder}/out")
    ...     sorted(file.name for file in Path(folder, "out").iterdir())
    ['_card.json', 'ann.txt']
    """
    wanted = Plan.read(plan).read_with(encoding=encoding)
    terms = Terms(wanted, ledger, again, None, insecure_seed)
    target = as_path(output, "the output")
    card = run_folder_job(
        source,
        terms,
        target,
        pattern=pattern,
        resume=resume,
        discard=discard,
        progress=progress,
    )
    return Released(target, card)
