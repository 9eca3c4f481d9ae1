"""Files of permanent keys: the owner's alone, never written over, and of one construction."""

import stat

import pytest

from dprivacy.errors import BadFile, OutputExists
from dprivacy.release import read_permanent_key, write_permanent_key

DIGITS = "0f" * 32


def test_a_new_key_is_drawn_for_its_owner_alone(tmp_path):
    for name in ("one", "two"):
        write_permanent_key(tmp_path / name)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    one, two = (read_permanent_key(tmp_path / name) for name in ("one", "two"))
    assert one != two
    assert len(one) == len(two) == 32
    assert (tmp_path / "one").read_text() == f"dprivacy permanent 3 {one.hex()}\n"


def test_no_key_is_written_over(tmp_path):
    write_permanent_key(tmp_path / "key")
    before = (tmp_path / "key").read_text()
    with pytest.raises(OutputExists, match="another key gives other noise"):
        write_permanent_key(tmp_path / "key")
    assert (tmp_path / "key").read_text() == before
    with pytest.raises(BadFile, match="cannot be written"):
        write_permanent_key(tmp_path / "nowhere" / "key")


@pytest.mark.parametrize(
    "content",
    [
        "",
        DIGITS,
        f"dprivacy permanent 3 {DIGITS[:30]}",
        f"dprivacy permanent 3 {DIGITS}0",
        f"dprivacy permanent 3 {DIGITS}\n{DIGITS}",
        f"permanent 3 {DIGITS}",
        "k" * 32,
        "\xff" * 40,
    ],
)
def test_other_files_are_refused_and_not_shown(content, tmp_path):
    (tmp_path / "key").write_text(content, encoding="latin-1")
    with pytest.raises(BadFile, match="one line, 'dprivacy permanent 3'") as refusal:
        read_permanent_key(tmp_path / "key")
    assert DIGITS[:8] not in str(refusal.value)


def test_a_key_of_another_construction_is_refused(tmp_path):
    (tmp_path / "key").write_text(f"dprivacy permanent 2 {DIGITS}\n")
    with pytest.raises(BadFile, match=r"for noise by 'permanent 2'.* a second draw") as refusal:
        read_permanent_key(tmp_path / "key")
    assert DIGITS[:8] not in str(refusal.value)


def test_what_cannot_be_read_is_named(tmp_path):
    with pytest.raises(BadFile, match="nokey: cannot be read"):
        read_permanent_key(tmp_path / "nokey")
