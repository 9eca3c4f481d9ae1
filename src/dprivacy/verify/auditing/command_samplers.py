"""Black boxes behind a command line: run it, read one output a line."""

import math
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Event, Timer
from typing import Any

from dprivacy.errors import BadFile, BadNumber, NotApplicable, WrongKind, WrongShape
from dprivacy.model import Mechanism

Sampler = Callable[[Any, int], Any]
SamplerLike = Sampler | Mechanism | Sequence[str]

_LONGEST_LINE = 1024  # bytes a line that are read on average, at most


def command_sampler(
    command: Sequence[str], *, timeout: float = 600.0, numbers: bool = False
) -> Sampler:
    r"""A sampler that runs a command and reads one output a line from its standard output.

    Parameters
    ----------
    command
        The program and its arguments. ``{value}`` and ``{n}`` in an argument are replaced by the input
        and by the number of outputs wanted. No shell is involved, so nothing needs quoting.
    timeout
        Seconds after which the command is stopped, and the audit with it.
    numbers
        Read outputs as numbers (so that intervals can be tried) instead of as text.

    Returns
    -------
    callable
        ``sampler(value, n)``, for `audit`.

    Raises
    ------
    NotApplicable, BadFile, WrongShape
        The template lacks ``{value}`` or ``{n}``; or, when it is called, the command fails, takes too
        long, or does not print n lines. The message never quotes what the command printed.

    Examples
    --------
    >>> import sys
    >>> program = "import sys; print('\\n'.join(sys.argv[1:2] * int(sys.argv[2])))"
    >>> sampler = command_sampler([sys.executable, "-c", program, "{value}", "{n}"])
    >>> sampler("yes", 3)
    ['yes', 'yes', 'yes']
    """
    if isinstance(command, str) or not all(isinstance(part, str) for part in command):
        raise WrongKind(
            f"the command should be a list of texts, the program first, not {command!r}"
        )
    template = list(command)
    for hole in ("{value}", "{n}"):
        if not any(hole in part for part in template[1:]):
            raise NotApplicable(
                f"the command's arguments lack {hole}; write it where the program takes "
                f"{'the input' if hole == '{value}' else 'the number of outputs'}"
            )

    def sample(value: Any, n: int) -> list[Any]:
        # One pass a placeholder, in this order, so that a value that looks like {n} stays itself.
        filled = [
            str(value).join(part.replace("{n}", str(n)) for part in argument.split("{value}"))
            for argument in template
        ]
        lines = _run(filled, timeout, _LONGEST_LINE * n + 65536).splitlines()
        if len(lines) != n:
            raise WrongShape(
                f"the command {template[0]!r} should print {n} lines, one output each, but printed "
                f"{len(lines)}"
            )
        return [_number(line, k) for k, line in enumerate(lines)] if numbers else lines

    return sample


def _run(command: list[str], timeout: float, most: int) -> str:
    """The command's standard output; its process group is ended at the timeout or past `most` bytes."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as reason:
        raise BadFile(f"the command {command[0]!r} cannot be run: {reason.strerror}") from None
    late = Event()

    def stop() -> None:
        late.set()
        _end(process)

    timer = Timer(timeout, stop)
    timer.daemon = True
    assert process.stdout is not None
    try:  # Ctrl-C may come at any point from here on
        timer.start()
        with process.stdout:
            printed = process.stdout.read(most + 1)
        if len(printed) > most:
            _end(process)
        status = process.wait()
    finally:
        timer.cancel()
        process.stdout.close()
        if process.poll() is None:
            _end(process)
            process.wait()
    if late.is_set():
        raise BadFile(f"the command {command[0]!r} took longer than {timeout:g} s and was stopped")
    if len(printed) > most:
        raise BadFile(
            f"the command {command[0]!r} printed more than {most:,} bytes; it was stopped"
        )
    if status:
        raise BadFile(f"the command {command[0]!r} failed with status {status}")
    try:
        return printed.decode("utf-8")
    except UnicodeDecodeError:
        raise BadFile(f"the command {command[0]!r} printed text that is not UTF-8") from None


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the process and, where there are process groups, whatever it started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass


def _number(line: str, k: int) -> int | float:
    text = line.strip()
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise BadNumber(f"line {k + 1} of the command's output is not a number") from None


def as_sampler(source: SamplerLike) -> Sampler:
    """A sampler from a function (value, n), or from a mechanism with `randomise`."""
    randomise = getattr(source, "randomise", None)
    if randomise is not None:
        return lambda value, n: randomise([value] * n)
    if callable(source):
        return source
    if isinstance(source, list | tuple):
        return command_sampler(source)
    raise WrongKind(
        "a sampler is a function of (value, n), a mechanism, or a command as a list of texts, not "
        f"{type(source).__name__}"
    )


def drawn(sampler: Sampler, value: Any, n: int) -> Any:
    """n outputs of the sampler, checked to be that many."""
    outputs = sampler(value, n)
    if not isinstance(outputs, Iterable) or isinstance(outputs, str | bytes | Mapping):
        raise WrongKind(
            f"the sampler should return a list or an array of {n} outputs, not "
            f"{type(outputs).__name__}"
        )
    if not hasattr(outputs, "__len__"):
        outputs = list(outputs)
    if len(outputs) != n:
        raise WrongShape(f"the sampler was asked for {n} outputs and gave {len(outputs)}")
    return outputs


def coincidence(shares: Any, n: int) -> float:
    """The probability that n independent outputs repeat n others, for the given shares."""
    collision = math.fsum(float(share) ** 2 for share in shares)
    return float(min(1.0, collision) ** n)
