"""What other programs wrote, read as exact channels, mechanisms and levels."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dprivacy.errors import DPrivacyError, Malformed, NotPrivate, NotStochastic
from dprivacy.mechanisms import geometric, planar_laplace, randomised_response
from dprivacy.numbers.levels import Level, as_level, ln
from dprivacy.release import (
    Plan,
    from_floats,
    from_utilities,
    from_utility_list,
    location_guard,
    pram_from_text,
    read_pram,
    sanitise,
)
from dprivacy.spaces import line
from dprivacy.store import load, save
from dprivacy.verify import privacy, smallest_eps

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
    assert found.moved == found.rounding == 0
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
        ("", "needs a line of released values"),
        ("a b", "needs a line of released values"),
        ('"","a","b"\n"a",0.7,0.2\n"b",0.5,0.5\n', "row 'a' should sum to 1 but sums to 0.9"),
        ('"","a","b"\n"a",0.7\n"b",0.5,0.5\n', "the line of 'a' has 1 entries where"),
        ('"","a","b"\n"a",NA,0.3\n"b",0.5,0.5\n', "'NA' is not a probability"),
        ('"","a","b"\n"a",-0.3,1.3\n"b",0.5,0.5\n', "'-0.3' is not a probability"),
        ('"","a","b"\n"a",9e999,0\n"b",0.5,0.5\n', "'9e999' is not a probability"),
        ('"","a","b"\n"a",1e-9999999,1\n"b",0.5,0.5\n', "'1e-9999999' is not a probability"),
        ('"","a","a"\n"a",0.5,0.5\n"b",0.5,0.5\n', "'a'"),
        ('"","a,"b"\n"a",0.5,0.5\n', "not a table"),
        (" a b\na 0.5 0.5\nb 0.5 0.5\n c\na 0\nd 0\n", "do not repeat the same rows"),
        ("$Rs\n\n$pd\n[1] 0.8\n", "needs a line of released values"),
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
    with pytest.raises(Malformed, match="labels are not what"):
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


def test_floats_are_read_as_the_fractions_they_stand_for():
    for exact in (randomised_response(list("abcd"), eps="ln 5"), geometric(5, eps="ln 3")):
        C = exact.channel
        floats = np.array([[float(C[x, y]) for y in C.columns] for x in C.rows])
        found = from_floats(floats, rows=C.rows, columns=C.columns)
        assert found.channel == C
        assert found.moved < 1e-15
    assert "not for the doubles" in found.explain()


def test_floats_that_are_no_fractions_are_refused():
    p = 1 / (1 + math.e)
    with pytest.raises(Malformed, match=r"at \(0, 0\) is not near a fraction .*exactly"):
        from_floats([[1 - p, p], [p, 1 - p]])
    with pytest.raises(Malformed, match="is not near a fraction"):
        from_floats(
            [[1.0, 1e-13], [0.5, 0.5]]
        )  # near 0, but not 0: rounding it away would hide a leak
    with pytest.raises(NotStochastic):
        from_floats([[1 / 3 + 5e-13, 1 / 3, 1 / 3 - 1e-4]] * 2)
    with pytest.raises(Malformed, match="largest denominator"):
        from_floats([[0.5, 0.5]], largest=10**6)


def test_exact_entries_stay_what_they_are():
    rational = np.array([[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 2), Fraction(1, 2)]])
    found = from_floats(rational)
    assert found.channel[0, 1] == Fraction(2, 3)
    assert found.eps == ln("3/2")
    assert privacy(found, line(2), eps="ln(3/2)")  # it stands wherever a channel is asked for


def diffprivlib_rows(pairs, eps):
    """The probabilities of diffprivlib's ExponentialCategorical, from its description."""
    values = list(dict.fromkeys(v for x, z, _ in pairs for v in (x, z)))
    apart = {(x, z): u for a, b, u in pairs for x, z in ((a, b), (b, a))}
    largest = max(apart.values())

    def weights(factor):
        return np.array(
            [
                [math.exp(-eps * apart.get((x, y), 0) / factor / largest) for y in values]
                for x in values
            ]
        )

    sums = weights(2).sum(axis=1)
    table = weights(1) if np.allclose(sums, sums[0]) else weights(2)
    return values, table / table.sum(axis=1, keepdims=True)


TOWNS = [("Oslo", "Rome", 4), ("Oslo", "Bonn", 2.5), ("Bonn", "Rome", 2)]
EVEN = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]


@pytest.mark.statement("C", "Def 4")
@pytest.mark.parametrize("pairs", [TOWNS, EVEN])
@pytest.mark.parametrize("eps", [0.5, 1.0, 3.0])
def test_a_utility_list_gives_the_same_probabilities_and_its_own_level(pairs, eps):
    found = from_utility_list(pairs, eps=eps)
    values, table = diffprivlib_rows(pairs, eps)
    assert list(found.channel.rows) == values
    ours = np.array([[float(found.channel[x, y]) for y in values] for x in values])
    assert np.allclose(ours, table, rtol=0, atol=1e-8)
    true = max(math.log(table[:, y].max() / table[:, y].min()) for y in range(len(values)))
    assert float(found.guarantee.eps) == pytest.approx(true, abs=1e-7)
    assert float(found.guarantee.eps) <= eps
    assert found.verify()


def test_the_level_of_a_utility_list_is_exact_by_hand():
    # weights 1, 1/2, 1/4 by distance 0, 2, 4: rows sum to 7/4, 2 and 7/4; 4/7 against 1/7 is tight
    towns = [("Oslo", "Rome", 4), ("Oslo", "Bonn", 2), ("Rome", "Bonn", 2)]
    assert from_utility_list(towns, eps="ln 16").guarantee.eps == ln(4)
    assert from_utility_list(EVEN, eps="ln 16").guarantee.eps == ln(16)  # balanced: no 2


def test_diffprivlib_itself_agrees():
    mechanisms = pytest.importorskip("diffprivlib").mechanisms
    peer = mechanisms.ExponentialCategorical(epsilon=1.0, utility_list=TOWNS)
    ours = from_utility_list(peer.utility_list, eps=1.0).channel
    for x in ours.rows:
        for y in ours.columns:
            theirs = peer._get_prob(x, y) / peer._normalising_constant[x]
            assert float(ours[x, y]) == pytest.approx(theirs, abs=1e-8)


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ([], "empty"),
        ([("a", "b")], r"\[\(value, value, utility\)"),
        ([("a", "b", 1), ("b", "c", 1)], "utility of 'a' and 'c' is missing"),
        ([("a", "b", 1), ("b", "a", 2)], "given twice, differently"),
        ([("a", "b", -1)], "never negative"),
        ([("a", "a", 1), ("a", "b", 1)], "0 from a value to itself"),
        ([("a", "b", 0)], "nothing to tell apart"),
        ([("a", "b", math.nan)], "finite number"),
        ([("a", "b", "far")], "finite number"),
    ],
)
def test_utility_lists_that_are_refused(pairs, says):
    with pytest.raises(Malformed, match=says):
        from_utility_list(pairs, eps=1)


@pytest.mark.statement("C", "Def 4")
@pytest.mark.parametrize("monotonic", [False, True])
def test_utilities_of_candidates(monotonic):
    votes = {"without": [3, 2, 0.5], "with": [3, 3, 0.5]}
    found = from_utilities(
        votes, eps=1, sensitivity=1, candidates=["tea", "cake", "rum"], monotonic=monotonic
    )
    scale = 1 if monotonic else 0.5
    rows = np.array([[math.exp(scale * u) for u in line] for line in votes.values()])
    rows /= rows.sum(axis=1, keepdims=True)
    for x, row in zip(votes, rows, strict=True):
        assert [float(found.channel[x, y]) for y in ("tea", "cake", "rum")] == pytest.approx(row)
    true = np.abs(np.log(rows[0] / rows[1])).max()
    assert float(found.guarantee.eps) == pytest.approx(true, abs=1e-7)


def test_a_sensitivity_that_the_utilities_exceed():
    votes = {"a": [0, 3], "b": [0, 0]}
    with pytest.raises(NotPrivate, match="candidate '1' differs by 3 between inputs 'a' and 'b'"):
        from_utilities(votes, eps=1, sensitivity=1)
    farther = from_utilities({0: [0, 3], 3: [0, 0]}, eps=1, sensitivity=1, space=line([0, 3]))
    assert smallest_eps(farther.channel, line([0, 3])) <= 1
    with pytest.raises(Malformed, match="two or more, not of 1"):
        from_utilities({"a": [0, 3]}, eps=1, sensitivity=3)
    with pytest.raises(Malformed, match="has 1 utilities for 2 candidates"):
        from_utilities({"a": [0, 3], "b": [1]}, eps=1, sensitivity=3)
    with pytest.raises(Malformed, match="sensitivity is a positive number"):
        from_utilities(votes, eps=1, sensitivity=0)


def test_the_levels_of_location_guard():
    levels = location_guard()
    assert {name: level.radius for name, level in levels.items()} == {
        "low": 200, "medium": 500, "high": 2000,
    }  # fmt: skip
    assert [str(level.rate) for level in levels.values()] == ["1/100", "1/250", "1/1000"]
    assert all(level.mean == level.radius for level in levels.values())  # 2/ε with ε = 2/radius
    medium = levels["medium"]
    assert medium.settings == {"radius": "500 m", "eps": "2"}
    assert "48 of them" in medium.explain()
    assert medium.to_dict()["rate_per_m"] == 0.004
    assert planar_laplace(eps=medium.rate).guarantee.eps == as_level("1/250")


def test_settings_of_ones_own():
    own = location_guard({"epsilon": "ln 4", "levels": {"mine": {"radius": "0.5"}}})["mine"]
    assert own.rate == 2 * ln(4)
    assert isinstance(own.rate, Level)
    assert "again for" not in own.explain()
    for broken in (
        {},
        {"levels": {}},
        {"levels": {"x": 3}},
        {"levels": {"x": {"radius": 0}}},
        {"levels": {"x": {"radius": True}}},
        {"levels": {"x": {"radius": "wide"}}},
        {"levels": {"x": {"radius": 10, "cacheTime": -1}}},
        {"epsilon": 0, "levels": {"x": {"radius": 10}}},
    ):
        with pytest.raises(DPrivacyError):
            location_guard(broken)


def test_the_settings_go_into_the_places_room():
    geo = pytest.importorskip("dprivacy.geo")
    level = location_guard()["low"]
    claim = geo.MetreGuarantee.read(**level.settings, cell="0.2 m")
    assert claim.radius == level.radius
    assert claim.eps < level.rate  # the cell is counted in
