"""The surface as a person uses it, under `mypy --strict`; a test also runs it.

Every function of the façade is called once, with the kinds of argument that people have at hand, and
what comes back is used as its type says.
"""

from fractions import Fraction
from pathlib import Path
from typing import assert_type

import dprivacy as dp
from dprivacy.typing import Number


def spaces_and_distributions() -> None:
    hobby: dp.FiniteSpace = dp.discrete(["sports", "cars", "reading"])
    for space in (dp.line(4), dp.grid(2, 2), dp.grid(2, 2, metric="manhattan", step="1/2")):
        assert_type(space, dp.FiniteSpace)
    dp.graph([("a", "b"), ("b", "c")])
    dp.points([[0, 0], [3, 4]], labels=["home", "work"])
    dp.product(hobby, dp.line(2))
    assert_type(dp.as_space("grid:2x2:chebyshev"), dp.FiniteSpace)
    prior: dp.Dist = dp.uniform(hobby)
    channel = dp.as_channel(
        [["3/4", "1/4"], ["1/4", "3/4"]], rows=["yes", "no"], columns=["yes", "no"]
    )
    assert_type(dp.push(channel, prior={"yes": "1/3", "no": "2/3"}), dp.Hyper)
    assert_type(prior >> dp.as_channel([[1, 0], [0, 1], [1, 0]], rows=hobby.labels), dp.Hyper)


def mechanisms() -> list[dp.Mechanism]:
    return [
        dp.randomised_response(["yes", "no"], eps=dp.ln(3)),
        dp.geometric(range(5), eps="ln 2"),
        dp.exponential(dp.grid(2, 2), eps=1),
        dp.any_metric("cube:2", eps=Fraction(1, 2)),
        dp.laplace(0, 10, eps="1/2", grid=1),
        dp.planar_laplace(eps=0.5),
        dp.vector_laplace(3, eps=1, numerics="idealised"),
    ]


def guarantees() -> None:
    response = dp.randomised_response(["yes", "no"], eps="ln 3")
    verdict: dp.Verdict = dp.privacy(response, eps="ln 3", delta=0)
    words: str = verdict.explain()
    assert words.startswith("Yes")
    level: dp.Level | float = dp.smallest_eps(response)
    assert level == dp.ln(3)
    assert_type(dp.distinguishability(response), dp.FiniteSpace)
    answers: list[dp.Answer] = [
        dp.privacy_profile(response),
        dp.exactly([[0.75, 0.25], [0.25, 0.75]], "discrete:2"),
        dp.audit(response, ["yes", "no"], samples=1000),
    ]
    assert all(answer.explain() and answer.to_dict() for answer in answers)


def adversaries() -> None:
    coin = [["3/4", "1/4"], ["1/4", "3/4"]]
    number: Number = dp.leakage(coin, prior=["1/2", "1/2"], gain="bayes")
    assert number == Fraction(3, 2)
    half: Number = dp.vulnerability([0.5, 0.5])
    assert half == 0.5
    assert dp.capacity(coin) == Fraction(3, 2)
    assert dp.vulnerability(dp.uniform(["a", "b"]), gain=dp.gain.identity(["a", "b"])) == Fraction(
        1, 2
    )
    verdict: dp.Verdict = dp.refines(coin, [["1/2", "1/2"], ["1/2", "1/2"]], by="average")
    assert verdict


def design_and_estimation() -> None:
    best: dp.Answer = dp.optimal(dp.line(3), eps="ln 2", prior=None, loss="metric")
    assert best.exact
    remapped: dp.Answer = dp.remap(dp.geometric(range(3), eps="ln 2"), prior=["1/2", "1/4", "1/4"])
    assert remapped.explain()
    assert dp.universally_optimal(dp.geometric(range(3), eps="ln 2"), eps="ln 2").explain()
    response = dp.randomised_response(["yes", "no"], eps="ln 3")
    assert dp.estimate(response, ["yes", "no", "yes", "yes"]).explain()


def releases(folder: Path) -> None:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

    plan = {
        "columns": {"smokes": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}
    }
    released = dp.sanitise(pa.table({"smokes": ["yes", "no"]}), plan)
    card: dp.Card = released.card
    assert card.holds
    released.save(folder / "released.csv")
    assert dp.query(folder / "released.csv", "SELECT count(*) FROM data").explain()
    dp.save(dp.line(3), folder / "line.json")
    assert dp.load(folder / "line.json") == dp.line(3)
