"""``dprivacy reproduce``: the sources' tables, examples, figures and errata, computed again."""

import sys

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.cli.progress_line import spoken
from dprivacy.errors import BadFile

_EPILOG = shared.examples(
    "dprivacy reproduce --list",
    "dprivacy reproduce T:table-5.1 --json",
    'dprivacy reproduce "C:*" --no-pictures -o report',
)
FOLDER = "reproduction"


@click.command(epilog=_EPILOG)
@click.argument("items", nargs=-1, metavar="[ITEM]…")
@click.option("--list", "only_list", is_flag=True, help="List the items.")
@click.option(
    "-o", "--output", "out", type=click.Path(file_okay=False),
    help=f"Folder of the report; {FOLDER} by default, none with --json.",
)  # fmt: skip
@click.option(
    "--data", type=click.Path(file_okay=False, exists=True), help="Folder with data sets."
)
@click.option(
    "--all", "everything", is_flag=True, help="Include heavy items, which take many minutes."
)
@click.option("--no-pictures", is_flag=True, help="Leave pictures out of the report.")
@click.option(
    "--fetch", "wanted", metavar="NAME", help="Download a data set into --data, then stop."
)
@shared.PROGRESS
@shared.JSON
def reproduce(
    items: tuple[str, ...],
    only_list: bool,
    out: str | None,
    data: str | None,
    everything: bool,
    no_pictures: bool,
    wanted: str | None,
    progress: bool,
    as_json: bool,
) -> None:
    """Recompute the sources' tables, examples, figures and errata beside the printed values.

    ITEM is a name such as T:table-5.1, C:example-2, T:figure-6.3, P:counts or erratum:E1, or a pattern
    such as "T:table-*". Without one, all but the heavy ones are computed. Exit code 3: a value
    differs from the printed one where it should not.
    """
    from dprivacy.reproduce import chosen, fetch, reproduce as computed, write_report

    if wanted is not None:
        if data is None:
            raise click.UsageError("--fetch needs --data, the folder to download into")
        places = [str(place) for place in fetch(wanted, data)]
        shared.say(places, as_json, "\n".join(f"{place}: checked" for place in places))
        return
    if only_list:
        _show_list(items, as_json)
        return
    chosen(items)  # refuses unknown names before anything is computed
    with spoken("computing", asked=progress) as told:
        run = computed(
            items,
            data=data,
            everything=everything,
            progress=lambda done, total, text: told(f"{min(done + 1, total)}/{total} {text}"),
        )
    if out is not None or not as_json:
        try:
            written = write_report(run, out or FOLDER, pictures=not no_pictures)
        except OSError as trouble:
            raise BadFile(
                f"the report cannot be written ({trouble.strerror}); choose another folder with -o"
            ) from None
    shared.show(run.outcomes[0] if len(run.outcomes) == 1 else run, as_json)
    if not as_json:
        click.echo(f"\n{shared.wrote(written[0])}")
    if not run:
        sys.exit(GUARANTEE_FAILED)


def _show_list(items: tuple[str, ...], as_json: bool) -> None:
    from dprivacy.reproduce import chosen

    listed = chosen(items)
    if as_json:
        shared.say([one.to_dict() for one in listed], as_json)
        return
    width = max(len(one.key) for one in listed)
    for one in listed:
        more = ["takes minutes"] * one.heavy + [f"needs {name}" for name in one.needs]
        click.echo(f"{one.key:<{width}}  {one.title}" + (f" ({', '.join(more)})" if more else ""))
