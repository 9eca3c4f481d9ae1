"""The card: what it says, that it comes back as it went, and that changes are noticed."""

import copy
import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import DPrivacyError, Malformed, PrivacyLeakWarning
from dprivacy.estimation import estimate
from dprivacy.release import Plan, Release, ReleaseCard, sanitise_file
from dprivacy.release.plans import release_card as card
from support.release_tables import (
    BITS,
    BLOCKS,
    CODES,
    GRAPH,
    LETTERS,
    NUMBERS,
    PLACE,
    TABLE,
    TREE,
    plan_of,
    seeded_file,
)

SPECS = {
    "letters": LETTERS,
    "codes": CODES,
    "numbers": {**NUMBERS, "grid": "1/3", "high": 3},
    "slack": {**LETTERS, "delta": "1/10"},
    "tree": TREE,
    "graph": GRAPH,
    "table": TABLE,
    "blocks": BLOCKS,
    "missing": {**LETTERS, "nulls": "category"},
    "bits": BITS,
    "place": PLACE,
    "large": {**NUMBERS, "high": 10**6},
}


def card_of(spec=LETTERS, **top):
    return ReleaseCard.of(plan_of(spec, **top), rows=10, secure=True)


def again(found):
    return ReleaseCard.from_dict(json.loads(json.dumps(found.to_dict())))


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_round_trip(spec, tmp_path):
    found = card_of(spec, pass_through=["r"], drop=["d"], title="Größe ∞")
    found.save(tmp_path / "card.json")
    back = ReleaseCard.load(tmp_path / "card.json")
    assert back == found == again(found)
    assert back.explain() == found.explain()


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_the_channel_on_the_card_is_the_one_of_the_plan(spec):
    plan, back = plan_of(spec), again(card_of(spec))
    if spec["type"] in ("bits", "place") or spec.get("high") == 10**6:
        with pytest.raises(Malformed, match="has no channel"):
            back.channel("h")
        return
    channel, true = back.channel("h"), plan.columns[0].mechanism.channel
    assert channel.rows == true.rows
    assert channel.columns == true.columns
    assert channel == true
    assert all(channel[x, y] == true[x, y] for x in true.rows for y in true.columns)


def test_a_channel_with_very_many_digits_is_made_again(monkeypatch):
    monkeypatch.setattr(card, "_MOST_DIGITS", 100)
    found = card_of({**NUMBERS, "grid": "1/3", "high": 3})
    assert "weights" not in found.columns["h"]["channel"]
    back = again(found)
    assert (
        back.channel("h")
        == plan_of({**NUMBERS, "grid": "1/3", "high": 3}).columns[0].mechanism.channel
    )
    data = back.to_dict()
    data["plan"]["columns"]["h"]["high"] = 4
    with pytest.raises(Malformed, match="gives another channel"):
        ReleaseCard.from_dict(data).channel("h")


class TestContents:
    def test_what_it_says(self):
        data = card_of(pass_through=["r"], drop=["d"], unit="id", title="T").to_dict()
        assert data["format"] == "dprivacy release card"
        assert data["guarantee_holds"] is True
        assert data["pass_through"] == ["r"]
        assert data["dropped"] == ["d", "id"]
        assert data["rows"] == 10
        assert data["columns"]["h"]["epsilon"] == "ln(2)"
        assert data["columns"]["h"]["mechanism"] == "randomised_response"
        assert data["library"].startswith("dprivacy ")
        json.dumps(data, allow_nan=False)

    def test_an_acknowledged_domain_makes_it_void(self):
        found = card_of({**LETTERS, "source": "data, acknowledged"})
        assert found.to_dict()["guarantee_holds"] is False
        assert "NO GUARANTEE: the values of h were read off the data." in found.explain()

    def test_a_seed_makes_it_void(self):
        found = ReleaseCard.of(plan_of(), rows=1, secure=False)
        assert found.to_dict()["guarantee_holds"] is False
        assert "NO GUARANTEE: the noise came from a seed" in found.explain()
        assert again(found).void == found.void

    def test_a_column_that_is_not_there(self):
        with pytest.raises(Malformed, match="protects no column 'q'; it has h"):
            card_of().channel("q")


class TestTampering:
    def tampered(self, change, spec=LETTERS):
        data = copy.deepcopy(json.loads(json.dumps(card_of(spec).to_dict())))
        change(data["columns"]["h"]["channel"])
        return ReleaseCard.from_dict(data)

    @pytest.mark.parametrize(
        "change",
        [
            lambda c: c["weights"][0].reverse(),
            lambda c: c["weights"].reverse(),
            lambda c: c["inputs"].reverse(),
            lambda c: c["outputs"].reverse(),
            lambda c: c.update(denominator="0x5"),
            lambda c: c.update(sha256="0" * 64),
            lambda c: c["outputs"].append("d"),
            lambda c: c.update(extra=1),
        ],
    )
    def test_a_changed_channel_is_noticed(self, change):
        with pytest.raises(Malformed, match="not the one that was written"):
            self.tampered(change).channel("h")

    @pytest.mark.parametrize(
        "change",
        [
            lambda c: c.pop("sha256"),
            lambda c: c.update(denominator="0x0"),
            lambda c: c.update(denominator=5),
            lambda c: c.update(denominator="zz"),
            lambda c: c.update(weights=5),
            lambda c: c.update(weights=[[1]]),
            lambda c: c.update(inputs=None),
            lambda c: c.update(inputs=[{"fraction": "x"}] * 3),
            lambda c: c["weights"].pop(),
            lambda c: c.update(weights=[["0x1", "0x1", "0x1"]] * 3),
        ],
    )
    def test_a_damaged_channel_ends_in_words(self, change):
        def and_signed(channel):
            change(channel)
            if "sha256" in channel:
                channel["sha256"] = card._hash(channel)

        with pytest.raises(DPrivacyError):
            self.tampered(and_signed).channel("h")

    @pytest.mark.parametrize(
        "change",
        [
            lambda d: d.pop("columns"),
            lambda d: d.update(columns=5),
            lambda d: d.update(columns={"h": 5}),
            lambda d: d.update(columns={"h": {}}),
            lambda d: d["columns"]["h"].update(columns=5),
            lambda d: d.update(rows="many"),
            lambda d: d.update(rows=float("inf")),
            lambda d: d.update(guarantee={}),
            lambda d: d.update(pass_through="r"),
            lambda d: d.update(void=[5]),
            lambda d: d.update(output=None),
        ],
    )
    def test_an_incomplete_card(self, change):
        data = json.loads(json.dumps(card_of().to_dict()))
        change(data)
        with pytest.raises(Malformed, match="incomplete"):
            ReleaseCard.from_dict(data)

    def test_a_card_is_not_secure_by_a_word(self):
        data = {**card_of().to_dict(), "secure": "no"}
        assert ReleaseCard.from_dict(data).secure is False

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            (b"", "not JSON"),
            (b"{", "not JSON"),
            (b"[" * 100_000, "not JSON"),
            (b"\xff\xfe", "not JSON"),
            (b"[]", "is not a dprivacy release card"),
            (b"{}", "is not a dprivacy release card"),
            (b'{"format": "dprivacy release card", "version": 99}', "version 99 is not known"),
        ],
    )
    def test_files_that_are_no_cards(self, tmp_path, content, text):
        (tmp_path / "c.json").write_bytes(content)
        with pytest.raises(Malformed, match=text):
            ReleaseCard.load(tmp_path / "c.json")

    def test_files_that_cannot_be_read(self, tmp_path, monkeypatch):
        with pytest.raises(Malformed, match="cannot be read"):
            ReleaseCard.load(tmp_path / "none.json")
        with pytest.raises(Malformed, match="cannot be read"):
            ReleaseCard.load(tmp_path)
        card_of().save(tmp_path / "c.json")
        monkeypatch.setattr(card, "_LARGEST", 10)
        with pytest.raises(Malformed, match="too large"):
            ReleaseCard.load(tmp_path / "c.json")


def test_estimates_need_only_the_output_and_the_card(tmp_path):
    """What a receiver computes is what the curator would, to the last digit."""
    rng = np.random.default_rng(5)
    people = np.array(["child", "single", "married", "widowed"])[rng.integers(0, 4, 3000)]
    specs = {"h": LETTERS, "b": BLOCKS, "n": {**NUMBERS, "grid": "0.5"}}
    table = pa.table({
        "h": np.array(["a", "b", "c"])[rng.integers(0, 3, 3000)],
        "b": people,
        "n": rng.integers(0, 11, 3000).astype(float),
    })  # fmt: skip
    import pyarrow.parquet as pq

    pq.write_table(table, tmp_path / "in.parquet")
    plan = Plan.read({"columns": specs})
    for ending in ("parquet", "csv"):
        output = tmp_path / f"out_{ending}.{ending}"
        with pytest.warns(PrivacyLeakWarning):
            seeded_file(tmp_path / "in.parquet", plan, output, again="a test")
        release = Release.open(output)
        for name in specs:
            true = plan.column(name).mechanism.channel
            labels = {str(float(y)) if name == "n" else y: y for y in true.columns}
            seen = Counter()
            for (value,), count in release.counts([name]).items():
                seen[labels[str(float(value)) if name == "n" else value]] += count
            for kind in ("ibu", "inverse"):
                expected = estimate(true, {y: seen[y] for y in true.columns}, estimator=kind)
                found = release.estimate(name, estimator=kind)
                assert found.counts == expected.counts
                assert found.standard_errors == expected.standard_errors


def test_fractions_on_the_card():
    channel = again(card_of({**NUMBERS, "grid": "1/3", "high": 1})).channel("h")
    assert channel.rows == (0, Fraction(1, 3), Fraction(2, 3), 1)


def test_the_wrong_card_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("h\n" + "a\nb\n" * 50)
    (tmp_path / "b.csv").write_text("h\n" + "a\nc\n" * 50)
    for name in "ab":
        sanitise_file(tmp_path / f"{name}.csv", plan_of(), tmp_path / f"{name}_out.csv")
    (tmp_path / "a_out.release.json").replace(tmp_path / "b_out.release.json")
    with pytest.raises(Malformed, match="is not the file that"):
        Release.open(tmp_path / "b_out.csv")


def test_a_card_of_a_file_with_the_same_stem_is_refused(tmp_path):
    (tmp_path / "in.csv").write_text("h\n" + "a\nb\n" * 50)
    sanitise_file(tmp_path / "in.csv", plan_of(), tmp_path / "out.csv")
    sanitise_file(
        tmp_path / "in.csv", plan_of(), tmp_path / "out.parquet", replace=True, again="a test"
    )
    with pytest.raises(Malformed, match="is not the file that"):
        Release.open(tmp_path / "out.csv")
    assert Release.open(tmp_path / "out.parquet").estimate("h").n == 100
