"""Every verb, by what it is for; a verb's module is loaded when the verb is used, not before."""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from itertools import zip_longest

import click
from click.shell_completion import CompletionItem

BROKEN_PIPE = 141  # what a shell reports of a program that wrote to a reader who had gone
_WIDE = 80


@dataclass(frozen=True)
class Verb:
    """A command: its name, what it does, and the module that holds it where that has another name."""

    name: str
    short: str
    module: str = ""


# Two columns of the help page: what a person wants, and its verbs in at most 27 and 25 characters.
LEFT = {
    "Begin": (
        Verb("demo", "the whole story in a minute"),
        Verb("app", "the page, in your browser", "begin"),
        Verb("completion", "for your shell, by <Tab>", "begin"),
    ),
    "Protect": (
        Verb("inspect", "a first plan for a table", "tables"),
        Verb("plan", "what a plan gives and costs", "tables"),
        Verb("report", "a page that a board signs", "reporting"),
        Verb("sanitise", "a table, by its plan", "tables"),
        Verb("geo", "places, in metres"),
        Verb("text", "texts, by word or topic", "worded.text"),
        Verb("curves", "meter readings, day by day"),
        Verb("match", "people with similar ratings"),
        Verb("collect", "from people's own devices", "collected.collecting_verbs"),
        Verb("ledger", "budgets, and what is spent"),
    ),
    "Receive": (
        Verb("estimate", "corrected counts, means", "received.estimating"),
        Verb("regress", "models of noisy columns", "received.regressing"),
        Verb("query", "SQL, right or refused", "received.querying"),
    ),
}
RIGHT = {
    "Check": (
        Verb("verify", "the ε of a mechanism"),
        Verb("audit", "a black box, by samples", "verify"),
        Verb("schema", "the form of a file", "reporting"),
    ),
    "Compare and attack": (
        Verb("compare", "which of two is safer"),
        Verb("leakage", "what a guesser gains"),
        Verb("attack", "what a row reveals", "tables"),
    ),
    "Design": (
        Verb("optimal", "the best one, proved"),
        Verb("design", "a question on paper", "asking.questions"),
    ),
    "Study": (
        Verb("kernels", "what all are made of"),
        Verb("extreme", "corners of the polytope", "kernels"),
        Verb("zoo", "broken mechanisms, caught", "begin"),
        Verb("reproduce", "the sources, recomputed"),
    ),
}
VERBS = {verb.name: verb for side in (LEFT, RIGHT) for listed in side.values() for verb in listed}


class Verbs(click.Group):
    """A group that knows its verbs by name and loads the one that is called.

    So the help page is there at once, and a verb whose libraries are missing does not take the others
    along.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help page."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """The verb, loaded."""
        verb = VERBS.get(cmd_name)
        if verb is None:
            near = get_close_matches(cmd_name, VERBS, n=1)
            more = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"{cmd_name!r} is not a verb{more}", ctx)
        found = getattr(import_module(f"dprivacy.cli.verbs.{verb.module or verb.name}"), verb.name)
        assert isinstance(found, click.Command)
        return found

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Verbs that begin with these letters, without loading any of them."""
        items = [
            CompletionItem(verb.name, help=verb.short)
            for verb in VERBS.values()
            if verb.name.startswith(incomplete)
        ]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def get_help(self, ctx: click.Context) -> str:
        """One screen: every verb in a few words."""
        return "\n".join(_page(ctx))

    def invoke(self, ctx: click.Context) -> object:
        """Run the verb; a reader who leaves early, as `head` does, ends it quietly."""
        try:
            found: object = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # What is still in the buffer is written at the end; it goes nowhere now.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(BROKEN_PIPE)
        return found


def _page(ctx: click.Context) -> Iterator[str]:
    yield click.style("Usage: ", bold=True) + f"{ctx.command_path} VERB [OPTIONS] …"
    yield (ctx.command.help or "").split("\n")[0]
    yield ""
    left, right = list(_column(LEFT)), list(_column(RIGHT))
    if shutil.get_terminal_size().columns < _WIDE:
        yield from [*left, "", *right]
    else:
        for one, other in zip_longest(left, right, fillvalue=""):
            gap = " " * (42 - len(click.unstyle(one)))
            yield (one + gap + other).rstrip()
    yield ""
    yield f"{ctx.command_path} VERB --help has the options and examples; every verb takes --json."
    yield "Exit codes: 0 yes, 1 an error, 2 wrong usage, 3 a guarantee does not hold."


def _column(side: dict[str, tuple[Verb, ...]]) -> Iterator[str]:
    for at, (heading, verbs) in enumerate(side.items()):
        if at:
            yield ""
        yield click.style(heading, bold=True)
        for verb in verbs:
            yield f"  {click.style(f'{verb.name:<10}', fg='cyan')} {verb.short}"
