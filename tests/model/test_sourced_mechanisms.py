"""What every mechanism offers."""

import json
from dataclasses import dataclass

from dprivacy.model import Channel, Guarantee, Mechanism, Sourced, as_channel
from dprivacy.numbers import ln
from dprivacy.sampling import KeyedSource
from dprivacy.spaces import line
from dprivacy.verify import privacy


@dataclass(frozen=True)
class Finite(Sourced):
    channel: Channel
    guarantee: Guarantee
    source: KeyedSource | None = None
    family: str = "finite"

    def randomise(self, values, *, insecure_seed=None):
        return values


def test_the_mechanism_protocol() -> None:
    finite = Finite(as_channel([["2/3", "1/3"], ["1/3", "2/3"]]), Guarantee(ln(2), line(2)))
    assert isinstance(finite, Mechanism)
    assert not isinstance(object(), Mechanism)
    assert privacy(finite, line(2), eps="ln 2")
    keyed = finite.using(KeyedSource(bytes(32)))
    assert keyed.source is not None
    assert keyed.secure
    assert json.loads(json.dumps(finite.to_dict()))["guarantee"]["eps"] == "ln(2)"
