"""``dprivacy match``: who is near whom, by noisy hashes of what they rated."""

import csv
import json
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.errors import Malformed
from dprivacy.hashing import (
    Matching,
    Ratings,
    distance_promises,
    hashing_loss,
    lshrr,
    match as nearest_people,
    random_projection,
    read_ratings,
    utility_loss,
    utility_loss_experiment,
)

PATH = click.Path(path_type=Path, dir_okay=False)
PICTURE = (
    "Draw the utility loss against the budget on these data (.svg, .png or .pdf); it is computed from "
    "the true data and not protected."
)


@click.command(
    name="match",
    epilog='Example:\n\ndprivacy match ratings.csv --bits 20 --epsilon "ln 3" -o matches.csv',
)
@click.argument("table", type=PATH)
@click.option("--bits", default=20, show_default=True, help="The length of a hash.")
@click.option("--epsilon", required=True, help='The level of each hash bit: "ln 3", "1", "3/2".')
@click.option("-k", "--matches", "k", default=5, show_default=True, help="Matches for everybody.")
@click.option("--user", default="user", show_default=True, help="The column that says who.")
@click.option("--item", default="item", show_default=True, help="The column that says what.")
@click.option("--rating", default="rating", show_default=True, help="The column of numbers.")
@click.option("--count", is_flag=True, help="No ratings: count a person's lines for each item.")
@click.option(
    "--key",
    default="dprivacy match",
    show_default=True,
    help="The public text that hashes follow from; fix it before looking at the data.",
)
@click.option(
    "--distance", default="0.1", show_default=True, help="State the guarantee at this angle over π."
)
@click.option("--delta", default="0.01", show_default=True, help="δ of that guarantee.")
@click.option("-o", "--output", type=PATH, help="Write all matches to a CSV file.")
@click.option("--replace", is_flag=True, help="Replace an existing output.")
@click.option(
    "--evaluate", is_flag=True, help="Also say what it costs; from the true data, not protected."
)
@click.option("--picture", type=PATH, help=PICTURE)
@click.option(
    "--repetitions",
    default=5,
    show_default=True,
    help="For --evaluate and --picture: runs averaged.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def match(
    table: Path,
    bits: int,
    epsilon: str,
    k: int,
    user: str,
    item: str,
    rating: str,
    count: bool,
    key: str,
    distance: str,
    delta: str,
    output: Path | None,
    replace: bool,
    evaluate: bool,
    picture: Path | None,
    repetitions: int,
    as_json: bool,
) -> None:
    """Match people whose ratings point the same way, from noisy hashes alone.

    TABLE (.csv, .csv.gz or .parquet) has a line for each rating. Every person's ratings are hashed to
    a few bits, and every bit goes through randomised response; matches are made from what comes out.
    Every run draws new noise: what two runs tell of a person adds up.
    """
    _check_targets(output, picture, replace)
    mechanism = lshrr(random_projection(bits=bits, key=key), eps=epsilon)
    promises = distance_promises(mechanism.eps, bits, distance, delta=delta)
    ratings = read_ratings(table, user=user, item=item, rating=None if count else rating)
    found = nearest_people(mechanism.randomise(ratings.vectors), k=k, labels=ratings.people)
    answer: dict[str, Any] = {
        "mechanism": repr(mechanism),
        "key": key,
        "distance": distance,
        "guarantees": [promise.to_dict() for promise in promises],
        **found.to_dict(),
    }
    lines = [
        found.explain(),
        "",
        f"Guarantees of {mechanism!r}, for two people at angular distance {distance}:",
        *(f"- {promise.name}: {promise.words}." for promise in promises),
    ]
    if evaluate:
        loss = utility_loss(found, mechanism.function.table(ratings.vectors))
        bare = hashing_loss(ratings.array(), bits=[bits], k=[k], repetitions=repetitions, key=key)
        answer["evaluation"] = {
            **loss.to_dict(),
            "plain_hash": bare.points[0].loss,
            "random_others": bare.chance[k],
        }
        lines += [
            "",
            f"For the evaluation: {loss.explain()} Without noise the loss would be "
            f"{bare.points[0].loss:.4f}, with random others {bare.chance[k]:.4f}.",
        ]
    if output is not None:
        _write(found, output)
        answer["output"] = str(output)
        lines += ["", f"{output} is written."]
    if picture is not None:
        _draw(ratings, picture, bits, k, key, delta, repetitions)
        answer["picture"] = str(picture)
        lines += ["", f"drawn in {picture}; not protected, as it is made from the true data."]
    click.echo(json.dumps(answer, ensure_ascii=False, indent=2) if as_json else "\n".join(lines))


def _check_targets(output: Path | None, picture: Path | None, replace: bool) -> None:
    """Refuse before the work is done."""
    if output is not None and output.exists() and not replace:
        raise Malformed(f"{output} exists; choose another name, or say --replace")
    if picture is not None:
        from dprivacy.viz import require_ending

        require_ending(picture)


def _write(found: Matching, output: Path) -> None:
    try:
        with output.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["person", "rank", "match", "bits_that_differ"])
            writer.writerows(found.rows())
    except OSError as reason:
        raise Malformed(f"{output}: cannot be written ({reason.strerror})") from None


def _draw(
    ratings: Ratings, picture: Path, bits: int, k: int, key: str, delta: str, repetitions: int
) -> None:
    from dprivacy.viz import save

    measured = utility_loss_experiment(
        ratings.array(), bits=[bits], k=k, delta=delta, repetitions=repetitions, key=key
    )
    save(measured.plot(title=f"{len(ratings.people):,} people, {k} matches each"), picture)
