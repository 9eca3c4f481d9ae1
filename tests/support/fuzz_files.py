"""Reads hostile files, thousands of them, and prints what should not have happened.

Run as a program, so that a library that crashes takes only this process with it:

    python -m support.fuzz_files {FORMAT | all} SEED HOW_MANY [FOLDER FOR WHAT WENT WRONG]

Allowed is what dprivacy documents, a result or a DPrivacyError of one line, in a second of processor
time and 512 MiB of memory beside what the libraries take; a good plan may take another second for every
million entries of the channels that it describes, and a spreadsheet four, most of them in a process of
its own. Nothing may take five. The last line of each format
says how many files were read and refused, how far the memory grew, and how long the slowest took.
"""

import hashlib
import json
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from dprivacy.errors import DPrivacyError
from dprivacy.mechanisms import (
    geometric,
    hashed_response,
    mechanism_text,
    prefix_rounds,
    projective_response,
    randomised_response,
    subset_response,
    unary_response,
)
from dprivacy.model import Channel, as_channel, as_space, digest, read_prior_file
from dprivacy.release import Plan, Receipt, received
from dprivacy.release.jobs.job_journal import (
    Checkpoint,
    Commit,
    Run,
    Spent,
    _checksum,
    _line,
    parse,
)
from dprivacy.release.plans.release_card import card_text, read_card as open_card
from dprivacy.release.plans.table_card import table_card
from dprivacy.spaces import discrete, line
from dprivacy.store import load
from dprivacy.store.stored_nouns import stored_text
from support.fuzz_codebooks import codebooks
from support.fuzz_rooms import rooms
from support.fuzz_tables import CSV, PLAN, tables
from support.mutations import json_mutant, lines, mutants
from support.programs import of_this_process

CHANNEL = ",a,b,c\nx,1/2,1/4,1/4\ny,0.25,0.5,0.25\nz,1/4,1/4,1/2\n"
SPACE = ",x,y,z\nx,0,1,2\ny,1,0,1\nz,2,1,0\n"
PRIOR = "label,weight\nx,1/2\ny,1/4\nz,0.25\n"

Files = Iterator[bytes]
MOST_MEMORY = 512 << 20  # bytes beside what the libraries take
MOST_SECONDS = 5.0  # of the processor
SECONDS = {"xlsx": 4.0}  # that a file may take, where that is not one


def read_plan(path: Path) -> int:
    """How many entries the channels of a good plan have: they are built and proved on reading."""
    built = [c.mechanism for c in Plan.read(path).columns if c.listed or c.kind == "numbers"]
    channels = [mechanism.channel for mechanism in built if mechanism.channel is not None]
    return sum(channel.matrix.entries.size for channel in channels)


def read_noun(path: Path) -> None:
    load(path)


def read_card(path: Path) -> None:
    card = open_card(path)
    card.explain()
    card.to_dict()
    for name in card.mechanisms:
        _ = card.channel(name) if card.mechanisms[name].get("channel") is not None else None


def read_journal(path: Path) -> None:
    parse(path.read_bytes(), path)


def read_release(path: Path) -> None:
    """A released table, as its receiver opens it; the card lies beside it."""
    release = received(path, card=path.with_name("card.json"))
    for column in ("hobby", "health"):
        release.counts([column])


def read_prior(path: Path) -> None:
    read_prior_file(path, discrete(["x", "y", "z"]))


def mechanism_texts() -> list[str]:
    return [
        mechanism_text(randomised_response(["a", "b", "c"], eps="ln 2")),
        mechanism_text(geometric(line(4), eps="ln 2")),
        mechanism_text(randomised_response(["a", "b"], eps="1/3")),
    ]


def card_texts() -> list[str]:
    return [card_text(table_card(Plan.parse(PLAN.decode()), rows=4, secure=True))]


def journal_lines() -> list[dict[str, Any]]:
    marks = "00" * 32, "11" * 32, "aes"
    run = Run(*marks, True, False, "ab", {"unit": "cd"}, "", "", "", ["", ""], {"numpy": "2"})
    records = [run, Spent({"sequence": 3}), Checkpoint(1, 2, 3, "ef"), Commit("01", "02")]
    return [json.loads(_line(record, b"")[0].split(b"\t")[0]) for record in records]


def sealed_journal(lines: list[Any]) -> bytes:
    """Lines with checksums that fit, whatever they say."""
    data, tag = b"", b""
    for one in lines:
        text = json.dumps(one).encode()
        tag = _checksum(text, tag)
        data += text + b"\t" + tag.hex().encode() + b"\n"
    return data


def journals(rng: random.Random) -> Files:
    good = journal_lines()
    plain = mutants([sealed_journal(good)], rng)
    while True:
        if rng.random() < 0.5:
            yield next(plain)
            continue
        changed = json_mutant(good, rng)
        yield sealed_journal(changed if isinstance(changed, list) else [changed])


def reseal(data: Any) -> Any:
    bare = {key: data[key] for key in ("format", "version", "body")}
    return {**data, "sha256": digest(bare)}


def documents(texts: list[str], rng: random.Random, sealed: Callable[[Any], Any] = reseal) -> Files:
    """JSON: bytes changed, or the structure, with the hashes set right half of the time."""
    seeds = [text.encode() for text in texts]
    parsed = [json.loads(text) for text in texts]
    plain = mutants(seeds, rng)
    while True:
        if rng.random() < 0.4:
            yield next(plain)
            continue
        changed = json_mutant(rng.choice(parsed), rng)
        if rng.random() < 0.8:
            with suppress(TypeError, ValueError, AttributeError, KeyError):
                changed = sealed(changed)
        text = json.dumps(changed, ensure_ascii=rng.random() < 0.5)
        if rng.random() < 0.05 and text.startswith("{"):
            text = text[:-1] + ', "format": "dprivacy.mechanism"}'  # a key twice
        yield text.encode("utf-8", "surrogatepass")


def noun_texts() -> dict[str, list[str]]:
    """Texts of the other nouns that are stored."""
    coin = Channel(["yes", "no"], ["yes", "no"], [["3/4", "1/4"], ["1/4", "3/4"]])
    paid = Receipt("0a" * 16, 3, "0b" * 32, "0c" * 16, "people", "2026-11-16", {"hobby": "ln(3)"})
    asked = prefix_rounds("ab", length=2, eps="ln 3", keep=2, most=9)
    later = asked.after([1, 1, 4, 0])
    return {
        "channel": [stored_text(coin), stored_text(geometric(line(4), eps="ln 2").channel)],
        "space": [stored_text(line(3)), stored_text(discrete(["x", "y"]))],
        "receipt": [stored_text(paid)],
        "local": local_texts(),
        "rounds": [stored_text(asked), stored_text(later), stored_text(later.after([2, 0]))],
    }


def local_texts() -> list[str]:
    """Mechanisms that are stored by their law."""
    return [
        stored_text(subset_response(["a", "b", "c", "d"], eps="ln 2")),
        stored_text(unary_response(range(5), eps=1, kind="symmetric")),
        stored_text(hashed_response(range(30), eps="ln 3")),
        stored_text(projective_response(["a", "b", "c"], eps=2)),
    ]


def formats(rng: random.Random) -> dict[str, tuple[str, Files, Callable[[Path], object]]]:
    """For each format: a file's name, hostile files, and what reads them."""
    channel_json = {
        "rows": ["x", "y"],
        "columns": ["a", "b"],
        "matrix": [["1/2", "1/2"], [0.25, 0.75]],
    }
    return {
        "plan": ("plan.toml", lines([PLAN], rng), read_plan),
        "plan-json": (
            "plan.json", documents([stored_text(Plan.parse(PLAN.decode()))], rng), read_plan,
        ),
        "mechanism": ("m.json", documents(mechanism_texts(), rng), read_noun),
        "card": ("c.card.json", documents(card_texts(), rng), read_card),
        **{
            noun: ("noun.json", documents(texts, rng), read_noun)
            for noun, texts in noun_texts().items()
        },
        "journal": ("journal", journals(rng), read_journal),
        **tables(rng),
        "release": ("out.csv", lines([CSV.encode()], rng), read_release),
        "prior": ("prior.csv", lines([PRIOR.encode()], rng), read_prior),
        "matrix": ("matrix.csv", lines([CHANNEL.encode()], rng), as_channel),
        "matrix-json": (
            "matrix.json",
            documents([json.dumps(channel_json)], rng, lambda data: data),
            as_channel,
        ),
        "distances": ("space.csv", lines([SPACE.encode()], rng), as_space),
        **rooms(rng),
        **codebooks(rng),
    }  # fmt: skip


def main() -> None:
    what, seed, many = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    every = formats(random.Random(seed))
    # Of the address space the libraries alone take gigabytes, most of which they never touch.
    most = of_this_process("VmData") + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    signal.signal(signal.SIGPROF, _too_long)
    for chosen in every if what == "all" else [what]:
        fuzz(chosen, *every[chosen], many)


def fuzz(what: str, name: str, coming: Files, read: Callable[[Path], object], many: int) -> None:
    """Read many hostile files of one format."""
    good = refused = 0
    slowest, before = 0.0, of_this_process("VmRSS")
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=memory) as folder,
        warnings.catch_warnings(action="ignore"),
    ):
        path = Path(folder) / name
        (path.with_name("card.json")).write_text(card_texts()[0])
        for _ in range(many):
            data = next(coming)
            path.write_bytes(data)
            began, allowed = seconds_used(), SECONDS.get(what, 1.0)
            signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
            try:
                found = read(path)
                good += 1
                allowed += found / 1e6 if isinstance(found, int) else 0
            except DPrivacyError as refusal:
                refused += 1
                if not str(refusal).isprintable():
                    complain(
                        data, f"a refusal that cannot be printed: {str(refusal)[:300]!r}", folder
                    )
            except BaseException:
                last = traceback.format_exc().strip().splitlines()
                complain(data, " | ".join(part.strip() for part in last[-5:])[:600], folder)
            signal.setitimer(signal.ITIMER_PROF, 0)
            spent = seconds_used() - began
            slowest = max(slowest, spent)
            if spent > allowed:
                complain(data, f"took {spent:.1f} s", folder)
    peak = max(0, of_this_process("VmHWM") - before) >> 20
    print(f"{what}: {good} {refused} {peak} {slowest:.2f}", flush=True)


def seconds_used() -> float:
    """Seconds of the processor, those of processes that read for this one among them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + used.ru_utime + used.ru_stime


class TooLong(Exception):
    """A file that is still being read after five seconds."""


def _too_long(number: int, frame: Any) -> None:
    raise TooLong


def complain(data: bytes, what: str, folder: str) -> None:
    tag = hashlib.sha256(data).hexdigest()[:12]
    print(f"{tag} {what}".replace(folder, ""), flush=True)
    if len(sys.argv) > 4:
        Path(sys.argv[4], tag).write_bytes(data)


if __name__ == "__main__":
    main()
