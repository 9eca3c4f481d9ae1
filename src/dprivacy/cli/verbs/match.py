"""``dprivacy match``: who is near whom, by noisy hashes of what they rated."""

import sys
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.standard_input import Input
from dprivacy.hashing import (
    LossExperiment,
    MatchLoss,
    Ratings,
    distance_guarantees,
    hashing_loss,
    lshrr,
    match as nearest_people,
    random_projection,
    read_ratings,
    utility_loss,
    utility_loss_experiment,
    write_matches,
)
from dprivacy.model import counted, plain
from dprivacy.release import card_path, charged, origin_of, per_unit

PICTURE = "Draw the loss against the budget; made from the true data, NOT PROTECTED"


@click.command(
    name="match",
    epilog=shared.examples('dprivacy match ratings.csv --bits 20 --epsilon "ln 3" -o matches.csv'),
)
@click.argument("table", type=Input(secret=True))
@click.option("--bits", default=20, help="Length of a hash.")
@shared.epsilon("Level of each hash bit", required=True)
@click.option("-k", "--matches", "k", default=5, help="Number of matches for each person.")
@click.option("--user", default="user", help="Column of people.")
@click.option("--item", default="item", help="Column of items.")
@click.option("--rating", default="rating", help="Column of ratings.")
@click.option(
    "--count", is_flag=True, help="Without ratings: count a person's lines for each item."
)
@click.option(
    "--key",
    default="dprivacy match",
    help="Public text that the hashes follow from; fix it before looking at the data.",
)
@click.option("--distance", default="0.1", help="Angle over π at which the guarantee is stated.")
@click.option("--delta", default="0.01", help="Slack δ of that guarantee.")
@shared.TABLE
@shared.output("All matches, a CSV file", dash=True)
@shared.REPLACE_NOISE
@shared.LEDGER
@click.option(
    "--evaluate", is_flag=True, help="Also measure the loss, from the true data and not protected."
)
@shared.picture(PICTURE)
@click.option("--repetitions", default=5, help="Runs to average, for --evaluate and --picture.")
@shared.JSON
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
    place: str | None,
    account: str,
    again: str | None,
    evaluate: bool,
    picture: Path | None,
    repetitions: int,
    as_json: bool,
    **written: Any,  # how the table is, under the names of read_ratings
) -> None:
    """Match people whose ratings point the same way, from noisy hashes alone.

    TABLE (text, sheet, Parquet or -) has a line for each rating. Every person's ratings are hashed
    to a few bits, and every bit goes through randomised response; matches are made from what comes out.
    Every run draws new noise: what two runs reveal of a person adds up.
    """
    shared.refuse_existing(output, replace=replace)
    shared.require_picture(picture)
    to_stdout = shared.refuse_two_texts(output, as_json)
    mechanism = lshrr(random_projection(bits=bits, key=key), eps=epsilon)
    guarantees = distance_guarantees(mechanism.eps, bits, distance, delta=delta)
    given = None if count else rating
    ratings = read_ratings(table, user=user, item=item, rating=given, **written)
    charge = per_unit(
        "ratings",
        f"{bits} bits of {key}",
        "per bit of the hash",
        mechanism.eps,
        most=mechanism.eps * bits,
    )
    origin = origin_of(table, ledger=place, again=again)
    printed = output is None or to_stdout
    if printed:
        origin.require_new(Path())
    with (
        shared.open_account(place, account) as book,
        charged(
            book,
            charge,
            table,
            people=ratings.people,
            published=[user],
            again=again,
            note="match",
        ) as receipt,
    ):
        reports = mechanism.randomise(ratings.vectors)
        released = nearest_people(reports, k=k, labels=ratings.people, mechanism=mechanism)
        if output is not None and not to_stdout:
            card = changed(released.card, receipt=plain(receipt or {}))
            changed(released, card=card, origin=origin, receipt=receipt).save(
                output, replace=replace
            )
    found = released.data
    answer: dict[str, Any] = {
        "mechanism": repr(mechanism),
        "key": key,
        "distance": distance,
        "guarantees": [one.to_dict() for one in guarantees],
        **found.to_dict(),
    }
    lines = [
        found.explain(),
        "",
        released.explain(),
        "",
        f"Guarantees of {mechanism!r}, for two people at angular distance {distance}:",
        *(f"- {one.name}: {one.words}." for one in guarantees),
    ]
    if evaluate:
        true = mechanism.function.table(ratings.vectors)
        bare = hashing_loss(ratings.array(), bits=[bits], k=[k], repetitions=repetitions, key=key)
        answer["evaluation"], words = _evaluation(utility_loss(found, true), bare, k)
        lines += ["", words]
    if printed and place is None:
        lines += ["", shared.NO_CARD]
    if to_stdout:
        write_matches(found, sys.stdout.buffer, Path("-"))
    elif output is not None:
        answer["output"] = str(output)
        lines += ["", shared.wrote(output, card_path(output))]
    if picture is not None:
        _draw(ratings, picture, bits, k, key, delta, repetitions)
        answer["picture"] = str(picture)
        lines += ["", f"{shared.wrote(picture)} It is made from the true data and NOT PROTECTED."]
    if to_stdout:
        click.echo("\n".join(lines), err=True)
    else:
        shared.say(answer, as_json, "\n".join(lines))


def _evaluation(loss: MatchLoss, bare: LossExperiment, k: int) -> tuple[dict[str, Any], str]:
    """The loss beside that of a hash without noise, and of people drawn at random."""
    without, chance = bare.points[0].loss, bare.chance[k]
    answer = {**loss.to_dict(), "plain_hash": without, "random_others": chance}
    return answer, (
        f"Evaluation: {loss.explain()} Without noise the loss would be {without:.4f}, with random "
        f"others {chance:.4f}."
    )


def _draw(
    ratings: Ratings, picture: Path, bits: int, k: int, key: str, delta: str, repetitions: int
) -> None:
    from dprivacy.viz import save

    measured = utility_loss_experiment(
        ratings.array(), bits=[bits], k=k, delta=delta, repetitions=repetitions, key=key
    )
    people = counted(len(ratings.people), "person", "people")
    save(measured.plot(title=f"{people}, {counted(k, 'match', 'matches')} each"), picture)
