"""Local mechanisms: reports a second, decoding, and error, beside multi-freq-ldpy and pure-ldp.

All answer the same question at the same ε, in one process, in CPU time. Client: reports for n people.
Server: from reports to estimated shares. The error is the root of the summed squares over all labels.
Both peers draw from generators that can be guessed; ours draws from the system's.

    python bench/bench_local.py
"""

import math
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dprivacy.mechanisms import LocalMechanism, local_plan, unary_response

SIZES = {100: 20_000, 1024: 5_000, 65_536: 100}  # labels, and people for the peers
MANY = 1_000_000
EPS = 1.0
SECONDS = 60  # for one peer on one table

Peer = tuple[str, Callable[[int], Any], Callable[[list[Any]], Any]]
Make = Callable[[int], Peer]


def multi_freq() -> list[Make]:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

    def grr(k: int) -> Peer:
        return (
            "multi-freq-ldpy GRR",
            lambda v: GRR_Client(v, k, EPS),
            lambda r: GRR_Aggregator_MI(r, k, EPS),
        )

    def oue(k: int) -> Peer:
        def estimate(reports: list[Any]) -> Any:
            return UE_Aggregator_MI(np.array(reports), EPS, True)

        return "multi-freq-ldpy OUE", lambda v: UE_Client(v, k, EPS, True), estimate

    def olh(k: int) -> Peer:
        def estimate(reports: list[Any]) -> Any:
            return LH_Aggregator_MI(reports, k, EPS, True)

        return "multi-freq-ldpy OLH", lambda v: LH_Client(v, k, EPS, True), estimate

    def subsets(k: int) -> Peer:
        def estimate(reports: list[Any]) -> Any:
            return SS_Aggregator_MI(reports, k, EPS)

        return "multi-freq-ldpy SS", lambda v: SS_Client(v, k, EPS), estimate

    return [grr, oue, olh, subsets]


def pure() -> list[Make]:
    from pure_ldp.frequency_oracles import hadamard_response, local_hashing, unary_encoding

    same: dict[str, Any] = {"index_mapper": lambda v: v}

    def pair(name: str, k: int, client: Any, server: Any) -> Peer:
        def estimate(reports: list[Any]) -> Any:
            for report in reports:
                server.aggregate(report)
            return np.asarray(server.estimate_all(range(k), suppress_warnings=True)) / len(reports)

        return f"pure-ldp {name}", client.privatise, estimate

    def oue(k: int) -> Peer:
        client = unary_encoding.UEClient(EPS, k, use_oue=True, **same)
        return pair("OUE", k, client, unary_encoding.UEServer(EPS, k, use_oue=True, **same))

    def olh(k: int) -> Peer:
        client = local_hashing.LHClient(EPS, k, use_olh=True, **same)
        return pair("OLH", k, client, local_hashing.LHServer(EPS, k, use_olh=True, **same))

    def fast(k: int) -> Peer:
        client = local_hashing.FastLHClient(EPS, k, 1000, use_olh=True, **same)
        server = local_hashing.FastLHServer(EPS, k, 1000, use_olh=True, **same)
        return pair("fast OLH", k, client, server)

    def hadamard(k: int) -> Peer:
        server = hadamard_response.HadamardResponseServer(EPS, k, **same)
        functions = server.get_hash_funcs()
        client = hadamard_response.HadamardResponseClient(EPS, k, functions, **same)
        return pair("HR", k, client, server)

    return [oue, olh, fast, hadamard]


def ours(mechanism: LocalMechanism, people: Any) -> tuple[float, float, Any]:
    """Client and server seconds, and the estimated shares."""
    first = mechanism.count(mechanism.randomise(people[:10]))
    assert len(first.supports) == len(mechanism.labels)  # tables are made once
    began = time.process_time()
    reports = mechanism.randomise(people)
    drawn = time.process_time()
    counts = mechanism.count(reports)
    held, n = counts.supports, counts.n
    shares = (held / n - float(mechanism.q)) / float(mechanism.p - mechanism.q)
    return drawn - began, time.process_time() - drawn, shares


def compared(k: int, n: int, rng: np.random.Generator) -> None:
    """One table: ours and every peer on the same people."""
    law = 1 / np.arange(1, k + 1) ** 1.1
    people = rng.choice(k, MANY, p=law / law.sum())
    truth = np.bincount(people[:n], minlength=k) / n
    forecast = local_plan(range(k), eps="1", n=n)
    print(
        f"\n{k:,} labels, ε = {EPS}, {n:,} people; forecast error {forecast.best.error:.1f} a count"
    )
    print(f"{'':<46}{'reports/s':>12}{'decoding s':>12}{'error':>9}")

    def say(name: str, client: float, server: float, shares: Any) -> tuple[float, float]:
        off = math.sqrt(((np.asarray(shares, dtype=float) - truth) ** 2).sum())
        print(f"{name:<46}{n / client:>12,.0f}{server:>12.4f}{off:>9.3f}", flush=True)
        return n / client, server * MANY / n

    best = forecast.mechanism
    say(f"dprivacy, {forecast.best.name}", *ours(best, people[:n]))
    if k <= 1024:
        say("dprivacy, unary response", *ours(unary_response(range(k), eps="1"), people[:n]))
    theirs = []
    for make in (*_there(multi_freq), *_there(pure)):
        with _at_most(SECONDS) as too_long:
            name, client, server = make(k)
            began = time.process_time()
            reports = [client(int(v)) for v in people[:n]]
            drawn = time.process_time()
            shares = server(reports)
            found = say(name, drawn - began, time.process_time() - drawn, shares)
            if not name.endswith("GRR"):
                theirs.append(found)
        if too_long:
            print(f"{make.__name__:<46}{too_long[0]}")
    client, server, _ = ours(best, people)
    print(f"{'dprivacy, a million people':<46}{MANY / client:>12,.0f}{server:>12.4f}")
    if theirs:
        rate, decoding = max(each[0] for each in theirs), min(each[1] for each in theirs)
        print(
            "beside the fastest peer of comparable error, a million people (their decoding is scaled "
            f"up, being linear in people): client {MANY / client / rate:.0f}×, decoding "
            f"{decoding / server:.0f}×"
        )


@contextmanager
def _at_most(seconds: int) -> Iterator[list[str]]:
    """Stop what takes longer, or fails, and say so."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    said: list[str] = []
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield said
    except TimeoutError:
        said.append(f"stopped after {seconds} s")
    except Exception as reason:
        said.append(f"fails: {type(reason).__name__}")
    finally:
        signal.alarm(0)


def _there(peers: Callable[[], list[Make]]) -> list[Make]:
    try:
        return peers()
    except ImportError as reason:
        print(f"left out: {reason.name} is not installed")
        return []


def main() -> None:
    warnings.filterwarnings("ignore")
    rng = np.random.default_rng(7)
    for k, n in SIZES.items():
        compared(k, n, rng)


if __name__ == "__main__":
    main()
