"""Every name that a room offers has an example that runs (pytest runs those of all docstrings)."""

import importlib
import inspect
import re
from functools import cache, cached_property

import pytest

from dprivacy import errors
from dprivacy.flow import gain, loss
from dprivacy.model import Mechanism
from support.source_code import ROOMS, SRC, surface


def has_example(name):
    """Whether a function or class shows itself at work; constants have no docstring."""
    # What is cached, or carries a source, is looked at as it was written.
    plain = inspect.unwrap(name) if callable(name) else name
    routine = inspect.isfunction(plain) or inspect.isclass(plain)
    return not routine or ">>>" in (plain.__doc__ or "")


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_function_and_class_has_an_example(room):
    door = importlib.import_module(f"dprivacy.{room}")
    assert [name for name in surface(room) if not has_example(getattr(door, name))] == []


def examples(thing):
    """The lines of code in a docstring."""
    lines = (line.strip() for line in (inspect.unwrap(thing).__doc__ or "").splitlines())
    return "\n".join(line for line in lines if line.startswith((">>>", "...")))


def behind(member):
    """The function that a method, a property or a cached property is made of; None for a value."""
    if isinstance(member, property | cached_property | classmethod | staticmethod):
        member = getattr(member, "fget", None) or getattr(member, "func", None) or member.__func__
    return member if inspect.isfunction(member) else None


def members(kind):
    """The public methods and properties of a class that are ours, its own or inherited."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("dprivacy.")]
    return {
        name
        for base in ours
        for name, member in vars(base).items()
        if not name.startswith("_") and behind(member)
    }


def unseen(kind):
    """Members that no example uses: their own, or one of the class or of what it inherits from.

    What all mechanisms offer is shown by the protocol that says so.
    """
    kinds = [*kind.__mro__, Mechanism] if members(kind) >= {"randomise"} else kind.__mro__
    shown = "\n".join(examples(each) for each in kinds)
    return {
        name
        for name in members(kind)
        if not re.search(rf"\.{name}\b", shown)
        and not any(examples(behind(vars(each)[name])) for each in kinds if name in vars(each))
    }


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_method_and_property_is_used_in_an_example(room):
    door = importlib.import_module(f"dprivacy.{room}")
    kinds = {name: getattr(door, name) for name in surface(room)}
    found = {name: unseen(kind) for name, kind in kinds.items() if inspect.isclass(kind)}
    assert {name: missing for name, missing in found.items() if missing} == {}


def test_a_member_without_an_example_is_found():
    class Quiet:
        """Say nothing.

        >>> Quiet().shown
        """

        __module__ = "dprivacy.quiet"
        shown = property(lambda self: 1)
        hidden = property(lambda self: 2)
        kept = cached_property(lambda self: 3)

        @classmethod
        def made(cls):
            """One of these."""

    class Loud(Quiet):
        """Show it.

        >>> Loud().kept, Loud.made()
        """

        __module__ = "dprivacy.quiet"

    assert unseen(Quiet) == {"hidden", "kept", "made"}
    assert unseen(Loud) == {"hidden"}


def test_every_error_and_warning_is_seen_in_an_example():
    kinds = [kind for kind in vars(errors).values() if inspect.isclass(kind)]
    ours = [kind for kind in kinds if kind.__module__ == errors.__name__]
    missing = [
        kind.__name__
        for kind in ours
        if not examples(kind)
        and not any(
            kind.__name__ in (base.__doc__ or "").partition(">>>")[2] for base in kind.__mro__
        )
    ]
    assert len(ours) > 30
    assert missing == []


@pytest.mark.parametrize("family", [gain, loss], ids=["gain", "loss"])
def test_every_gain_and_loss_by_name_has_an_example(family):
    assert has_example(type(family))
    names = [name for name in dir(family) if not name.startswith("_")]
    assert [name for name in names if not has_example(getattr(family, name))] == []


def test_a_name_without_an_example_is_found():
    def plain():
        """Do nothing."""

    assert not has_example(plain)
    assert not has_example(cache(plain))


def test_no_example_is_skipped():
    skipped = [
        path for path in SRC.rglob("*.py") if "doctest: +SKIP" in path.read_text(encoding="utf-8")
    ]
    assert skipped == []
