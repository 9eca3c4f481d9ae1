"""The only clocks of the tests: waiting for something, and bounding work by a loop beside it."""

import time
from contextlib import contextmanager
from functools import cache

PATIENCE = 600  # seconds after which what is waited for will not come, however busy the machine


def wait_until(question, seconds=PATIENCE, step=0.05):
    """Ask again and again; what the question answered once that was true, or else its last answer."""
    end = time.monotonic() + seconds
    while not (answer := question()) and time.monotonic() < end:
        time.sleep(step)
    return answer


def pause(seconds):
    """Let something happen of which no sign can be had."""
    time.sleep(seconds)


@cache
def _unit():
    """Processor time of a fixed loop, on this machine and in this process."""
    began = time.process_time()
    sum(str(k).count("7") for k in range(200_000))
    return time.process_time() - began


@contextmanager
def brisk(units=30):
    """Refuse more work than so many fixed loops are, about a second's: never a slow way to say no."""
    unit, began = _unit(), time.process_time()
    yield
    spent = time.process_time() - began
    assert spent < units * unit, f"took {spent:.2f} s, {spent / unit:.0f} fixed loops"
