"""What people read: no phrase that is nobody's English, and errors that name the fact and the value."""

import ast
import re

from dprivacy import errors
from support.source_code import raises, texts, trees

# Messages, explanations and help are natural sentences; these turns of phrase never are.
NEVER = re.compile(
    r"\bis no |not so that|(?:^|[.!?:] )Who |\bso many\b|\bso long\b|\bwill do\b|\bsay --|\ba int\b"
    r"|^Of the "
)
OURS = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
BUILTIN = {"ValueError", "TypeError", "KeyError", "IndexError", "RuntimeError", "OSError"}
SHOWN = 0.9  # the share of errors, at least, whose text shows a value or a label


def test_no_phrase_that_is_nobodys_english():
    found = [
        f"{path}:{line}: {text}"
        for path, tree in trees().items()
        for line, text in texts(tree)
        if NEVER.search(text)
    ]
    assert not found, "\n".join(found)


def test_errors_are_named_by_the_fact():
    found = [
        f"{path}:{line}"
        for path, tree in trees().items()
        for line, kind, _ in raises(tree)
        if kind in ("Malformed", "DPrivacyError")
    ]
    assert not found, "\n".join(found)


def test_mistakes_of_the_person_are_errors_of_ours():
    found = [
        f"{path}: {kind}"
        for path, tree in trees().items()
        for _, kind, _ in raises(tree)
        if kind in BUILTIN
    ]
    # What an entry of a ledger is not; the reader of ledgers says which entry.
    assert found == ["release/ledger/amounts.py: TypeError"]


def shows(arguments):
    """Whether a message holds more than fixed words."""
    return any(not isinstance(node, ast.Constant) for node in arguments)


def test_errors_show_the_value_or_the_label():
    messages = [
        (f"{path}:{line}", arguments)
        for path, tree in trees().items()
        for line, kind, arguments in raises(tree)
        if kind in OURS
    ]
    mute = [where for where, arguments in messages if not shows(arguments)]
    assert len(mute) <= (1 - SHOWN) * len(messages), "\n".join(mute)
