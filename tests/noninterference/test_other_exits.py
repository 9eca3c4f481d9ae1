"""Places, curves, texts and ratings: nothing but what is reported depends on the truth."""

import pytest
from hypothesis import Phase, given, settings, strategies as st

from support.noninterference import differences, what_leaves
from support.other_exits import OTHER_EXITS

NAMES = [str(way) for way, _ in OTHER_EXITS]


def unchanged(way, sources, folder, pairs):
    @settings(max_examples=pairs, phases=(Phase.reuse, Phase.generate))
    @given(sources)
    def one(pair):
        assert differences(way, *pair, folder) == []

    one()


@pytest.mark.parametrize(("way", "sources"), OTHER_EXITS, ids=NAMES)
def test_neighbours_leave_the_same_here(way, sources, tmp_path):
    unchanged(way, sources, tmp_path / "place", 15)


@pytest.mark.slow
@pytest.mark.parametrize(("way", "sources"), OTHER_EXITS, ids=NAMES)
def test_a_thousand_neighbours_leave_the_same_here(way, sources, tmp_path):
    unchanged(way, sources, tmp_path / "place", 1000)


@pytest.mark.parametrize(("way", "sources"), OTHER_EXITS, ids=NAMES)
def test_other_noise_leaves_otherwise_here(way, sources, tmp_path):
    @settings(max_examples=1, phases=(Phase.generate,))
    @given(st.shared(sources))
    def one(pair):
        first = what_leaves(way, pair[0], tmp_path / "place")
        other = b"another key, of 32 bytes or more"
        assert first["code"] == 0, first["out"]
        assert first != what_leaves(way, pair[0], tmp_path / "place", key=other)

    one()
