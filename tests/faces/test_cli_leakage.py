"""``dprivacy leakage``: numbers by hand, named gains, limits."""

import json
from pathlib import Path

import pytest

from support.command_runs import command


class TestLeakage:
    def test_numbers(self) -> None:
        """By hand: uniform prior on 4, 2/5 on the diagonal."""
        words = ("leakage", "--example", "response", "--gain", "identity", "--gain", "tries:2")
        answer = json.loads(command(*words, "--json").out)
        assert answer["gains"]["identity"] == {
            "before": "1/4",
            "after": "2/5",
            "after_at_worst": "2/5",
            "leakage": "8/5",
            "leakage_additive": "3/20",
            "leakage_at_worst": "8/5",
        }
        assert answer["gains"]["tries:2"]["after"] == "3/5"  # 2/5 and one of the 1/5
        assert answer["capacity"] == "8/5"
        assert "multiplies it by 8/5" in command(*words).out

    def test_named_gains_priors_and_tables(self, tmp_path: Path) -> None:
        (tmp_path / "prior.csv").write_text("0,1/2\n1,1/2\n2,0\n")
        (tmp_path / "gain.csv").write_text("w,0,1,2\nguess,1,0,0\npass,1/2,1/2,1/2\n")
        words = ["leakage", "--example", "geometric", "--prior", "prior.csv", "--json"]
        for gain in ("metric", "within:1", "property:0,2", "gain.csv"):
            words += ["--gain", gain]
        gains = json.loads(command(*words, folder=tmp_path).out)["gains"]
        # Output 0 has 1/3 from 0 and 1/6 from 1: guessing gains 1/3, passing 1/4. Outputs 1 and 2
        # have 1/12 from 0 and 1/6 from 1: passing gains 1/8. 1/3 + 1/8 + 1/8.
        assert (gains["gain.csv"]["before"], gains["gain.csv"]["after"]) == ("1/2", "7/12")
        assert gains["property:0,2"]["before"] == "1/2"
        assert gains["within:1"]["leakage"] == "1"

    def test_a_limit(self) -> None:
        assert command("leakage", "--example", "response", "--at-most", "8/5").code == 0
        done = command("leakage", "--example", "response", "--at-most", "1.5")
        assert done.code == 3
        assert "more than 1.5" in done.out

    @pytest.mark.parametrize(
        "gain", ["luck", "tries:x", "property:doctor", "within:far", "none.csv"]
    )
    def test_refusals(self, gain: str) -> None:
        done = command("leakage", "--example", "response", "--gain", gain)
        assert (done.code, done.out) == (1, "")
