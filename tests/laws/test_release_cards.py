"""Places, curves, texts and matches: every release is saved with its card, and says when it is void."""

import warnings

import pytest

from dprivacy import load, match, protect_curves, protect_places, protect_text
from dprivacy.curves import example_days
from dprivacy.errors import InsecureSeedWarning, OutputExists
from dprivacy.hashing import lshrr, minhash
from dprivacy.sampling import InsecureSource

RELEASES = {
    "places": (lambda **given: protect_places([40.7], [-74.0], **given), "out.geojson"),
    "curves": (
        lambda **given: protect_curves(example_days(3), eps=1, grid="0.1", **given),
        "o.csv",
    ),
    "text": (lambda **given: protect_text("tea at five", eps=5, **given), "out.txt"),
}


@pytest.mark.parametrize("name", RELEASES)
def test_every_release_is_saved_with_its_card(name, tmp_path):
    make, file = RELEASES[name]
    released = make()
    assert released.card.holds
    assert released.card.guarantee.sentence in released.explain()
    released.save(tmp_path / file)
    card = load(tmp_path / f"{file}.card.json")
    assert card.what == name
    assert card.guarantee == released.card.guarantee
    assert card.output["name"] == file
    with pytest.raises(OutputExists, match="already exists"):
        released.save(tmp_path / file)
    with pytest.warns(InsecureSeedWarning):
        void = make(insecure_seed=1)
    assert not void.card.holds
    assert "NO GUARANTEE" in void.explain()


def test_matches_of_guessable_reports_say_so():
    with warnings.catch_warnings(action="ignore"):
        mechanism = lshrr(minhash(bits=8, key="a"), eps=1).using(InsecureSource(1))
    reports = mechanism.randomise([{"tea"}, {"rum"}, {"milk"}])
    assert match(reports, k=1).card.holds
    assert not match(reports, k=1, mechanism=mechanism).card.holds
