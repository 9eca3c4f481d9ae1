"""``dprivacy text``: an obfuscated document, or what attacks find in a corpus before and after."""

import os
import sys
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.cli.progress_line import spoken
from dprivacy.cli.shared_options import (
    JSON,
    PATH,
    PROGRESS,
    REPLACE_NOISE,
    examples,
    ledger_options,
    open_account,
    output as output_option,
    refuse_existing,
    say,
    show,
    spoken_warnings,
)
from dprivacy.errors import Malformed
from dprivacy.numbers import as_eps
from dprivacy.release import charged, per_unit
from dprivacy.text import (
    Document,
    Embedding,
    author_topic_experiment,
    decode_document,
    obfuscate,
    read_document,
    read_embedding,
)

_MOST_FILES = 20_000


@click.command(
    epilog=examples(
        "dprivacy text notes.txt --epsilon-per-word 10",
        "dprivacy text --attack corpus --epsilon-per-word 12 --epsilon-per-word 8",
    )
)
@click.argument("document", type=PATH, required=False)
@click.option(
    "--epsilon-per-word",
    "--epsilon",
    "levels",
    multiple=True,
    required=True,
    help="The level per word and unit of distance; several for --attack.",
)
@click.option(
    "--embedding", "vectors", type=PATH, help="GloVe, word2vec, fastText or .npz vectors."
)
@click.option("--sha256", help="The hash that the embedding's file must have.")
@click.option(
    "--most-words",
    default=400_000,
    show_default=True,
    help="Read this many words of the embedding at most.",
)
@click.option(
    "--noise",
    type=click.Choice(["exponential", "laplace"]),
    default="exponential",
    show_default=True,
    help="Exact, or the thesis' Algorithm 2 in idealised numerics.",
)
@click.option(
    "--layout",
    type=click.Choice(["bag", "text"]),
    default="bag",
    show_default=True,
    help="Sorted words, or words in their order (a weaker promise).",
)
@click.option(
    "--unknown",
    type=click.Choice(["replace", "drop", "refuse"]),
    default="replace",
    show_default=True,
    help="What becomes of words that the vocabulary lacks.",
)
@click.option(
    "--stop-words",
    type=click.Choice(["protect", "drop"]),
    default="protect",
    show_default=True,
    help="What becomes of the, of, and their like.",
)
@click.option("--length", type=int, help="A public number of words to fill the document up to.")
@click.option(
    "--unprotected",
    multiple=True,
    type=click.Choice(["stop-words", "numbers", "punctuation", "capitals"]),
    help="Pass this as it is, outside of the guarantee; with --layout text.",
)
@output_option("Write the noisy document here", dash=True)
@REPLACE_NOISE
@ledger_options
@click.option(
    "--attack",
    "corpus",
    type=PATH,
    help="A folder AUTHOR/*.txt or TOPIC/AUTHOR/*.txt to obfuscate and attack.",
)
@click.option("--repetitions", default=5, show_default=True, help="Of the attack.")
@click.option("--adaptive", is_flag=True, help="The attacker noises the known texts too.")
@PROGRESS
@JSON
def text(
    document: Path | None,
    levels: tuple[str, ...],
    vectors: Path | None,
    sha256: str | None,
    most_words: int,
    noise: Any,
    layout: str,
    unknown: str,
    stop_words: str,
    length: int | None,
    unprotected: tuple[str, ...],
    output: Path | None,
    replace: bool,
    place: str | None,
    account: str,
    again: str | None,
    corpus: Path | None,
    repetitions: int,
    adaptive: bool,
    progress: bool,
    as_json: bool,
) -> None:
    """Replace the words of a DOCUMENT (- for standard input) by noisy ones.

    The noisy document goes to standard output, what it guarantees to standard error; the counts for you
    alone are in the latter only. With --attack, a whole corpus is obfuscated and attacked instead.
    """
    if (document is None) == (corpus is None):
        raise click.UsageError("Name a document, or a corpus with --attack.")
    embedding = _embedding(vectors, sha256, most_words)
    if corpus is not None:
        _attack(corpus, levels, embedding, noise, repetitions, adaptive, progress, as_json)
        return
    assert document is not None
    if len(levels) > 1:
        raise click.UsageError("A document has one level; several are for --attack.")
    if output is not None and str(output) == "-":
        output = None
    refuse_existing(output, replace=replace)
    content = _content(document)
    charge = per_unit(
        "document",
        f"words of {'the small embedding' if embedding is None else embedding.sha256}",
        "per word and unit of distance",
        as_eps(levels[0]),
    )
    with (
        spoken_warnings(),
        open_account(place, account) as book,
        charged(book, charge, content.encode("utf-8", "surrogatepass"), again=again, note="text"),
    ):
        noisy = obfuscate(
            content,
            eps=levels[0],
            embedding=embedding,
            noise=noise,
            layout=layout,
            unknown=unknown,
            stop_words=stop_words,
            length=length,
            unprotected=unprotected,
        )
    if output is not None:
        _write(output, noisy.text)
    if as_json:
        say(noisy.to_dict(), as_json)
    elif output is None:
        click.echo(noisy.text)
    click.echo(noisy.explain(), err=True)


def _content(document: Path) -> str:
    if str(document) != "-":
        return read_document(document)
    return decode_document(sys.stdin.buffer.read(), "standard input")


def _write(output: Path, noisy: str) -> None:
    """A file that is there as a whole or not at all, and that only its owner can read."""
    part = output.with_name(f".{output.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(f"{noisy}\n".encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, output)
    except OSError as reason:
        raise Malformed(f"{output}: cannot be written ({reason.strerror})") from None


def _embedding(vectors: Path | None, sha256: str | None, most_words: int) -> Embedding | None:
    if vectors is not None:
        return read_embedding(vectors, sha256=sha256, most_words=most_words)
    if sha256:
        raise click.UsageError("--sha256 is about a file of --embedding.")
    return None


def _attack(
    corpus: Path,
    levels: tuple[str, ...],
    embedding: Embedding | None,
    noise: Any,
    repetitions: int,
    adaptive: bool,
    progress: bool,
    as_json: bool,
) -> None:
    with spoken("reading", asked=progress) as told:
        found = author_topic_experiment(
            _documents(corpus),
            eps=levels,
            embedding=embedding,
            noise=noise,
            repetitions=repetitions,
            adaptive=adaptive,
            progress=told,
        )
    show(found, as_json)


def _documents(corpus: Path) -> list[Document]:
    """The texts of a folder: AUTHOR/*.txt, or TOPIC/AUTHOR/*.txt."""
    if not corpus.is_dir():
        raise Malformed(f"{corpus}: is no folder")
    places = sorted(corpus.glob("*/*.txt")) or sorted(corpus.glob("*/*/*.txt"))
    if not places:
        raise Malformed(f"{corpus}: has neither AUTHOR/*.txt nor TOPIC/AUTHOR/*.txt in it")
    if len(places) > _MOST_FILES:
        raise Malformed(f"{corpus}: has more than {_MOST_FILES:,} texts; take a part of them")
    deep = len(places[0].relative_to(corpus).parts) == 3
    return [
        Document(
            place.parent.name, place.parent.parent.name if deep else None, read_document(place)
        )
        for place in places
    ]
