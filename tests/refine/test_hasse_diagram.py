"""The diagram of several channels."""

import json

import pytest

from dprivacy.errors import Malformed
from dprivacy.model import Channel, as_channel
from dprivacy.refine import join, meet, order
from dprivacy.spaces import discrete

JOBS = ["nurse", "pilot", "cook"]


SHARP = Channel(
    JOBS, JOBS, [["4/5", "1/10", "1/10"], ["1/10", "4/5", "1/10"], ["1/10", "1/10", "4/5"]]
)


BLUNT = Channel(JOBS, JOBS, [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]])


class TestOrder:
    def test_a_diamond(self) -> None:
        A = as_channel([["2/3", "1/3"], ["1/3", "2/3"], ["1/3", "2/3"]])
        B = as_channel([["2/3", "1/3"], ["2/3", "1/3"], ["1/3", "2/3"]])
        found = order(
            {
                "bottom": meet(A, B, by="max"),
                "A": A,
                "B": B,
                "again": A.reduced(),
                "top": join(A, B, by="max"),
            },
            by="max",
        )
        assert found.classes == (("bottom",), ("A", "again"), ("B",), ("top",))
        assert found.edges == (("bottom", "A"), ("bottom", "B"), ("A", "top"), ("B", "top"))
        assert found.below("top") == ("A", "B")
        assert found.below("again") == ("bottom",)
        assert [len(level) for level in found.levels()] == [1, 2, 1]
        assert found.explain().splitlines()[1] == "  top is safer than A = again, B"
        assert found.verdicts["bottom", "top"]
        assert json.loads(json.dumps(found.to_dict()))["edges"][0] == ["bottom", "A"]

    def test_what_is_not_comparable_is_said_to_be_so(self) -> None:
        first = as_channel([["2/3", "1/3"], ["1/3", "2/3"], ["1/3", "2/3"]])
        last = as_channel([["2/3", "1/3"], ["2/3", "1/3"], ["1/3", "2/3"]])
        said = order({"A": first, "B": last}).explain().splitlines()
        assert said[1:] == [f"  {name}, comparable with none of the others" for name in "AB"]
        assert order({"A": first, "again": first}).explain().splitlines()[1:] == ["  A = again"]

    def test_by_one_metric(self) -> None:
        found = order([SHARP, BLUNT], by="private", space=discrete(JOBS))
        assert found.edges == (("C1", "C2"),)

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            (([SHARP], {"by": "luck"}), "by should be one of"),
            (([], {}), "at least one channel"),
            (([SHARP], {"space": discrete(JOBS)}), "with by=.private., not"),
        ],
    )
    def test_what_it_refuses(self, arguments, text) -> None:
        channels, options = arguments
        with pytest.raises(Malformed, match=text):
            order(channels, **options)
