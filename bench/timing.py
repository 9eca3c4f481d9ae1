"""How long things take: the shortest of a few runs, alternating where there are several."""

import time
from collections.abc import Callable

Clock = Callable[[], float]


def best_of(
    run: Callable[[], object], times: int, clock: Clock = time.process_time
) -> tuple[float, object]:
    """The shortest time of a few runs, and the last answer."""
    spent, answers = best_of_each({"": run}, times, clock)
    return spent[""], answers[""]


def best_of_each(
    runs: dict[str, Callable[[], object]], times: int = 3, clock: Clock = time.process_time
) -> tuple[dict[str, float], dict[str, object]]:
    """The shortest time of each, alternating, and the last answers."""
    spent: dict[str, list[float]] = {name: [] for name in runs}
    answers: dict[str, object] = {}
    for _ in range(times):
        for name, run in runs.items():
            began = clock()
            answers[name] = run()
            spent[name].append(clock() - began)
    return {name: min(each) for name, each in spent.items()}, answers
