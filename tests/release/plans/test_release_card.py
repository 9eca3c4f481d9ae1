"""The card: what it says, that it comes back as it went, and that changes are noticed."""

import copy
import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import BadFile, DPrivacyError, Malformed, PrivacyLeakWarning
from dprivacy.estimation import estimate
from dprivacy.model import write_document
from dprivacy.release import Card, Plan, card_body, card_from, received, sanitise_file
from dprivacy.release.plans import table_card as tables
from dprivacy.release.plans.release_card import StatedGuarantee, card_of_text, card_text, read_card
from dprivacy.release.plans.table_card import table_card
from support import release_tables as specs
from support.release_tables import plan_of, seeded_file

SPECS = {
    "letters": specs.LETTERS,
    "codes": specs.CODES,
    "numbers": {**specs.NUMBERS, "grid": "1/3", "high": 3},
    "slack": {**specs.LETTERS, "delta": "1/10"},
    "tree": specs.TREE,
    "graph": specs.GRAPH,
    "table": specs.TABLE,
    "blocks": specs.BLOCKS,
    "missing": {**specs.LETTERS, "nulls": "category"},
    "bits": specs.BITS,
    "place": specs.PLACE,
    "large": {**specs.NUMBERS, "high": 10**6},
}


def card_of(spec=specs.LETTERS, **top):
    return table_card(plan_of(spec, **top), rows=10, secure=True)


def again(found):
    return card_of_text(card_text(found), name="card")


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_round_trip(spec, tmp_path):
    found = card_of(spec, pass_through=["r"], drop=["d"], title="Größe ∞")
    (tmp_path / "card.json").write_text(card_text(found))
    back = read_card(tmp_path / "card.json")
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
    monkeypatch.setattr(tables, "_MOST_DIGITS", 100)
    found = card_of({**specs.NUMBERS, "grid": "1/3", "high": 3})
    assert found.mechanisms["h"]["channel"] == {"points": 10}
    back = again(found)
    assert (
        back.channel("h")
        == plan_of({**specs.NUMBERS, "grid": "1/3", "high": 3}).columns[0].mechanism.channel
    )
    body = card_body(back)
    body["plan"]["columns"]["h"]["high"] = 4
    with pytest.raises(BadFile, match="gives another channel"):
        card_from(body).channel("h")
    body["plan"]["columns"]["h"] = {"type": "stored", "file": "/dev/zero"}
    with pytest.raises(BadFile, match="neither its channel nor its plan"):
        card_from(body).channel("h")


MADE_AGAIN = {
    "many": {"type": "ordered", "values": list(range(3000)), "epsilon": "1/10"},
    "numbers": {"type": "numbers", "low": 0, "high": 2999, "grid": 1, "epsilon": "1/10"},
    "slow": {**specs.CODES, "values": list(range(400)), "mechanism": "exponential"},
    "endless": {"type": "numbers", "low": 0, "high": "1e400000", "grid": "1e-400000", "epsilon": 1},
    "a step of nothing": {"type": "numbers", "low": 0, "high": 9, "grid": 0, "epsilon": 1},
    "a tree": {**specs.TREE, "mechanism": "any_metric"},
}


@pytest.mark.parametrize("points", [9, 400, 3000])
@pytest.mark.parametrize("spec", MADE_AGAIN.values(), ids=MADE_AGAIN)
def test_no_card_makes_its_reader_build_for_minutes(spec, points, monkeypatch):
    body = card_body(card_of())
    monkeypatch.setattr(Plan, "read", lambda data: pytest.fail("it was built"))
    body["plan"]["columns"]["h"] = spec
    body["mechanisms"]["h"]["channel"] = {"points": points}
    with pytest.raises(BadFile, match="column 'h': the plan on the card gives another channel"):
        card_from(body).channel("h")


def test_a_channel_that_is_slow_to_make_is_written_down(monkeypatch):
    monkeypatch.setattr(tables, "_MOST_DIGITS", 100)
    found = card_of({**specs.LETTERS, "mechanism": "exponential"})
    assert "matrix" in found.mechanisms["h"]["channel"]
    assert again(found).channel("h") == found.channel("h")


class TestContents:
    def test_what_it_says(self):
        data = card_of(pass_through=["r"], drop=["d"], unit="id", title="T").to_dict()
        assert data["what"] == "table"
        assert data["holds"] is True
        assert data["guarantee"]["eps"] == "ln(2)"
        assert data["pass_through"] == ["r"]
        assert data["dropped"] == ["d", "id"]
        assert data["count"] == 10
        assert data["mechanisms"]["h"]["eps"] == "ln(2)"
        assert data["mechanisms"]["h"]["family"] == "randomised_response"
        assert data["library"].startswith("dprivacy ")
        json.dumps(data, allow_nan=False)

    def test_an_acknowledged_domain_makes_it_void(self):
        found = card_of({**specs.LETTERS, "source": "data, acknowledged"})
        assert found.holds is False
        assert "NO GUARANTEE: the list of values for h was taken from the data." in found.explain()

    def test_a_seed_makes_it_void(self):
        found = table_card(plan_of(), rows=1, secure=False)
        assert found.holds is False
        assert "NO GUARANTEE: the noise came from a seed" in found.explain()
        assert again(found).void == found.void

    def test_a_column_that_is_not_there(self):
        with pytest.raises(Malformed, match="protects no column 'q'; it has h"):
            card_of().channel("q")


class TestOtherReleases:
    """A card of what has no columns: places, curves, text, matches."""

    def text(self, **rest):
        stated = StatedGuarantee("ln(2)", "0", "", "word", "At most 2.")
        return Card.of("text", stated, count=3, secure=True, mechanisms={"": {"x": 0.5}}, **rest)

    def test_it_comes_back(self):
        assert again(self.text()) == self.text()
        assert self.text().explain() == "A release: 3 words.\nAt most 2."

    def test_it_has_no_columns(self):
        with pytest.raises(Malformed, match="card of text has no columns"):
            self.text().channel("h")

    def test_numbers_are_written_out(self):
        assert self.text().mechanisms == {"": {"x": "0.5"}}


@pytest.mark.parametrize(
    ("what", "count", "words"),
    [
        ("places", 1, "1 place"),
        ("places", 1200, "1,200 places"),
        ("curves", 1, "1 curve"),
        ("text", 0, "0 words"),
        ("matches", 1, "1 match"),
        ("matches", 2, "2 matches"),
    ],
)
def test_one_is_not_several(what, count, words):
    found = Card.of(what, StatedGuarantee("1"), count=count, secure=True)
    assert found.explain().splitlines()[0] == f"A release: {words}."


def test_one_row_of_one_column():
    found = table_card(plan_of(), rows=1, secure=True).explain()
    assert found.startswith("A release: 1 row, 1 protected column.\n")


class TestTampering:
    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"holds": False}, "does not hold, and void should say why"),
            ({"void": ["a reason"]}, "both that its guarantee holds and why it does not"),
            ({"secure": False}, "noise can be guessed, and that its guarantee holds"),
            ({"secure": False, "holds": False}, "does not hold, and void should say why"),
        ],
    )
    def test_what_contradicts_itself_is_told_as_it_is(self, change, reason):
        with pytest.raises(BadFile, match=reason):
            card_from(card_body(card_of()) | change)

    def test_a_changed_file_is_noticed(self):
        text = card_text(card_of())
        for was, now in (
            ('"secure": true', '"secure": false'),
            ('"0x2"', '"0x1"'),
            ("ln(2)", "ln(3/2)"),
        ):
            assert was in text
            with pytest.raises(BadFile, match="do not match their hash"):
                card_of_text(text.replace(was, now, 1), name="card")

    @pytest.mark.parametrize(
        "change",
        [
            lambda c: c.update(extra=1),
            lambda c: c["outputs"].append("d"),
            lambda c: c["matrix"].update(denominator="0x0"),
            lambda c: c["matrix"].update(denominator=5),
            lambda c: c["matrix"].update(denominator="zz"),
            lambda c: c["matrix"].update(weights=5),
            lambda c: c["matrix"].update(weights=[[1]]),
            lambda c: c.update(inputs=None),
            lambda c: c.update(inputs=[{"fraction": "x"}] * 3),
            lambda c: c["matrix"]["weights"].pop(),
            lambda c: c["matrix"].update(weights=[["0x1", "0x1", "0x1"]] * 3),
        ],
    )
    def test_a_damaged_channel_ends_in_words(self, change):
        body = copy.deepcopy(card_body(card_of()))
        change(body["mechanisms"]["h"]["channel"])
        with pytest.raises(DPrivacyError):
            card_from(body).channel("h")

    @pytest.mark.parametrize(
        "change",
        [
            lambda d: d.pop("mechanisms"),
            lambda d: d.update(mechanisms=5),
            lambda d: d.update(mechanisms={"h": 5}),
            lambda d: d.update(mechanisms={"h": {}}),
            lambda d: d["mechanisms"]["h"].update(columns=5),
            lambda d: d["mechanisms"]["h"].update(columns=[5]),
            lambda d: d["mechanisms"]["h"].update(channel=5),
            lambda d: d["mechanisms"]["h"].pop("channel"),
            lambda d: d.update(count="many"),
            lambda d: d.update(count=-1),
            lambda d: d.update(guarantee={}),
            lambda d: d.update(pass_through="r"),
            lambda d: d.update(void=[5], holds=False),
            lambda d: d.update(holds=False),
            lambda d: d.update(void=["seeded"]),
            lambda d: d.update(secure=False),
            lambda d: d.update(secure="no"),
            lambda d: d.update(output=None),
            lambda d: d.update(output={"name": "out.csv", "sha256": "0"}),
            lambda d: d.update(receipt={"sequence": "5"}),
            lambda d: d.update(what="thing"),
            lambda d: d.update(strange=1),
        ],
    )
    def test_a_card_that_does_not_add_up(self, change):
        body = copy.deepcopy(card_body(card_of()))
        change(body)
        with pytest.raises(BadFile):
            card_of_text(write_document("card", 1, body), name="card")

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            (b"", "not JSON"),
            (b"{", "not JSON"),
            (b"[" * 100_000, "not JSON"),
            (b"\xff\xfe", "not UTF-8"),
            (b"[]", "not a file of dprivacy"),
            (b"{}", "not a file of dprivacy"),
            (write_document("card", 99, {}).encode(), "holds a card of version 99"),
            (write_document("plan", 1, {}).encode(), "holds a plan of version 1"),
        ],
    )
    def test_files_that_are_no_cards(self, tmp_path, content, text):
        (tmp_path / "c.json").write_bytes(content)
        with pytest.raises(BadFile, match=text):
            read_card(tmp_path / "c.json")

    def test_files_that_cannot_be_read(self, tmp_path, monkeypatch):
        with pytest.raises(BadFile, match="cannot be read"):
            read_card(tmp_path / "none.json")
        with pytest.raises(BadFile, match="cannot be read"):
            read_card(tmp_path)
        (tmp_path / "c.json").write_text(card_text(card_of()))
        monkeypatch.setattr("dprivacy.release.plans.release_card._LARGEST", 10)
        with pytest.raises(BadFile, match="larger than"):
            read_card(tmp_path / "c.json")


def test_estimates_need_only_the_output_and_the_card(tmp_path):
    """What a receiver computes is what the curator would, to the last digit."""
    rng = np.random.default_rng(5)
    people = np.array(["child", "single", "married", "widowed"])[rng.integers(0, 4, 3000)]
    columns = {"h": specs.LETTERS, "b": specs.BLOCKS, "n": {**specs.NUMBERS, "grid": "0.5"}}
    table = pa.table({
        "h": np.array(["a", "b", "c"])[rng.integers(0, 3, 3000)],
        "b": people,
        "n": rng.integers(0, 11, 3000).astype(float),
    })  # fmt: skip
    import pyarrow.parquet as pq

    pq.write_table(table, tmp_path / "in.parquet")
    plan = Plan.read({"columns": columns})
    for ending in ("parquet", "csv"):
        output = tmp_path / f"out_{ending}.{ending}"
        with pytest.warns(PrivacyLeakWarning):
            seeded_file(tmp_path / "in.parquet", plan, output, again="a test")
        release = received(output)
        for name in columns:
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
    channel = again(card_of({**specs.NUMBERS, "grid": "1/3", "high": 1})).channel("h")
    assert channel.rows == (0, Fraction(1, 3), Fraction(2, 3), 1)


def test_the_wrong_card_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("h\n" + "a\nb\n" * 50)
    (tmp_path / "b.csv").write_text("h\n" + "a\nc\n" * 50)
    for name in "ab":
        sanitise_file(tmp_path / f"{name}.csv", plan_of(), tmp_path / f"{name}_out.csv")
    (tmp_path / "a_out.csv.card.json").replace(tmp_path / "b_out.csv.card.json")
    with pytest.raises(Malformed, match="is not the file that"):
        received(tmp_path / "b_out.csv")


def test_files_of_one_stem_have_cards_of_their_own(tmp_path):
    (tmp_path / "in.csv").write_text("h\n" + "a\nb\n" * 50)
    for ending in ("csv", "parquet"):
        sanitise_file(tmp_path / "in.csv", plan_of(), tmp_path / f"out.{ending}", again="a test")
    for ending in ("csv", "parquet"):
        assert received(tmp_path / f"out.{ending}").estimate("h").n == 100
