"""How every run ends: what was refused in one line, in words or as JSON, and an exit code."""

import json
import os
import sys
import traceback

import click

from dprivacy.cli.standard_input import named
from dprivacy.errors import DPrivacyError

ERROR, USAGE, GUARANTEE_FAILED, INTERRUPTED = 1, 2, 3, 130
TRACEBACK = "DPRIVACY_TRACEBACK"


def run(commands: click.Command) -> None:
    """Run the command line. Nothing but its exit code and its own words come out of here.

    A traceback may quote a record, so there is none unless DPRIVACY_TRACEBACK is set.
    """
    as_json = _wants_json(sys.argv[1:])
    try:
        code = commands.main(prog_name="dprivacy", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except DPrivacyError as refusal:
        _end(ERROR, type(refusal).__name__, str(refusal), as_json)
    except click.exceptions.NoArgsIsHelpError as nothing:
        nothing.show()
        sys.exit(USAGE)
    except click.ClickException as refusal:
        _end(refusal.exit_code, "Usage", _usage(refusal), as_json)
    except (click.Abort, KeyboardInterrupt) as stopped:
        _end(
            INTERRUPTED, "Interrupted", str(stopped.__cause__ or stopped) or "interrupted", as_json
        )
    except Exception as defect:
        if os.environ.get(TRACEBACK):
            raise
        _end(ERROR, "Unexpected", _unexpected(defect), as_json)


def _wants_json(words: list[str]) -> bool:
    """Whether --json is among the words before a --, after which they are somebody else's."""
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _end(code: int, kind: str, text: str, as_json: bool) -> None:
    text = named(text)
    if as_json:
        said = json.dumps({"error": text, "kind": kind, "exit_code": code}, ensure_ascii=False)
    else:
        said = f"error: {text}"
    click.echo(said, err=True)
    sys.exit(code)


def _usage(refusal: click.ClickException) -> str:
    where = (
        refusal.ctx.command_path if isinstance(refusal, click.UsageError) and refusal.ctx else ""
    )
    text = refusal.format_message().rstrip(".")
    if not where:
        return text
    return f"{text} See {where} --help" if text.endswith("?") else f"{text}; see {where} --help"


def _unexpected(defect: Exception) -> str:
    """What happened and where, without the message: it may quote what was being read."""
    if isinstance(defect, OSError) and defect.strerror:
        return f"the system refused ({defect.strerror})"
    ours = [f for f in traceback.extract_tb(defect.__traceback__) if "dprivacy" in f.filename]
    place = f" in {ours[-1].name}, line {ours[-1].lineno}" if ours else ""
    return (
        f"unexpected {type(defect).__name__}{place}; this is a defect of dprivacy. Its message is held "
        f"back, as it may quote your data; set {TRACEBACK}=1 to see it"
    )
