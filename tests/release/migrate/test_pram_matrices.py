"""PRAM matrices as R writes and prints them, read as exact channels."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dprivacy.errors import DPrivacyError, Malformed, NotPrivate
from dprivacy.numbers.levels import ln
from dprivacy.release import Plan, pram_from_text, read_pram, sanitise
from dprivacy.spaces import line
from dprivacy.store import load, save

PRINT = """\
$Rs
          2         4         5
2 0.9123457 0.0438271 0.0438271
4 0.0600000 0.8800000 0.0600000

5 0.0333333 0.0333333 0.9333333

$pd
[1] 0.8

$alpha
[1] 0.5
"""
CSV = '"","2","4"\r\n"2",0.75,0.25\r\n"4",0.125,0.875\r\n'
CSV2 = '"";"2";"4"\n"2";0,75;0,25\n"4";0,125;0,875\n'
TABLE = '"2" "4"\n"2" 0.75 0.25\n"4" 0.125 0.875\n'
BARE = "2 4\n2 0.75 0.25\n4 0.125 0.875\n"
TABS = "2\t4\n2\t0.75\t0.25\n4\t0.125\t0.875\n"


@pytest.mark.parametrize("text", [CSV, CSV2, TABLE, BARE, TABS])
def test_every_way_in_which_r_writes_a_matrix(text):
    found = pram_from_text(text)
    assert found.channel.rows == found.channel.columns == ("2", "4")
    assert found.channel["4", "2"] == Fraction(1, 8)
    assert found.moved == 0
    assert found.printed is None
    assert found.eps == ln(6)  # 0.75/0.125, by hand
    assert found.eps_between == (ln(6), ln(6))


def test_labels_with_spaces_and_commas_come_through_csv():
    text = '"","never wed","wed, parted"\n"never wed",0.5,0.5\n"wed, parted",0.25,0.75\n'
    assert pram_from_text(text).channel.columns == ("never wed", "wed, parted")


def test_a_print_is_scaled_within_what_rounding_explains():
    found = pram_from_text(PRINT, labels=int)
    assert found.channel.rows == (2, 4, 5)
    assert found.channel.row(2)[4] == Fraction("0.0438271") / Fraction("0.9999999")
    assert all(sum(found.channel.row(x).values()) == 1 for x in found.channel.rows)
    assert 0 < found.moved < Fraction(1, 10**6)
    low, high = found.eps_between
    assert low < found.eps < high
    words = found.explain()
    assert "from 3.332 to 3.332" not in words  # equal at three decimals: not worth a line
    assert "missing values" in words
    assert "changed by at most" in words


def test_a_wide_print_in_blocks():
    wide = "    a    b\na 0.5 0.25\nb 0.25 0.5\nc 0.25 0.25\n    c\na 0.25\nb 0.25\nc 0.5\n"
    found = pram_from_text(wide)
    assert found.channel.columns == ("a", "b", "c")
    assert found.channel.row("c") == {"a": Fraction(1, 4), "b": Fraction(1, 4), "c": Fraction(1, 2)}


def test_the_true_level_lies_in_the_stated_range():
    """Matrices made as sdcMicro makes them, rounded as R prints them."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = int(rng.integers(2, 6))
        stay = rng.uniform(0.8, 1, n)
        P = np.where(np.eye(n, dtype=bool), stay[:, None], ((1 - stay) / (n - 1))[:, None])
        share = rng.dirichlet(np.ones(n))
        back = (P * share[:, None]).T / (share @ P)[:, None]
        used = 0.5 * P @ back + 0.5 * np.eye(n)
        true = max(math.log(used[:, y].max() / used[:, y].min()) for y in range(n))
        for digits in (4, 7, 15):
            head = ",".join(f'"{y}"' for y in range(n))
            body = "\n".join(
                f'"{x}",' + ",".join(f"{p:.{digits}f}" for p in used[x]) for x in range(n)
            )
            found = pram_from_text(f'"",{head}\n{body}')
            low, high = found.eps_between
            assert float(low) - 1e-12 <= true <= float(high) + 1e-12
            assert float(low) <= float(found.eps) <= float(high)
            if digits == 15:
                assert float(high) - float(low) < 1e-9


def test_a_zero_excludes_an_input_and_is_named():
    found = pram_from_text('"","a","b"\n"a",1,0\n"b",0.5,0.5\n')
    assert found.eps == math.inf
    assert "the output 'b' is never given for 'a'" in found.explain()
    with pytest.raises(NotPrivate, match="never given for 'a'"):
        found.mechanism()
    assert found.to_dict()["eps"] == "inf"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "needs a line of output labels"),
        ("a b", "needs a line of output labels"),
        ('"","a","b"\n"a",0.70,0.20\n"b",0.5,0.5\n', "row 'a' should sum to 1 but sums to 0.9"),
        ('"","a","b"\n"a",0.7\n"b",0.5,0.5\n', "row 1 has 1 entry where"),
        ('"","a","b"\n"a",NA,0.3\n"b",0.5,0.5\n', "row 1, column 1 is not a number"),
        ('"","a","b"\n"a",-0.3,1.3\n"b",0.5,0.5\n', "row 1, column 1 is not between 0 and 1"),
        ('"","a","b"\n"a",9e999,0\n"b",0.5,0.5\n', "row 1, column 1 is not between 0 and 1"),
        ('"","a","b"\n"a",1e-9999999,1\n"b",0.5,0.5\n', "row 1, column 1 is not a number"),
        ('"","a","a"\n"a",0.5,0.5\n"b",0.5,0.5\n', "have the same label"),
        ('"","a,"b"\n"a",0.5,0.5\n', "not a table"),
        (" a b\na 0.5 0.5\nb 0.5 0.5\n c\na 0\nd 0\n", "do not repeat the same rows"),
        ("$Rs\n\n$pd\n[1] 0.8\n", "needs a line of output labels"),
    ],
)
def test_what_is_no_matrix_is_refused_in_words(text, says):
    with pytest.raises(DPrivacyError, match="^.*" + says.replace("(", r"\(")):
        pram_from_text(text)


def test_mutated_texts_end_in_an_error_or_a_channel():
    """Whatever is done to a matrix, the answer is a channel or a documented refusal."""
    rng = np.random.default_rng(11)
    strange = [
        "",
        ";",
        ",",
        "\n",
        '"',
        "\0",
        "NA",
        "$Rs\n",
        "$",
        "1e999",
        "-",
        "1/0",
        "٣",
        "\ud800",
        "9" * 50,
    ]
    read = 0
    for k in range(1500):
        text = [CSV, CSV2, TABLE, PRINT][k % 4]
        for _ in range(int(rng.integers(1, 4))):
            cut, skip = int(rng.integers(0, len(text) + 1)), int(rng.integers(0, 4))
            text = text[:cut] + strange[int(rng.integers(0, len(strange)))] + text[cut + skip :]
        try:
            found = pram_from_text(text)
        except DPrivacyError:
            continue
        read += 1
        assert all(sum(found.channel.row(x).values()) == 1 for x in found.channel.rows)
        assert found.explain()
    assert 0 < read < 1500


def test_labels_that_are_no_codes():
    with pytest.raises(Malformed, match="are not what `labels` reads"):
        pram_from_text('"","a","b"\n"a",0.5,0.5\n"b",0.5,0.5\n', labels=int)


def test_from_the_file_to_a_plan_that_uses_it(tmp_path):
    (tmp_path / "roof.csv").write_text(CSV)
    mechanism = read_pram(tmp_path / "roof.csv", labels=int).mechanism()
    assert mechanism.guarantee.eps == ln(6)
    assert mechanism.tight
    save(mechanism, tmp_path / "roof.json")
    assert load(tmp_path / "roof.json").channel == mechanism.channel
    (tmp_path / "plan.toml").write_text('[columns.roof]\ntype = "stored"\nfile = "roof.json"\n')
    pa = pytest.importorskip("pyarrow")
    noisy = sanitise(pa.table({"roof": [2, 4, 4, 2]}), Plan.read(tmp_path / "plan.toml")).data
    assert set(noisy["roof"].to_pylist()) <= {2, 4}
    with pytest.raises(Malformed, match="cannot be read"):
        read_pram(tmp_path / "no such file.csv")


def test_a_mechanism_on_another_metric():
    text = "0 1 2\n0 0.6 0.2 0.2\n1 0.4 0.2 0.4\n2 0.2 0.2 0.6\n"
    found = pram_from_text(text, labels=int)
    assert found.eps == ln(3)
    assert found.mechanism(line(3)).guarantee.eps == ln(2)
