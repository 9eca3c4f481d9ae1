"""The verbs that need no file of yours: app, completion, zoo."""

import sys
from functools import partial

import rich_click as click
from click.shell_completion import get_completion_class

import dprivacy.cli.shared_options as shared
from dprivacy.cli.exit_codes import GUARANTEE_FAILED


@click.command(epilog=shared.examples("dprivacy app", "dprivacy app --port 9000 --no-browser"))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port on 127.0.0.1; 8450 by default, 0 for any free one.",
)
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
@shared.JSON
def app(port: int | None, no_browser: bool, as_json: bool) -> None:
    """Open the page: protect, receive, verify, compare, explore and design without writing code.

    It is served to this machine alone and contacts no other. The address holds a key that is new with
    every run. Files are kept in a folder that only you can read, and removed. Ctrl-C ends it.
    """
    from dprivacy.web import serve

    serve(port=port, browser=not no_browser, ready=partial(_say, as_json))


def _say(as_json: bool, address: str) -> None:
    shared.say({"address": address}, as_json, f"The page is at {address}\nPress Ctrl-C to end it.")


VARIABLE = "_DPRIVACY_COMPLETE"
_WHERE = {
    "bash": "~/.local/share/bash-completion/completions/dprivacy",
    "zsh": "a file _dprivacy in a folder of $fpath",
    "fish": "~/.config/fish/completions/dprivacy.fish",
}


@click.command(
    epilog=shared.examples(
        "dprivacy completion bash > dprivacy.bash",
        "dprivacy completion fish > dprivacy.fish",
    )
)
@click.argument("shell", type=click.Choice(sorted(_WHERE)))
@shared.JSON
def completion(shell: str, as_json: bool) -> None:
    """Print the script with which a SHELL completes verbs, options and file names.

    It belongs in ~/.local/share/bash-completion/completions/dprivacy for bash, in a file _dprivacy
    in a folder of $fpath for zsh, and in ~/.config/fish/completions/dprivacy.fish for fish.
    """
    from dprivacy.cli.command_line import commands

    kind = get_completion_class(shell)
    assert kind is not None
    # Not source(), which runs bash to ask for its version.
    maker = kind(commands, {}, "dprivacy", VARIABLE)
    script = maker.source_template % maker.source_vars()
    shared.say({"shell": shell, "belongs": _WHERE[shell], "script": script}, as_json, script)


@click.command(epilog=shared.examples("dprivacy zoo"))
@shared.JSON
def zoo(as_json: bool) -> None:
    """Show broken twins of our mechanisms, and what catches each of them.

    Every twin has one mistake that was once made somewhere. The detector must catch it and stay silent
    on the healthy twin. Exit code 0: all caught, no false alarm; 3: something escaped.
    """
    from dprivacy.mechanisms import exhibits

    found = []
    for exhibit in exhibits():
        broken, healthy = exhibit.inspect(True), exhibit.inspect(False)
        right = broken.caught and not healthy.caught
        found.append(
            {
                "name": exhibit.name,
                "wrong": exhibit.wrong,
                "detector": exhibit.detector,
                "caught": broken.caught,
                "evidence": broken.evidence,
                "false_alarm": healthy.caught,
            }
        )
        if not as_json:
            mark = "caught " if right else "ESCAPED"
            click.echo(f"{mark}  {exhibit.name}: {exhibit.wrong}")
            click.echo(f"         by the {exhibit.detector}: {broken.evidence}")
    caught = sum(bool(item["caught"]) and not item["false_alarm"] for item in found)
    shared.say(found, as_json, f"\n{caught} of {len(found)} caught, with no false alarm")
    sys.exit(0 if caught == len(found) else GUARANTEE_FAILED)
