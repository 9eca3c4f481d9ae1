"""The page for people who work in R: its script runs, from a PRAM matrix to corrected counts."""

import csv
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from support.r_scripts import in_r

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "from-r.md"


@pytest.mark.service("r-reticulate")
def test_the_script_of_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("RETICULATE_PYTHON", sys.executable)
    blocks = re.findall(r"```r\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    quiet = ["sink(nullfile())", *blocks, "sink()", "say('noisy', noisy)"]
    said = in_r("\n".join([*quiet, "say('corrected', corrected)"]), tmp_path)

    lines = (tmp_path / "released.csv").read_text(encoding="utf-8").splitlines()
    header, *rows = (cell for (cell,) in csv.reader(lines))
    counts = Counter(rows)
    noisy = [counts[label] for label in ("flat", "tile", "thatch")]
    assert (header, sum(noisy)) == ("roof", 3000)
    assert said["noisy"] == noisy
    matrix = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    assert said["corrected"] == pytest.approx(np.linalg.solve(matrix.T, noisy), abs=0.01)
    assert (tmp_path / "released.csv.card.json").is_file()
