"""What permanent noise depends on, and what is charged for it: places, and not rows."""

import numpy as np
import pytest

from dprivacy.errors import BudgetExceeded
from dprivacy.geo import place_mechanism, protect_places
from dprivacy.geo.leader_state import StateFile
from dprivacy.geo.permanent_places import PermanentNoise
from dprivacy.numbers import Level
from dprivacy.release import Ledger, person_name, prove_card
from dprivacy.sampling import PersonTags, lanes_of
from support.plain_aes import lane_of, tag_of, words_of
from support.sampling_fakes import Scripted

NYC = "40.7, -74.0, 50 km"
KEY = b"k" * 32
RNG = np.random.default_rng(11)
N = 300
LAT, LON = 40.7 + RNG.uniform(-0.003, 0.003, N), -74.0 + RNG.uniform(-0.003, 0.003, N)
PEOPLE = RNG.integers(0, 6, N)
pytestmark = pytest.mark.filterwarnings("ignore::dprivacy.errors.PrivacyLeakWarning")


def reported(rows=slice(None), **given):
    told = {"permanent_key": KEY, "region": NYC, **given}
    found = protect_places(LAT[rows], LON[rows], people=PEOPLE[rows], **told).data
    return np.stack([found.lat, found.lon], axis=1)


WAYS = [{}, {"region": None}, {"cell": "10 m"}, {"question": "home"}]


@pytest.mark.parametrize("given", WAYS)
def test_with_cells_neither_order_nor_company_matters(given):
    """Rows that are permuted, split, repeated or appended to: every report stays what it was."""
    whole = reported(**given)
    order = RNG.permutation(N)
    assert (reported(order, **given) == whole[order]).all()
    split = [reported(slice(at, at + 77), **given) for at in range(0, N, 77)]
    assert (np.concatenate(split) == whole).all()
    twice = np.concatenate([order, order[:50]])
    assert (reported(twice, **given) == whole[twice]).all()
    assert (reported(slice(0, 1), **given) == whole[:1]).all()


@pytest.mark.parametrize("given", [{}, {"region": None}, {"near": "20 m"}])
def test_with_leaders_rows_that_are_appended_change_nothing(given):
    given = {"whole_history": True, **given}
    whole = reported(**given)
    for n in (1, 40, 299):
        assert (reported(slice(0, n), **given) == whole[:n]).all()
    others = np.flatnonzero(PEOPLE != 3)
    assert (reported(others, **given) == whole[others]).all()  # nor do other people's rows
    assert len(np.unique(whole, axis=0)) < len(np.unique(reported(), axis=0)) or "near" in given


def test_a_report_is_drawn_from_the_words_of_its_person_and_cell():
    """From the definition of AES, one proposal after the other."""
    mechanism = place_mechanism(region=NYC, cell="50 m")
    noise = PermanentNoise(mechanism, KEY, "home")
    cells = mechanism.cells(LAT[:4], LON[:4])
    found = noise.noisy(cells, ["ann", "7.0", "ann", -3])
    for row, person in enumerate((b"ann", 7, b"ann", -3)):
        words = words_of(noise._key, lane_of(noise._key, tag_of(KEY, person), *cells[row].tolist()))
        source = Scripted([next(words) for _ in range(400)])
        while True:
            axes = [mechanism.noise._proposal.draw(1, source) for _ in range(2)]
            if mechanism.noise.accepts(axes, source.words(1), source)[0]:
                break
        steps = int(mechanism.cell / mechanism.step)
        drawn = np.array([int(axis[0]) for axis in axes])
        assert (found[row] == drawn + cells[row] * steps).all()


def test_leaders_are_drawn_for_at_their_own_place():
    """No cell: the noise is that of a lattice, and it is added to the leader's own point."""
    found = protect_places(
        [40.7, 40.7003], [-74.0, -74.0003], people=["ann"] * 2, permanent_key=KEY, region=NYC,
        whole_history=True,
    ).data  # fmt: skip
    mechanism = place_mechanism(region=NYC)
    assert found.guarantee.rate == mechanism.guarantee.rate
    assert found.law.mean == pytest.approx(288.9, abs=0.1)
    leader = mechanism.cells(np.array([40.7]), np.array([-74.0]))
    steps = PermanentNoise(mechanism, KEY).noisy(leader, ["ann"])
    lat, lon = mechanism.places(mechanism.points(steps))
    assert (found.lat == lat[0]).all()
    assert (found.lon == lon[0]).all()


def spent(ledger, **of):
    return ledger.spent("everyone", column="places", **of).eps


def opened(folder, **given):
    ledger = Ledger(folder / "ledger.db")
    ledger.budget("everyone", 1000, column="places", **{"unit": "person", **given})
    return ledger


ONE = Level("ln 4") * 5  # per kilometre


def places(*spots):
    told = {"home": (40.7, -74.0), "work": (40.75, -74.0), "gym": (40.65, -74.02)}
    lat, lon = zip(*(told[spot] for spot in spots), strict=True)
    return {"lat": lat, "lon": lon, "region": NYC, "permanent_key": KEY}


def test_with_a_state_every_leader_is_charged_once(tmp_path):
    with opened(tmp_path) as ledger:
        given = {"state": tmp_path / "s", "ledger": ledger}
        for week, (spots, most) in enumerate(
            [(["home", "home", "work"], 2), (["work", "home"], 2), (["gym"], 3), (["gym"], 3)]
        ):
            released = protect_places(**places(*spots), people=["ann"] * len(spots), **given)
            assert spent(ledger) == most * ONE, week
            assert released.data.guarantee.reports == most
        assert "were paid for then" in released.explain()
        entries = [entry.body for entry in ledger._pages.store.entries()]
        notes = {body["note"] for body in entries if body["kind"] == "spend"}
        assert notes == {"places, permanent 3"}
        assert ledger.verify()


def test_an_account_of_a_table_is_charged_for_whoever_has_the_most_places(tmp_path):
    with opened(tmp_path) as ledger:
        given = {"state": tmp_path / "s", "ledger": ledger}
        protect_places(**places("home", "work"), people=["ann"] * 2, **given)
        protect_places(**places("gym", "work"), people=["bob"] * 2, **given)
        assert spent(ledger) == 2 * ONE  # nobody has more than two
        protect_places(**places("home", "gym"), people=["bob", "eve"], **given)
        assert spent(ledger) == 3 * ONE
        assert ledger.verify()


def test_people_have_accounts_of_their_own(tmp_path):
    with opened(tmp_path, per="person") as ledger:
        given = {"state": tmp_path / "s", "ledger": ledger}
        protect_places(**places("home", "home"), people=["ann", "bob"], **given)
        protect_places(**places("home", "work", "gym"), people=["ann", "bob", "bob"], **given)
        assert spent(ledger, person="ann") == ONE  # who has no new place pays nothing
        assert spent(ledger, person="bob") == 3 * ONE


def test_what_was_reported_without_a_ledger_is_charged_when_there_is_one(tmp_path):
    with opened(tmp_path) as ledger:
        protect_places(**places("home", "work"), people=["ann"] * 2, state=tmp_path / "s")
        for times in (1, 2):  # never taken for paid: nobody knows who else is in the state
            protect_places(
                **places("home"), people=["ann"], state=tmp_path / "s", ledger=ledger,
                again="another week",
            )  # fmt: skip
            assert spent(ledger) == 2 * times * ONE


def test_a_release_beside_the_ledger_ends_what_is_paid(tmp_path):
    with opened(tmp_path) as ledger:
        protect_places(**places("home"), people=["ann"], state=tmp_path / "s", ledger=ledger)
        protect_places(**places("work"), people=["ann"], state=tmp_path / "s")
        protect_places(**places("gym"), people=["ann"], state=tmp_path / "s", ledger=ledger)
        assert spent(ledger) == 4 * ONE


def test_a_budget_stops_new_places_and_old_ones_go_on(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.budget("everyone", 2 * ONE, column="places", unit="person")
    given = {"state": tmp_path / "s", "ledger": ledger}
    with ledger:
        protect_places(**places("home", "work"), people=["ann"] * 2, **given)
        before = (tmp_path / "s").read_bytes()
        with pytest.raises(BudgetExceeded):
            protect_places(**places("gym"), people=["ann"], **given)
        assert (tmp_path / "s").read_bytes() == before
        protect_places(**places("work"), people=["ann"], **given)
        assert spent(ledger) == 2 * ONE


class History:
    """Releases of one state and account, and what became of them."""

    def __init__(self, folder, per):
        self.folder, self.state = folder, folder / "s"
        self.ledger = opened(folder, **({"per": "person"} if per == "person" else {}))
        self.per, self.seen, self.copies = per, {}, [None]

    def release(self, who, *cells):
        """Somebody reports from some places, told by numbers."""
        lat, lon = [40.5 + 0.002 * cell for cell in cells], [-74.0] * len(cells)
        released = protect_places(
            lat, lon, people=[who] * len(lat), region=NYC, permanent_key=KEY, state=self.state,
            ledger=self.ledger, again="another day",
        )  # fmt: skip
        self.seen.setdefault(who, set()).update(spots(released))
        return released

    def take_back(self, who, *cells):
        """A release that nobody saw, and whose entry is cancelled."""
        before = {person: set(reports) for person, reports in self.seen.items()}
        self.ledger.cancel(self.release(who, *cells).receipt, because="a mistake")
        self.seen = before

    def interrupt(self, who, *cells):
        """A release that stops after it was charged, and before the state is written."""
        before = {person: set(reports) for person, reports in self.seen.items()}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(StateFile, "write", _stop)
            with pytest.raises(KeyboardInterrupt):
                self.release(who, *cells)
        self.seen = before

    def copy(self):
        self.copies.append(self.state.read_bytes() if self.state.exists() else None)

    def restore(self, number):
        """Put an older copy, or no file, in the place of the state."""
        copy = self.copies[number % len(self.copies)]
        self.state.unlink(missing_ok=True)
        if copy is not None:
            self.state.touch(mode=0o600)
            self.state.write_bytes(copy)

    def require_paid(self):
        """Every different report of a person was charged."""
        for who, reports in self.seen.items():
            assert len(reports) * ONE <= self.spent(who), who

    def spent(self, who):
        """What was charged for somebody, or for all of the table."""
        return spent(self.ledger, **({"person": who} if self.per == "person" else {}))


def _stop(self, state):
    raise KeyboardInterrupt


PER = pytest.mark.parametrize("per", ["table", "person"])


def test_an_older_copy_of_the_state_makes_nothing_free(tmp_path):
    history = History(tmp_path, "table")
    with history.ledger as ledger:
        history.release("bob", 1, 2)
        history.copy()
        history.release("ann", 3, 4, 5)
        history.restore(-1)
        told = history.release("ann", 6).explain()  # of whom the copy knows nothing
        assert spent(ledger) == 5 * ONE
        assert "charged for a later release" in told
        history.require_paid()
        told = history.release("ann", 7).explain()  # as many as bob, whom the copy knows
        assert spent(ledger) == 5 * ONE
        assert "were paid for then" in told
        history.require_paid()


@PER
def test_what_was_taken_back_is_not_paid(per, tmp_path):
    history = History(tmp_path, per)
    with history.ledger:
        history.take_back("ann", 1, 2)
        assert not history.spent("ann")
        history.release("ann", 1, 2)
        assert history.spent("ann") == 2 * ONE


@PER
def test_a_release_that_was_interrupted_is_charged_and_the_next_one_goes_on(per, tmp_path):
    history = History(tmp_path, per)
    with history.ledger:
        history.release("ann", 1)
        history.interrupt("ann", 2)
        first = spots(history.release("ann", 1, 3))
        history.require_paid()
        so_far = history.spent("ann")
        assert spots(history.release("ann", 3, 1)) == first[::-1]
        assert history.spent("ann") == so_far


def spots(released):
    return list(zip(released.data.lat, released.data.lon, strict=True))


@PER
@pytest.mark.parametrize("seed", range(4))
def test_whatever_becomes_of_state_and_entries_every_draw_is_paid(seed, per, tmp_path):
    rng = np.random.default_rng(seed)
    history = History(tmp_path, per)
    with history.ledger:
        for _ in range(20):
            what = rng.choice(["release"] * 5 + ["take_back", "interrupt", "copy", "restore"])
            if what == "copy":
                history.copy()
            elif what == "restore":
                history.restore(int(rng.integers(9)))
            else:
                who = ["ann", "bob"][rng.integers(2)]
                getattr(history, what)(who, *rng.integers(0, 30, rng.integers(1, 4)).tolist())
            history.require_paid()


def test_declared_reports_share_the_level_over_all_time(tmp_path):
    with opened(tmp_path) as ledger:
        given = {"state": tmp_path / "s", "ledger": ledger, "reports": 2}
        first = protect_places(**places("home"), people=["ann"], **given).data
        assert (first.guarantee.reports, first.guarantee.total) == (2, Level("ln 4"))
        protect_places(**places("work"), people=["ann"], **given)
        assert spent(ledger) == ONE
        with pytest.raises(BudgetExceeded, match="more than 2 different places"):
            protect_places(**places("gym"), people=["ann"], **given)


@pytest.mark.parametrize("given", [{}, {"whole_history": True}])
def test_without_a_state_a_release_is_charged_for_its_places(given, tmp_path):
    with opened(tmp_path) as ledger:
        for times in (1, 2):
            protect_places(
                **places("home", "work", "home"), people=["ann"] * 3, ledger=ledger, **given,
                again="once more" if times == 2 else None,
            )  # fmt: skip
            assert spent(ledger) == 2 * times * ONE


def test_the_card_says_what_the_pattern_tells_and_is_verified(tmp_path):
    released = protect_places(**places("home", "work"), people=["ann"] * 2, state=tmp_path / "s")
    assert released.card.permanent
    told = released.explain()
    assert "within 75 m of an earlier one, in the order of the rows" in told
    assert "between two tracks with different patterns the ratio has no bound" in told
    assert told.startswith(
        "A release: 2 places.\nBetween two tracks with the same pattern of visits, to 2 pl"
    )
    released.save(tmp_path / "out.csv")
    assert prove_card(tmp_path / "out.csv.card.json", file=tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text()
    (tmp_path / "out.csv").write_text(text.replace("7", "8", 1))
    assert not prove_card(tmp_path / "out.csv.card.json", file=tmp_path / "out.csv")


def test_the_lanes_of_people_are_those_of_their_names():
    tags = PersonTags(KEY).of_texts(
        np.frombuffer(person_name(" ann", 0), np.uint8), np.array([0, 3])
    )
    cells = np.array([[5, -6]])
    mechanism = place_mechanism(region=NYC, cell="50 m")
    noise = PermanentNoise(mechanism, KEY)
    drawn = mechanism.noise.draw_each(lanes_of(noise._key, tags, *cells.T))
    steps = int(mechanism.cell / mechanism.step)
    assert (noise.noisy(cells, [" ann"]) == drawn + cells * steps).all()
