"""Mechanisms as stored data: everything that is needed to prove them private again."""

from typing import Any

from dprivacy.errors import BadFile, NotApplicable, NotPrivate
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, is_tight
from dprivacy.model import (
    Guarantee,
    channel_body,
    channel_from,
    level_body,
    plain,
    read_document,
    rebuilt,
    require_keys,
    space_body,
    space_from,
    write_document,
)
from dprivacy.numbers import as_delta, as_eps
from dprivacy.verify import privacy

VERSION = 1
_LARGEST_EPS = 10**7


def mechanism_body(mechanism: ChannelMechanism) -> dict[str, Any]:
    """A finite mechanism as plain data: its channel, its space and what it guarantees."""
    if not mechanism.space.exact:
        raise NotApplicable(
            f"{mechanism!r} has distances in doubles; only mechanisms on exact distances are stored"
        )
    guarantee = mechanism.guarantee
    given = plain(mechanism.parameters).items()
    return {
        "family": mechanism.family,
        "channel": channel_body(mechanism.channel),
        "space": space_body(mechanism.space),
        "guarantee": {
            "eps": level_body(guarantee.eps, "ε"),
            "delta": str(guarantee.delta),
            "because": guarantee.because,
            "unit": guarantee.unit,
        },
        "parameters": {key: v if isinstance(v, str | int) else str(v) for key, v in given},
    }


def mechanism_from(body: dict[str, Any], *, name: str = "the mechanism") -> ChannelMechanism:
    """The mechanism of a body, proved again from its integers.

    Whoever repairs a file's hash is found out here: an ε or δ below what the integers need is
    refused.

    Raises
    ------
    BadFile
        For a body that is not a mechanism's.
    NotPrivate
        When the guarantee does not hold.
    """
    kinds: dict[str, type] = {
        "family": str,
        "channel": dict,
        "space": dict,
        "guarantee": dict,
        "parameters": dict,
    }
    require_keys(body, kinds, {}, name)
    claim = body["guarantee"]
    require_keys(claim, dict.fromkeys(("eps", "delta", "because", "unit"), str), {}, name)
    if any(type(value) not in (str, int, bool) for value in body["parameters"].values()):
        raise BadFile(f"{name}: parameters should be stored as text or whole numbers")
    channel, space = channel_from(body["channel"], name=name), space_from(body["space"], name=name)
    if not channel.exact or not space.exact:
        raise BadFile(f"{name}: a mechanism is stored with exact numbers, this one has doubles")
    if [*map(repr, channel.rows)] != [*map(repr, space.labels)]:  # True is not 1
        raise BadFile(f"{name}: the inputs of the channel are not the points of the space")
    eps, delta = as_eps(claim["eps"]), as_delta(claim["delta"])
    if eps > _LARGEST_EPS:
        raise BadFile(
            f"{name}: ε = {claim['eps']} protects nothing; at most {_LARGEST_EPS:,} is read"
        )
    verdict = privacy(channel, space, eps=eps, delta=delta)
    if not verdict:
        why = " ".join(verdict.explain().splitlines())
        raise NotPrivate(f"the stored integers break the stored guarantee. {why}")
    guarantee = Guarantee(eps, space, delta, claim["because"], claim["unit"])
    tight = is_tight(verdict, guarantee)
    return ChannelMechanism(body["family"], channel, guarantee, tight, body["parameters"])


def mechanism_text(mechanism: ChannelMechanism) -> str:
    """The text of a mechanism's file."""
    return write_document("mechanism", VERSION, mechanism_body(mechanism))


def read_mechanism(text: str, *, name: str = "the mechanism") -> ChannelMechanism:
    """The mechanism in the text of a file, proved again."""
    document = read_document(text, name=name)
    if (document.noun, document.version) != ("mechanism", VERSION):
        raise BadFile(
            f"{name}: holds dprivacy.{document.noun}, version {document.version}, and a mechanism of "
            f"version {VERSION} is needed"
        )
    found: ChannelMechanism = rebuilt(mechanism_from, document.body, name)
    return found
