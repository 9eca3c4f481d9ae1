"""Priors in CSV files: counts and weights by label, and what is wrong in them."""

import pytest

from dprivacy.errors import DuplicateLabel, Malformed, NotStochastic, SpaceMismatch
from dprivacy.model import read_prior_file
from dprivacy.spaces import discrete, grid, line


class TestPriorFiles:
    def written(self, tmp_path, text):
        path = tmp_path / "prior.csv"
        path.write_text(text)
        return path

    def test_counts_become_probabilities(self, tmp_path):
        found = read_prior_file(self.written(tmp_path, "0,1\n1,3\n"), line(2))
        assert [str(w) for w in found.weights] == ["1/4", "3/4"]

    def test_a_place_in_one_cell(self, tmp_path):
        text = '"(0, 0)",0.5\n"(0, 1)",0.5\n'
        assert read_prior_file(self.written(tmp_path, text), grid(1, 2)).labels == ((0, 0), (0, 1))

    @pytest.mark.parametrize(
        ("text", "error", "words"),
        [
            (
                "a,1\nb,1\nd,1\n",
                SpaceMismatch,
                "line 3 of the file with labels .*; c only",
            ),
            ("a,1\nb,-1\nc,1\n", Malformed, "line 2"),
            ("a,0\nb,0\nc,0\n", NotStochastic, "all weights are 0"),
            ("a,1\na,1\nb,1\nc,1\n", DuplicateLabel, "line 2: a is listed twice"),
            ("a,1\nb\n", Malformed, "line 2: a label and a weight"),
            ("a,1\nb,much\nc,1\n", Malformed, "line 2: the weight should be a number"),
            ('a,"1\n', Malformed, "not a CSV table"),
        ],
    )
    def test_what_is_wrong_is_said(self, tmp_path, text, error, words):
        with pytest.raises(error, match=words):
            read_prior_file(self.written(tmp_path, text), discrete(list("abc")))
