"""``dprivacy demo``: the whole story on invented people, from the true table to a correct answer."""

from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.errors import MissingExtra
from dprivacy.release import (
    Plan,
    QueryAnswer,
    ReceivedTable,
    attack,
    card_path,
    query,
    received,
    regress_release,
    sanitise_file,
)

FOLDER = "dprivacy-demo"
SQL = "SELECT region, smokes, count(*) AS n FROM data GROUP BY ALL ORDER BY ALL"
_PAGE = 80
_NO_ENGINE = "SQL needs an engine of its own, which is not installed: pip install 'dprivacy[query]'"


@click.command(epilog=shared.examples("dprivacy demo", "dprivacy demo -o story --json"))
@click.option(
    "-o", "--output", "folder", type=shared.PATH, default=FOLDER,
    help="Folder for the files."
)  # fmt: skip
@shared.JSON
def demo(folder: Path, as_json: bool) -> None:
    """Tell the whole story on a built-in survey of invented people: offline, in seconds.

    Protect the table, publish it, attack it, estimate from it, query it. Every step shows the command
    that does the same with a table of yours.
    """
    from dprivacy.release import survey, write_demo

    table, plan_file = write_demo(folder)
    output = folder / "released.csv"
    wanted = Plan.read(plan_file)
    card = sanitise_file(table, wanted, output, replace=True, discard=True, again="the demo").card
    release = received(output)
    truth = survey()
    guess = attack(release, secret="hobby", known=["region"])
    asked = _asked(release)
    fitted = regress_release(release, "smokes ~ region")
    counts = {name: _counts(release, name, truth[name]) for name in card.mechanisms}
    answer = {
        "files": [str(path) for path in (table, plan_file, output, card_path(output))],
        "card": card.to_dict(),
        "attack": guess.to_dict(),
        "estimates": counts,
        "regression": fitted.to_dict(),
        "query": {"sql": SQL, **({} if asked is None else asked.to_dict())},
    }
    if as_json:
        shared.say(answer, as_json)
        return
    _step(1, "Protect", f"{table} holds what {len(truth['name']):,} invented people said.",
          f"dprivacy plan {plan_file}")  # fmt: skip
    for column in wanted.columns:
        click.echo(f"  {column.name}: every answer is made noisy, at ε = {column.spec['epsilon']}")
    _step(2, "Publish", "A noisy copy is written, with a card that says what it guarantees.",
          f"dprivacy sanitise {table} -p {plan_file} -o {output}")  # fmt: skip
    click.echo(_indented("\n".join(card.explain().splitlines()[:2])))
    _step(3, "Attack", "Somebody finds a person's row in it and guesses the person's hobby.",
          f"dprivacy attack {output} --secret hobby --known region")  # fmt: skip
    click.echo(_indented(guess.explain().partition("\nMost exposed")[0]))
    _step(4, "Estimate", "The noise is known, so true counts can be estimated, with an error.",
          f"dprivacy estimate {output}")  # fmt: skip
    _show_counts(counts)
    click.echo("\n  The odds of not smoking by region, from a regression that allows for noise:")
    click.echo(_indented(str(fitted), 4))
    _step(5, "Query", "Anyone may ask the noisy copy anything, and nothing more is spent.",
          f'dprivacy query {output} "{SQL}"')  # fmt: skip
    click.echo(_indented(_NO_ENGINE if asked is None else asked.explain()))
    click.echo(f"\nAll files are in {folder}: {', '.join(Path(p).name for p in answer['files'])}")


def _asked(release: ReceivedTable) -> QueryAnswer | None:
    """The answer to a query; None where the engine that reads SQL is not installed."""
    try:
        return query(release, SQL)
    except MissingExtra:
        return None


def _counts(release: ReceivedTable, name: str, truth: list[Any]) -> dict[str, dict[str, float]]:
    """By answer: how often it stands in the copy, the corrected count and its error, and the truth."""
    found, noisy = release.estimate(name), release.counts([name])
    return {
        str(label): {
            "noisy": noisy.get((label,), 0),
            "corrected": float(count),
            "error": float(found.standard_errors[label]),
            "truth": truth.count(label),
        }
        for label, count in found.counts.items()
    }


def _show_counts(counts: dict[str, dict[str, dict[str, float]]]) -> None:
    click.echo(f"  {'':20s} {'noisy':>8s} {'corrected':>10s} {'± error':>8s} {'truth':>8s}")
    for name, rows in counts.items():
        click.echo(f"  {name}")
        for label, row in rows.items():
            click.echo(
                f"    {label:18s} {row['noisy']:8.0f} {row['corrected']:10.0f} {row['error']:8.0f} "
                f"{row['truth']:8.0f}"
            )


def _step(number: int, name: str, what: str, command: str) -> None:
    head = click.style(f"{number}. {name}.", bold=True)
    click.echo(("\n" if number > 1 else "") + f"{head} {what}")
    click.echo(click.style(f"   $ {command}", dim=True))


def _indented(text: str, by: int = 2) -> str:
    """The text, moved to the right and kept to the width of a page; tables are narrower than that."""
    space = " " * by
    lines = (
        click.wrap_text(line, _PAGE, initial_indent=space, subsequent_indent=space)
        if len(line) > _PAGE - by
        else space + line
        for line in text.splitlines()
    )
    return "\n".join(lines)
