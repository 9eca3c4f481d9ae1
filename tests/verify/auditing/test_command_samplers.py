"""Black boxes behind a command line."""

import math
import subprocess
import sys
import threading

import pytest

from dprivacy.errors import Malformed
from dprivacy.verify import audit, command_sampler
from dprivacy.verify.auditing import command_samplers


def python(program: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", f"import sys, time\n{program}", *arguments]


ECHO = "print('\\n'.join([sys.argv[1]] * int(sys.argv[2])))"


def test_a_command_is_audited() -> None:
    coin = (
        "import secrets\nv, n = int(sys.argv[1]), int(sys.argv[2])\n"
        "print('\\n'.join(str(v ^ (secrets.randbelow(4) == 0)) for _ in range(n)))"
    )
    result = audit(
        command_sampler(python(coin, "{value}", "{n}"), numbers=True), [0, 1], samples=8000
    )
    assert 0.8 < result.eps_lower <= math.log(3)
    assert result.repeats is False
    listed = audit(python(ECHO, "{value}", "{n}"), ["yes", "no"], samples=200)
    assert listed.event in ("the output is yes", "the output is no")


def test_values_reach_the_command_unharmed() -> None:
    sampler = command_sampler(python(ECHO, "{value}", "{n}"))
    for value in ("{n}", "a; rm -rf x", "$HOME", "it's", "--help", "naïve"):
        assert sampler(value, 2) == [value, value]
    joined = command_sampler(python("print(sys.argv[1])", "--x={value}/{n}"))
    assert joined("{n}", 1) == ["--x={n}/1"]


def test_numbers_are_read() -> None:
    sampler = command_sampler(python("print('1\\n2.5\\nnan')", "{value}{n}"), numbers=True)
    found = sampler(0, 3)
    assert found[:2] == [1, 2.5]
    assert math.isnan(found[2])


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("print('secret-1'); sys.exit('secret-2')", "failed with status 1"),
        ("print('secret')", "should print 3 lines, one output each, but printed 1"),
        ("sys.stdout.buffer.write(b'\\xff\\n' * 3)", "not UTF-8"),
        ("print('secret\\n' * 3, end='')", "line 1 of the command's output is not a number"),
        ("time.sleep(60)", "took longer than 1 s"),
        (
            "import subprocess as s\ns.Popen([sys.executable, '-c', 'import time; time.sleep(9)'])",
            "took longer than 1 s",
        ),
        ("print('x' * 10**6)", "printed more than 68,608 bytes"),
    ],
)
def test_a_failing_command_is_an_error_that_quotes_nothing(program: str, message: str) -> None:
    most = 1 if "took longer" in message else 600  # on a busy machine a second is soon over
    sampler = command_sampler(python(program, "{value}", "{n}"), numbers=True, timeout=most)
    with pytest.raises(Malformed, match=message) as caught:
        sampler("value", 3)
    assert "secret" not in str(caught.value)


def test_commands_that_cannot_be() -> None:
    with pytest.raises(Malformed, match=r"lack \{n\}"):
        command_sampler(["box", "{value}"])
    with pytest.raises(Malformed, match=r"lack \{value\}"):
        command_sampler(["box", "{n}"])
    with pytest.raises(Malformed, match="a list of texts"):
        command_sampler("box {value} {n}")
    with pytest.raises(Malformed, match="cannot be run"):
        command_sampler(["./no-such-program", "{value}", "{n}"])("a", 1)


def test_nothing_goes_on_after_an_interrupt_while_the_clock_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python waits for threads when it ends: the whole time that the program is given."""
    started: list[subprocess.Popen[bytes]] = []
    clocks: list[threading.Timer] = []

    class Clock(threading.Timer):
        def start(self) -> None:
            clocks.append(self)
            super().start()
            raise KeyboardInterrupt

    class Program(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *given: object, **options: object) -> None:
            super().__init__(*given, **options)  # type: ignore[call-overload]
            started.append(self)

    monkeypatch.setattr(command_samplers, "Timer", Clock)
    monkeypatch.setattr(subprocess, "Popen", Program)
    with pytest.raises(KeyboardInterrupt):
        command_sampler(python("time.sleep(60)", "{value}{n}"))("a", 1)
    assert [program.poll() for program in started] == [-9]
    assert [clock.finished.is_set() and clock.daemon for clock in clocks] == [True]
