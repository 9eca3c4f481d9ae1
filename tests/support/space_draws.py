"""Laws that are tried on named spaces, each with data that hypothesis draws."""

import pytest
from hypothesis import given, settings, strategies as st


def on_each(spaces):
    """Marks a test of `space` and `data`: every space by its name, a few draws on each."""
    named = pytest.mark.parametrize("space", spaces.values(), ids=spaces)
    return lambda test: named(settings(max_examples=15)(given(data=st.data())(test)))
