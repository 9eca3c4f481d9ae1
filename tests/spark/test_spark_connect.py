"""Spark Connect: a client of a server on loopback releases the same bytes, and no key is written."""

import base64
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import Malformed, UnknownCategory
from dprivacy.release import prove_card, received, sanitise
from dprivacy.release.spark import spark_scan
from support.patience import wait_until
from support.release_tables import with_card
from support.spark_frames import HOBBIES, KEY, MARK, PEOPLE, PLAN, bytes_of, leftovers, made, slow
from support.spark_standalone import everything_below

pytestmark = pytest.mark.service("spark")
SORTED = {
    "columns": {"hobby": {"type": "categories", "values": HOBBIES, "epsilon": "ln 5"}},
    "pass_through": ["truth"],
    "drop": ["name", "id", "health"],
}


@pytest.fixture
def source(spark, tmp_path):
    made(spark, 9000, 3).write.parquet(str(tmp_path / "in"))
    return str(tmp_path / "in")


WAYS = {
    "files": (lambda frame: frame, PLAN, {}),
    "a frame": (lambda frame: frame.coalesce(1).where("id >= 0"), PLAN, {}),
    "people": (lambda frame: frame, PEOPLE, {}),
    "sorted": (lambda frame: frame, SORTED, {"shuffle": True, "delta": "1e-9"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_client_releases_the_bytes_of_a_driver(spark, client, source, tmp_path, fixed, way):
    change, plan, how = WAYS[way]
    for name, session in (("driver", spark), ("client", client)):
        frame = change(session.read.parquet(source))
        assert (spark_scan.bare_pieces(frame, ["hobby"], 9000) is None) == (way == "a frame")
        released = sanitise(frame, plan, output=tmp_path / name / "out", **how)
        assert released.card.count == released.data.count() == 9000
    driver, other = tmp_path / "driver" / "out", tmp_path / "client" / "out"
    assert bytes_of(driver) == bytes_of(other) != {}
    assert (driver / "_card.json").read_bytes() == (other / "_card.json").read_bytes()
    assert prove_card(other / "_card.json", file=other)
    assert not leftovers(tmp_path / "client")
    there, here = received(other, session=client), received(other)
    assert there.counts(["hobby"]) == here.counts(["hobby"])


def test_pythons_that_are_killed_change_nothing(server, client, tmp_path, fixed):
    frame = made(client, 40_000, 8)
    with_card(frame, PLAN, output=tmp_path / "calm")
    out = tmp_path / "killed"
    job = threading.Thread(target=lambda: with_card(slow(frame, 1), PLAN, output=out))
    job.start()
    wait_until(lambda: list(out.glob(".dprivacy-*/0*")) or not job.is_alive(), step=0.02)
    alive = job.is_alive()
    killed = server.kill_pythons()
    job.join()
    assert alive, "the job was over before anything was killed"
    assert killed > 1  # the one that makes the others, and at least one of these
    assert bytes_of(out) == bytes_of(tmp_path / "calm") != {}


def test_no_value_and_no_key_is_written_anywhere(server, client, tmp_path, fixed):
    people = pa.table({
        "person": [f"TOKEN{k:05d}" for k in range(2000)],
        "answer": ["secret-yes", "secret-no"] * 1000,
    })  # fmt: skip
    pq.write_table(people, tmp_path / "in.parquet")
    values = {"type": "categories", "values": ["secret-yes", "secret-no"], "epsilon": "ln 3"}
    plan = {"columns": {"answer": values}, "unit": "person"}
    for k, frame in enumerate((client.read.parquet(f"{tmp_path}/in.parquet"),) * 2):
        whole = frame if k else frame.where("person is not null")
        with_card(whole, plan, output=tmp_path / f"out{k}")
    written = everything_below(server.folder)
    assert b"MapInArrow" in written  # the places searched are the right ones
    assert b"TOKEN" not in written
    assert b"secret-yes" not in written
    listed = ",".join(str(b - 256 * (b > 127)) for b in KEY[:8])
    coded = [base64.b64encode(b"x" * k + KEY)[4 * (k > 0) : -4] for k in range(3)]
    for form in (KEY, KEY.hex().encode(), *coded, listed.encode()):
        assert form not in written


def test_what_a_client_must_say(client, tmp_path):
    frame = made(client, 100)
    with pytest.raises(Malformed, match="give an output"):
        sanitise(frame, PLAN)
    with pytest.raises(Malformed, match="give its whole path"):
        sanitise(frame, PLAN, output="out")
    with_card(frame, PLAN, output=tmp_path / "out")
    with pytest.raises(Malformed, match="already exists"):
        with_card(frame, PLAN, output=tmp_path / "out")
    bad = frame.replace("cars", MARK, subset=["hobby"])
    before = everything_below(tmp_path)
    with pytest.raises(UnknownCategory, match="column 'hobby', row") as error:
        with_card(bad, PLAN, output=tmp_path / "out", replace=True)
    assert MARK not in str(error.value)
    assert everything_below(tmp_path) == before
    with_card(frame, PLAN, output=tmp_path / "out", replace=True)
    assert len(list(Path(tmp_path / "out").iterdir())) == 2
