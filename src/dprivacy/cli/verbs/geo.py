"""``dprivacy geo``: reported places for true ones, with a guarantee in metres."""

import filecmp
from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.progress_line import closing
from dprivacy.cli.standard_input import Input
from dprivacy.design import DEVICES
from dprivacy.geo import (
    City,
    OptimalPlaces,
    PlaceFrontier,
    PlaceList,
    city as city_of,
    frontier as frontier_of,
    optimal_places,
    place_list,
    protect_place_file,
    read_outlines,
    read_place_file,
)
from dprivacy.numbers import as_eps
from dprivacy.release import card_path

_EPILOG = shared.examples(
    'dprivacy geo places.csv --region "40.7,-74.0,50 km" -o reported.csv',
    "dprivacy geo places.csv --radius 200m -o reported.geojson --map map.html",
    "dprivacy geo walk.gpx --reports 500 -o reported.gpx",
    "dprivacy geo week.csv --person who --permanent-key key --state own -o o.csv",
    "dprivacy geo visits.csv --among venues.csv -o reported.csv",
    'dprivacy geo --prior shops.csv --region "40.7,-74,4km" --cell 1km --frontier 2',
)


@click.command(epilog=_EPILOG)
@click.argument("places", type=Input(secret=True), required=False)
@shared.output("Reported places: .csv, .parquet, .geojson or .gpx")
@click.option("--radius", default="200 m", help="Distance within which places are protected.")
@shared.epsilon("Level within the radius", default="ln 4")
@click.option(
    "--region",
    help='Public region: "lat, lon, 30 km", "south, west, north, east", or a GeoJSON polygon.',
)
@click.option("--clamp", is_flag=True, help="Move reports outside the region to its border.")
@click.option("--lat", help="Column of latitudes.")
@click.option("--lon", help="Column of longitudes.")
@shared.person("reports")
@click.option(
    "--reports", type=int, help="Maximum number of reports per person; together they use ε."
)
@shared.KEEP
@shared.permanent_key("place")
@click.option(
    "--state",
    type=shared.PATH,
    help="Secret file of where people reported from before, for permanent noise.",
)
@click.option(
    "--whole-history", is_flag=True, help="The rows are all that these people ever reported."
)
@click.option(
    "--near", help="Distance up to which it is an earlier place again; 75 m when omitted."
)
@click.option(
    "--prior",
    type=shared.PATH,
    help="File of public places: reports become the best guess under it.",
)
@click.option(
    "--elsewhere", default="0.05", help="Share of people who are at none of the prior's places."
)
@click.option(
    "--among", type=shared.PATH, help="File of a public list that holds every true place."
)
@click.option("--tolerance", default="1 m", help="How far a true place may lie from a listed one.")
@click.option(
    "--optimal", is_flag=True, help="Use the optimal mechanism on cells, if it moves places least."
)
@click.option("--cell", help="Size of these cells; when omitted, as small as 225 cells allow.")
@click.option(
    "--force",
    is_flag=True,
    help="Use the optimal mechanism even where planar noise moves places less, or memory is short.",
)
@click.option("--seconds", type=float, help="Time limit for the search for the optimal mechanism.")
@click.option("--device", type=click.Choice(DEVICES), default="cpu", help="Device to search on.")
@click.option("--frontier", help='Compare mechanisms at these levels, such as "ln 2, ln 4".')
@shared.picture("Draw the frontier")
@click.option("--map", "map_file", type=shared.PATH, help="Map of the reports: .html.")
@click.option(
    "--base", type=shared.PATH, help="GeoJSON of public lines and polygons to draw below the map."
)
@click.option("--map-true", is_flag=True, help="Also draw the TRUE places; the map is then secret.")
@shared.TABLE
@shared.REPLACE_NOISE
@shared.LEDGER
@shared.PROGRESS
@shared.JSON
def geo(places: Path | None, output: Path | None, **given: Any) -> None:
    """Report PLACES (CSV, Parquet, GeoJSON or GPX) with noise, and a guarantee in metres.

    A line of GeoJSON and a GPX file as a whole are one person's track, whose reports add up. The output
    has coordinates and the columns named by --keep, nothing else. The card is written beside it. A
    region is public knowledge: never read it off the places. With --frontier no places are read; planar
    noise, best guesses from it and the optimal mechanism are compared at one guarantee. With --state or
    --whole-history permanent noise takes rows in the order of time.
    """
    _require(places, output, given)
    known = _known(given)
    if given["frontier"]:
        assert known is not None
        return _frontier(known, given)
    assert places is not None
    assert output is not None
    options: dict[str, Any] = {
        name: given[name] for name in ("lat", "lon", "person", "keep", "replace")
    }
    options |= shared.written(given)
    options |= {"radius": given["radius"], "eps": given["epsilon"], "clamp": given["clamp"]}
    options |= {name: given[name] for name in ("reports", "state", "whole_history", "near")}
    options["permanent_key"] = shared.read_key(given["key_file"])
    if known is None:
        options["region"] = given["region"]
    elif given["optimal"] or given["among"]:
        options |= {"optimal": _optimal(known, given), "force": given["force"]}
    else:
        options["city"] = known
    with shared.spoken_warnings(), shared.open_account(given["place"], given["account"]) as account:
        reported = protect_place_file(
            places, output, ledger=account, again=given["again"], **options
        )
    lines = [reported.explain(), shared.wrote(output, card_path(output))]
    if given["map_file"] is not None:
        lines.append(_map(places, reported, known, given))
    answer = {**reported.to_dict(), "output": str(output)}
    shared.say(answer, given["as_json"], "\n".join(lines))


def _require(places: Path | None, output: Path | None, given: dict[str, Any]) -> None:
    listed, prior = given["among"] is not None, given["prior"] is not None
    if listed and (prior or given["region"] is not None or given["optimal"]):
        raise click.UsageError(
            "--among says where places are: leave out --prior, --region and --optimal"
        )
    if (given["optimal"] or given["frontier"]) and not listed and not prior:
        raise click.UsageError("--optimal and --frontier need --prior and --region, or --among")
    if prior and given["region"] is None:
        raise click.UsageError("--prior needs --region")
    if given["force"] and not (listed or given["optimal"]):
        raise click.UsageError("--force goes with --optimal or --among")
    if given["device"] != "cpu" and not (listed or given["optimal"] or given["frontier"]):
        raise click.UsageError("--device goes with --optimal, --among or --frontier")
    if given["picture"] is not None and not given["frontier"]:
        raise click.UsageError("--picture draws a --frontier")
    if (given["map_true"] or given["base"] is not None) and given["map_file"] is None:
        raise click.UsageError("--map-true and --base need --map")
    if given["frontier"]:
        if places is not None or output is not None:
            raise click.UsageError(
                "--frontier reads no places and writes no reports: leave out PLACES and --output"
            )
        return
    if places is None or output is None:
        raise click.UsageError("give PLACES and --output")
    for name in ("among", "prior", "base"):
        public: Path | None = given[name]
        if public is not None and public.is_file() and places.is_file() and _same(public, places):
            raise click.UsageError(
                "--among, --prior and --base name a public file; one made of true places tells where "
                "people were"
            )
    if given["key_file"] is None and (given["state"] or given["whole_history"]):
        raise click.UsageError("--state and --whole-history go with --permanent-key")
    if given["near"] and not (given["state"] or given["whole_history"]):
        raise click.UsageError("--near goes with --state or --whole-history")
    if (given["optimal"] or listed) and given["key_file"]:
        raise click.UsageError("--optimal and --among cannot be combined with --permanent-key")
    drawn: Path | None = given["map_file"]
    if drawn is not None:
        from dprivacy.viz import require_html

        require_html(drawn)
        if given["state"] is not None and drawn.resolve() == given["state"].resolve():
            raise click.UsageError("--state is secret and has a file of its own; rename the --map")
        if given["base"] is not None:
            read_outlines(given["base"])  # is refused before anything is drawn
        shared.refuse_existing(drawn, replace=given["replace"])


def _same(one: Path, other: Path) -> bool:
    """Whether two files are one, or copies of each other."""
    return one.samefile(other) or filecmp.cmp(one, other, shallow=False)


def _known(given: dict[str, Any]) -> City | PlaceList | None:
    """The city or the list that everyone may know."""
    file = given["among"] or given["prior"]
    if file is None:
        return None
    with shared.another_table():
        found = read_place_file(file)
    if given["among"] is not None:
        return place_list(found.lat, found.lon, tolerance=given["tolerance"])
    return city_of(
        given["region"],
        cell=given["cell"],
        places=(found.lat, found.lon),
        elsewhere=given["elsewhere"],
    )


def _optimal(known: City | PlaceList, given: dict[str, Any]) -> OptimalPlaces:
    level = as_eps(given["epsilon"]) / (given["reports"] or 1)
    with closing(asked=given["progress"]) as moved:
        return optimal_places(
            known,
            radius=given["radius"],
            eps=level,
            seconds=given["seconds"],
            progress=moved,
            device=given["device"],
            force=given["force"],
        )


def _frontier(known: City | PlaceList, given: dict[str, Any]) -> None:
    levels = [part.strip() for part in given["frontier"].split(",")]
    shared.require_picture(given["picture"])
    with closing(asked=given["progress"]) as moved:
        found: PlaceFrontier = frontier_of(
            known,
            radius=given["radius"],
            eps=levels,
            seconds=given["seconds"],
            progress=moved,
            device=given["device"],
        )
    shared.show(found, given["as_json"])
    if given["picture"] is not None:
        from dprivacy.viz import plot_places, save

        save(plot_places(found), given["picture"])
        click.echo(shared.wrote(given["picture"]), err=True)


def _map(places: Path, reported: Any, known: City | PlaceList | None, given: dict[str, Any]) -> str:
    from dprivacy.viz import save_map

    true = None
    if given["map_true"]:
        found = read_place_file(places, lat=given["lat"], lon=given["lon"], **shared.written(given))
        true = (found.lat, found.lon)
    save_map(given["map_file"], reported, true=true, city=known, base=given["base"])
    secret = " It shows TRUE places: keep it to yourself." if true is not None else ""
    return f"{shared.wrote(given['map_file'])}{secret}"
