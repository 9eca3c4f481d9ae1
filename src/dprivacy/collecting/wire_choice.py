"""Which wire a mechanism has."""

import json
from typing import Any

from dprivacy.collecting.report_wire import MOST_SLOTS, NumberWire, OutputWire, Wire
from dprivacy.collecting.set_wires import BitsWire, ListWire
from dprivacy.errors import BadFile, NotApplicable, TooLarge, WrongKind
from dprivacy.mechanisms import ChannelMechanism, HyperplaneReports, LocalMechanism
from dprivacy.store import from_text


def wire_of(mechanism: Any, text: str = "") -> Wire:
    r"""How the reports of a mechanism travel, and what is kept of them.

    Parameters
    ----------
    mechanism
        A local mechanism, or one with a channel.
    text
        The file that it was read from; devices are given it as it is.

    Examples
    --------
    >>> from dprivacy.mechanisms import unary_response
    >>> wire = wire_of(unary_response(["tea", "coffee", "milk"], eps="ln 3"))
    >>> wire.read(["05"]), wire.read(["08"]), list(wire.added([bytes([5])]))
    ([b'\x05'], None, [(5, 1)])
    """
    found = json.loads(text)["sha256"] if text else ""
    kind: type[Wire]
    if isinstance(mechanism, ChannelMechanism):
        kind = OutputWire
        if any(min(column) == 0 < max(column) for column in mechanism.channel.matrix.entries.T):
            raise NotApplicable(
                f"{mechanism!r} has outputs that some answers never give, so that one report would "
                "rule these out; devices refuse it"
            )
    elif not isinstance(mechanism, LocalMechanism):
        raise WrongKind(
            "a collection needs a mechanism with finitely many reports, not "
            f"{type(mechanism).__name__}"
        )
    elif isinstance(mechanism.reports, HyperplaneReports):
        kind = NumberWire
    else:
        kind = BitsWire if mechanism.family == "unary_response" else ListWire
    wire = kind(mechanism, found, text)
    if wire.slots > MOST_SLOTS:
        raise TooLarge(
            f"{mechanism!r} would keep {wire.slots:,} counters; at most {MOST_SLOTS:,} are kept"
        )
    return wire


def read_wire(text: str, *, name: str = "the mechanism") -> Wire:
    """How the reports of a mechanism travel that a file holds; it is proved again."""
    mechanism = from_text(text, name=name)
    if not isinstance(mechanism, ChannelMechanism | LocalMechanism):
        raise BadFile(f"{name}: holds {type(mechanism).__name__}, and a mechanism is needed")
    return wire_of(mechanism, text)
