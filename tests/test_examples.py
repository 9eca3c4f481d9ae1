"""Every name that a room offers has an example that runs (pytest runs those of all docstrings)."""

import importlib
import inspect

import pytest

from support.source_code import ROOMS, surface


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in ("cli", "web")])
def test_every_public_function_and_class_has_an_example(room):
    door = importlib.import_module(f"dprivacy.{room}")
    missing = [
        name
        for name in surface(room)
        if (inspect.isfunction(getattr(door, name)) or inspect.isclass(getattr(door, name)))
        and ">>>" not in (getattr(door, name).__doc__ or "")
    ]
    assert missing == []
