"""``dprivacy optimal``: the best mechanism for a prior and a loss, with proofs, into a file."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.cli.polytope import SPACES, short_space
from dprivacy.design import Optimum, optimal as best_channel
from dprivacy.design.prior_file import read_prior_file
from dprivacy.errors import Malformed
from dprivacy.flow import loss as losses
from dprivacy.mechanisms import save
from dprivacy.model.files import read_space, read_table, read_text
from dprivacy.spaces import FiniteSpace

PATH = click.Path(path_type=Path)
LOSSES = "metric, bayes, euclidean, manhattan, chebyshev, or a CSV file of actions by secrets"
_EPILOG = """
Examples:

dprivacy optimal --space line:9 --epsilon "ln 2" -o mechanism.json

dprivacy optimal --space grid:10x10 --epsilon 0.5 --prior prior.csv --loss euclidean -o mechanism.json
"""

Progress = Callable[[float, float, float], None]


@click.command(epilog=_EPILOG)
@click.option("--space", "name", required=True, help=f"The space: {SPACES}, or a CSV of distances.")
@click.option("--epsilon", required=True, help='The level: "ln 2", "3/2", "0.5".')
@click.option("--prior", "prior_file", type=PATH, help="CSV: label, weight. Uniform by default.")
@click.option("--loss", "loss_name", default="metric", show_default=True, help=f"{LOSSES}.")
@click.option("--delta", default="0", show_default=True, help="The slack, for small spaces.")
@click.option("--gap", default=1e-6, show_default=True, help="How near to the optimum is enough.")
@click.option("--seconds", type=float, help="Stop after so long with the best that was found.")
@click.option("--spanner", help="Keep to a spanner of this dilation, such as 1.1.")
@click.option("-o", "--output", type=PATH, help="The mechanism, a .json file.")
@click.option("--replace", is_flag=True, help="Replace an existing output.")
@click.option("--force", is_flag=True, help="Go on although the estimate of the memory is high.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def optimal(
    name: str,
    epsilon: str,
    prior_file: Path | None,
    loss_name: str,
    delta: str,
    gap: float,
    seconds: float | None,
    spanner: str | None,
    output: Path | None,
    replace: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Find the private mechanism with the least expected loss, and prove both.

    Interrupted with Ctrl-C, it ends with the best mechanism so far, proved private all the same.
    """
    if output is not None and output.exists() and not replace:
        raise Malformed(f"{output} exists; choose another name, or --replace it")
    space = read_space(name) if name.lower().endswith(".csv") else short_space(name)
    prior = None if prior_file is None else read_prior_file(prior_file, space)
    with _progress() as moved:
        found = best_channel(
            space,
            eps=epsilon,
            prior=prior,
            loss=_loss(loss_name, space),
            delta=delta,
            gap=gap,
            seconds=seconds,
            spanner=spanner,
            progress=moved,
            force=force,
        )
    if output is not None:
        save(found.mechanism(), output)
    click.echo(_told(found, output, as_json))


def _loss(name: str, space: FiniteSpace) -> Any:
    """A loss by name, or from a table whose labels are written as those of the space."""
    if not name.lower().endswith(".csv"):
        return name
    actions, secrets, table = read_table(read_text(name), name)
    written = {str(label): label for label in space.labels}
    known = [written.get(secret, secret) for secret in secrets]
    return losses.matrix([written.get(w, w) for w in actions], known, table)


def _told(found: Optimum, output: Path | None, as_json: bool) -> str:
    if as_json:
        answer = {**found.to_dict(), "output": None if output is None else str(output)}
        return json.dumps(answer, ensure_ascii=False, indent=2)
    return found.explain() + ("" if output is None else f"\n{output} is written.")


@contextmanager
def _progress() -> Iterator[Progress]:
    """The gap as it closes, on the error stream, where that is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda loss, bound, seconds: None
        return
    with console.status("looking for the best mechanism") as line:

        def moved(loss: float, bound: float, seconds: float) -> None:
            gap = (loss - bound) / loss if loss else 0.0
            line.update(f"loss {loss:.6g}, at least {bound:.6g}, gap {gap:.1e} ({seconds:.0f} s)")

        yield moved
