"""``dprivacy app``: the page, on this machine alone."""

from functools import partial

import rich_click as click

from dprivacy.cli.shared_options import JSON, examples, say

_EPILOG = examples("dprivacy app", "dprivacy app --port 9000 --no-browser")


@click.command(epilog=_EPILOG)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port on 127.0.0.1; 8450 by default, 0 for any that is free.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@JSON
def app(port: int | None, no_browser: bool, as_json: bool) -> None:
    """Open the page: protect, receive, verify, compare, explore and design without writing code.

    It is served to this machine alone and asks no other for anything. The address holds a key that is
    new with every run. Files are kept in a folder of yours alone, and removed. Ctrl-C ends it.
    """
    from dprivacy.web import serve

    serve(port=port, browser=not no_browser, ready=partial(_say, as_json))


def _say(as_json: bool, address: str) -> None:
    say({"address": address}, as_json, f"The page is at {address}\nCtrl-C ends it.")
