"""``dprivacy completion``: what makes a shell complete verbs, options and file names."""

import rich_click as click
from click.shell_completion import get_completion_class

from dprivacy.cli.shared_options import JSON, examples, say

VARIABLE = "_DPRIVACY_COMPLETE"
_WHERE = {
    "bash": "~/.local/share/bash-completion/completions/dprivacy",
    "zsh": "a file _dprivacy in a folder of $fpath",
    "fish": "~/.config/fish/completions/dprivacy.fish",
}
_EPILOG = examples(
    "dprivacy completion bash > dprivacy.bash",
    "dprivacy completion fish > dprivacy.fish",
)


@click.command(epilog=_EPILOG)
@click.argument("shell", type=click.Choice(sorted(_WHERE)))
@JSON
def completion(shell: str, as_json: bool) -> None:
    """Print the script with which a SHELL completes verbs, options and file names.

    It belongs into ~/.local/share/bash-completion/completions/dprivacy for bash, into a file _dprivacy
    in a folder of $fpath for zsh, and into ~/.config/fish/completions/dprivacy.fish for fish.
    """
    from dprivacy.cli import commands

    kind = get_completion_class(shell)
    assert kind is not None
    # Not source(), which runs bash to ask for its version.
    maker = kind(commands, {}, "dprivacy", VARIABLE)
    script = maker.source_template % maker.source_vars()
    say({"shell": shell, "belongs": _WHERE[shell], "script": script}, as_json, script)
