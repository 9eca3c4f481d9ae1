"""``dprivacy text``: an obfuscated document, or what attacks find in a corpus before and after."""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.errors import Malformed, PrivacyLeakWarning
from dprivacy.text import (
    Document,
    Embedding,
    author_topic_experiment,
    decode_document,
    obfuscate,
    read_document,
    read_embedding,
)

PATH = click.Path(path_type=Path)
_MOST_FILES = 20_000


@click.command(
    epilog="Examples:\n\ndprivacy text notes.txt --epsilon-per-word 10\n\n"
    "dprivacy text --attack corpus/ --epsilon-per-word 12 --epsilon-per-word 8"
)
@click.argument("document", type=PATH, required=False)
@click.option(
    "--epsilon-per-word",
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
@click.option("-o", "--output", type=PATH, help="Write the noisy document here.")
@click.option("--replace", is_flag=True, help="Replace an existing output.")
@click.option(
    "--attack",
    "corpus",
    type=PATH,
    help="A folder AUTHOR/*.txt or TOPIC/AUTHOR/*.txt to obfuscate and attack.",
)
@click.option("--repetitions", default=5, show_default=True, help="Of the attack.")
@click.option("--adaptive", is_flag=True, help="The attacker noises the known texts too.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
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
    corpus: Path | None,
    repetitions: int,
    adaptive: bool,
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
        _attack(corpus, levels, embedding, noise, repetitions, adaptive, as_json)
        return
    assert document is not None
    if len(levels) > 1:
        raise click.UsageError("A document has one level; several are for --attack.")
    if output is not None and output.exists() and not replace:
        raise Malformed(f"{output} exists; say --replace to replace it")
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", PrivacyLeakWarning)
        noisy = obfuscate(
            _content(document),
            eps=levels[0],
            embedding=embedding,
            noise=noise,
            layout=layout,
            unknown=unknown,
            stop_words=stop_words,
            length=length,
            unprotected=unprotected,
        )
    for warning in heard:
        click.echo(f"warning: {warning.message}", err=True)
    if output is not None:
        _write(output, noisy.text)
    if as_json:
        click.echo(json.dumps(noisy.to_dict(), ensure_ascii=False, indent=2))
    elif output is None:
        click.echo(noisy.text)
    click.echo(noisy.explain(), err=True)


def _content(document: Path) -> str:
    if str(document) != "-":
        return read_document(document)
    return decode_document(sys.stdin.buffer.read(), "standard input")


def _write(output: Path, noisy: str) -> None:
    try:
        output.write_text(f"{noisy}\n", encoding="utf-8")
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
    as_json: bool,
) -> None:
    def tell(step: str) -> None:
        if sys.stderr.isatty():
            click.echo(f"{step} …", err=True)

    found = author_topic_experiment(
        _documents(corpus),
        eps=levels,
        embedding=embedding,
        noise=noise,
        repetitions=repetitions,
        adaptive=adaptive,
        progress=tell,
    )
    click.echo(
        json.dumps(found.to_dict(), ensure_ascii=False, indent=2) if as_json else found.explain()
    )


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
