"""Every name that a room offers has an example that runs (pytest runs those of all docstrings)."""

import importlib
import inspect
from functools import cache

import pytest

from dprivacy.flow import gain, loss
from support.source_code import ROOMS, SRC, surface


def has_example(name):
    """Whether a function or class shows itself at work; constants have no docstring."""
    plain = (
        inspect.unwrap(name) if callable(name) else name
    )  # what is cached or carries a source too
    routine = inspect.isfunction(plain) or inspect.isclass(plain)
    return not routine or ">>>" in (plain.__doc__ or "")


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_function_and_class_has_an_example(room):
    door = importlib.import_module(f"dprivacy.{room}")
    assert [name for name in surface(room) if not has_example(getattr(door, name))] == []


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
