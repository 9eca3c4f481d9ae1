"""Reports of sets in the style of RAPPOR: a Bloom filter, a permanent response, a momentary one."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from dprivacy.errors import BadLevel, WrongShape
from dprivacy.hashing.hash_guarantees import PairGuarantee
from dprivacy.hashing.hashes.locality_hash import Bits, Input, Inputs
from dprivacy.hashing.hashes.packed_bits import BitsLike, read_bits
from dprivacy.hashing.hashes.public_randomness import item_words, read_key
from dprivacy.hashing.hashes.set_hash import read_sets
from dprivacy.hashing.pair_guarantees import PairPrivacy
from dprivacy.mechanisms import ChannelMechanism, randomised_response, whole
from dprivacy.model import Channel, Guarantee, Sourced, about
from dprivacy.numbers import Level, as_eps, as_share, ln
from dprivacy.release import PermanentAnswers, person_name, read_people
from dprivacy.sampling import CategoricalSampler, Source
from dprivacy.typing import Label, LevelLike, NumberLike


@dataclass(frozen=True)
class FiniteSets:
    """Sets of items; the distance counts the items that are in one of two sets only."""

    def distance(self, x: Input, z: Input) -> Fraction:
        """The size of the symmetric difference."""
        first, second = read_sets([x, z])
        return Fraction(len(first ^ second))


@dataclass(frozen=True)
class SetReports(Sourced):
    """Noisy Bloom filters of sets.

    Each item sets h public positions of m bits. A *permanent* response at level ε flips each bit once
    and for all; a *momentary* one may flip it again in every report, so that two reports of one person
    do not look alike.

    Parameters
    ----------
    bits, hashes
        m and h.
    key
        The public key from which positions follow.
    response
        The permanent response on a bit.
    momentary
        The channel of the momentary one.
    guarantee
        ε·h for each item in which two sets differ, however many reports are seen.
    source
        Where the noise comes from; the operating system when None.

    Examples
    --------
    >>> reports = set_reports(eps="ln 3", bits=32, key="demo")
    >>> int(reports.filter([{"tea"}]).sum()) <= reports.hashes
    True
    >>> print(reports.between({"tea"}, {"rum"})["by items"].level)
    ln(81)
    >>> kept = reports.permanent([{"tea"}], people=["ann"], secret_key=b"sixteen bytes or more")
    >>> kept.shape, reports.report(kept).shape, reports.bit_channel[0, 1]
    ((1, 32), (1, 32), Fraction(1, 4))
    """

    bits: int
    hashes: int
    key: str
    response: ChannelMechanism
    momentary: Channel
    guarantee: Guarantee
    source: Source | None = None
    family: str = "set_reports"
    channel: ClassVar[None] = None

    @cached_property
    def bit_channel(self) -> Channel:
        """From a bit of the filter to the bit of one report; `estimate` takes the noise out with it."""
        return self.response.channel @ self.momentary

    def filter(self, sets: Inputs) -> Bits:
        """The Bloom filters of some sets, without noise: shape (sets, m)."""
        rows = read_sets(sets)
        items = list(dict.fromkeys(item for row in rows for item in row))
        words = item_words(self.key, "bloom", items, self.hashes) % np.uint64(self.bits)
        places = dict(zip(items, words.astype(np.intp), strict=True))
        found = np.zeros((len(rows), self.bits), dtype=np.uint8)
        for k, row in enumerate(rows):
            for item in row:
                found[k, places[item]] = 1
        return found

    def randomise(self, values: Inputs, *, insecure_seed: int | None = None) -> Bits:
        """One report for every set, with fresh noise throughout.

        For people who report more than once, use `permanent` and `report`: fresh noise spends the
        guarantee anew each time.
        """
        return self._drawn(self.bit_channel, self.filter(values), insecure_seed)

    def permanent(self, sets: Inputs, *, people: Sequence[Label], secret_key: bytes) -> Bits:
        """The permanent bits of every person: the same set gives the same bits again.

        A set that changes is a second secret: what its reports tell comes on top.

        Parameters
        ----------
        sets
            One a person.
        people
            Who each set belongs to.
        secret_key
            At least 16 secret bytes, kept by whoever adds the noise (in the local setting, a key of
            each person's own); whoever has it can take the noise off.
        """
        found = self.filter(sets)
        owned = read_people(people, len(found), "set")
        question = f"set reports: {self.bits} bits, {self.hashes} an item, {self.key}"
        answers = PermanentAnswers(self.response, secret_key, question)
        names = [
            person_name(who, row).decode(errors="surrogatepass") for row, who in enumerate(owned)
        ]
        owners = [f"{place} {name}" for name in names for place in range(self.bits)]
        drawn = answers.draw(found.ravel().astype(np.intp), owners)
        return drawn.reshape(found.shape).astype(np.uint8)

    def report(self, permanent: BitsLike, *, insecure_seed: int | None = None) -> Bits:
        """One momentary report of permanent bits."""
        return self._drawn(self.momentary, read_bits(permanent), insecure_seed)

    def _drawn(self, channel: Channel, bits: Bits, insecure_seed: int | None) -> Bits:
        if bits.shape[1] != self.bits:
            raise WrongShape(
                f"filters should be rows of {self.bits} zeros and ones, not of {bits.shape[1]}"
            )
        sampler = CategoricalSampler(channel.matrix.entries.tolist())
        drawn = sampler.draw(bits.ravel().astype(np.intp), self._source(insecure_seed))
        return np.asarray(drawn, dtype=np.uint8).reshape(bits.shape)

    def between(self, x: Input, z: Input) -> PairPrivacy:
        """What reports guarantee about two sets.

        Returns
        -------
        PairPrivacy
            "one report" (exact), "all reports" (exact) and "by items" (before filters are looked at).
        """
        first, second = self.filter([x, z])
        only_x = int(((first == 1) & (second == 0)).sum())
        only_z = int(((first == 0) & (second == 1)).sum())
        apart = FiniteSets().distance(x, z)
        one = max(
            self._gain(1) * only_x + self._gain(0) * only_z,
            self._gain(0) * only_x + self._gain(1) * only_z,
        )
        ever = self.response.guarantee.eps * (only_x + only_z)
        most = self.guarantee.eps * apart
        differ = f"their filters differ in {only_x + only_z} of {self.bits} bits"
        together = f"all reports of the permanent bits together give at most {about(ever)}"
        items = f"an item sets at most {self.hashes} bits, so that it is at most {about(most)}"
        told = (
            ("one report", one, f"{differ}: one report gives a loss of at most {about(one)}"),
            ("all reports", ever, together),
            ("by items", most, f"{items} whatever the key"),
        )
        return PairPrivacy(
            repr(self),
            "symmetric-difference",
            apart,
            None,
            tuple(
                PairGuarantee(name, level, Fraction(0), words, "T Prop 10.1")
                for name, level, words in told
            ),
        )

    def _gain(self, bit: int) -> Level:
        """The most that one report of a filter's bit speaks for this bit against the other."""
        true, false = self.bit_channel.row(bit), self.bit_channel.row(1 - bit)
        return max(ln(Fraction(true[y]) / Fraction(false[y])) for y in (0, 1) if true[y])

    def __repr__(self) -> str:
        level = about(self.response.guarantee.eps)
        return f"set_reports({self.bits} bits, {self.hashes} an item, ε = {level} a bit)"


def set_reports(
    *,
    eps: LevelLike,
    bits: int,
    hashes: int = 2,
    key: str,
    yes: NumberLike = 1,
    no: NumberLike = 0,
) -> SetReports:
    """Reports of sets of items through a Bloom filter and randomised response.

    Parameters
    ----------
    eps
        The level of the permanent response on each bit (RAPPOR's f is 2/(e^ε + 1)).
    bits
        m, the length of the filter.
    hashes
        h, how many positions an item sets.
    key
        A text that everybody knows: positions follow from it.
    yes, no
        The chance that a report shows 1 where the permanent bit is 1, and where it is 0. By default the
        permanent bit is reported as it is.

    Returns
    -------
    SetReports
        ε·h·|S Δ T|-private for sets S and T, over any number of reports of the permanent bits.

    Examples
    --------
    >>> reports = set_reports(bits=64, key="demo", eps="ln 3", yes="3/4", no="1/4")
    >>> reports.randomise([{"tea", "milk"}, set()]).shape
    (2, 64)
    >>> print(reports.bit_channel.row(1)[1], reports.guarantee.eps)
    5/8 ln(9)
    """
    level, often, seldom = as_eps(eps), as_share(yes, "yes"), as_share(no, "no")
    if seldom >= often:
        raise BadLevel(
            f"no should be less than yes, not {no} against {yes}: reports would reveal nothing"
        )
    momentary = Channel((0, 1), (0, 1), [[1 - seldom, seldom], [1 - often, often]])
    h = whole(hashes, "hashes")
    return SetReports(
        whole(bits, "bits"),
        h,
        read_key(key),
        randomised_response([0, 1], eps=level),
        momentary,
        Guarantee(level * h, FiniteSets(), because=f"T Prop 10.1, {h} bits an item"),
    )
