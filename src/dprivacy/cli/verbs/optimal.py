"""``dprivacy optimal``: the best mechanism for a prior and a loss, with proofs, into a file."""

from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.progress_line import closing
from dprivacy.design import DEVICES, optimal as best_channel
from dprivacy.flow import loss as losses
from dprivacy.mechanisms import mechanism_text
from dprivacy.model import as_space, read_prior_file, read_worth_file
from dprivacy.spaces import FiniteSpace, space_in_words
from dprivacy.store import save

LOSSES = "metric, bayes, euclidean, manhattan, chebyshev, or a CSV file of actions by secrets"
_EPILOG = shared.examples(
    'dprivacy optimal --space line:9 --epsilon "ln 2" -o mechanism.json',
    "dprivacy optimal --space grid:3x3 --epsilon 1/2 --prior prior.csv -o c.json",
)


@click.command(epilog=_EPILOG)
@shared.space("Space", required=True)
@shared.epsilon(required=True)
@shared.DELTA
@shared.PRIOR
@click.option("--loss", "loss_name", default="metric", help=f"Loss: {LOSSES}.")
@click.option("--gap", default=1e-6, help="Relative distance to the optimum that is enough.")
@click.option("--seconds", type=float, help="Stop after this time with the best mechanism found.")
@click.option("--spanner", help="Dilation of a spanner to keep to, such as 1.1.")
@click.option("--device", type=click.Choice(DEVICES), default="cpu", help="Device to search on.")
@shared.output("Mechanism, a .json file", dash=True)
@shared.REPLACE
@shared.FORCE
@shared.PROGRESS
@shared.JSON
def optimal(
    space: str,
    epsilon: str,
    delta: str,
    prior: Path | None,
    loss_name: str,
    output: Path | None,
    replace: bool,
    progress: bool,
    as_json: bool,
    **search: Any,  # how it is looked for, under the library's own names
) -> None:
    """Find the private mechanism with the least expected loss, and prove both.

    Interrupted with Ctrl-C, it ends with the best mechanism so far, proved private all the same.
    """
    shared.refuse_existing(output, replace=replace)
    to_stdout = shared.refuse_two_texts(output, as_json)
    points, where = as_space(space), f"space: {space_in_words(space)}"
    with closing(asked=progress) as moved:
        found = best_channel(
            points,
            eps=epsilon,
            delta=delta,
            prior=None if prior is None else read_prior_file(prior, points),
            loss=_loss(loss_name, points),
            progress=moved,
            **search,
        )
    if to_stdout:
        click.echo(mechanism_text(found.mechanism()), nl=False)
        click.echo(f"{where}\n{found.explain()}", err=True)
        return
    if output is not None:
        save(found.mechanism(), output, replace=replace)
    answer = {"space": space, **found.to_dict(), "output": None if output is None else str(output)}
    written = "" if output is None else f"\n{shared.wrote(output)}"
    shared.say(answer, as_json, f"{where}\n{found.explain()}{written}")


def _loss(name: str, space: FiniteSpace) -> Any:
    """A loss by name, or from a table whose labels are written as those of the space."""
    if not name.lower().endswith(".csv"):
        return name
    return losses.matrix(*read_worth_file(name, space))
