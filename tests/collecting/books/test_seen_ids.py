"""Ids that were seen: no false "never", sorted runs, and a search of them."""

import secrets

import pytest

from dprivacy.collecting.books.seen_ids import (
    SIZE,
    IdFilter,
    chunks,
    in_sorted,
    joined,
    sorted_run,
    split,
)


def test_the_filter_never_denies_what_was_added_and_rarely_suspects_others():
    some, added, others = (
        IdFilter(),
        secrets.token_bytes(SIZE * 5000),
        secrets.token_bytes(SIZE * 5000),
    )
    some.add(added)
    assert some.maybe(added).all()
    assert some.maybe(others).sum() <= 1


def test_ids_that_differ_in_few_bits_do_not_collide():
    some = IdFilter()
    close = b"".join(n.to_bytes(SIZE, "little") for n in range(4000))
    some.add(close[: len(close) // 2])
    assert some.maybe(close[len(close) // 2 :]).sum() <= 2


def test_a_run_is_sorted_as_bytes_are():
    ids = [bytes(SIZE), b"\xff" * SIZE, b"\x7f" * SIZE, b"\x80" + bytes(15), bytes(15) + b"\x01"]
    run = sorted_run(b"".join(ids))
    assert split(run) == sorted(ids)
    assert joined(ids) == run


@pytest.mark.parametrize("size", [0, 1, 2, 3, 17, 64])
def test_what_is_among_sorted_ids_is_found_and_nothing_else(size):
    ids = [(2 * n + 1).to_bytes(SIZE, "big") for n in range(size)]
    for n in range(2 * size + 2):
        wanted = n.to_bytes(SIZE, "big")
        assert in_sorted(wanted, b"".join(ids)) == (wanted in ids)


def test_a_run_in_pieces_is_all_of_it():
    run = sorted_run(secrets.token_bytes(SIZE * 2500))
    parts = chunks(run)
    assert b"".join(ids for _, ids in parts) == run
    assert len(parts) == 3
    assert all(ids.startswith(first) for first, ids in parts)
