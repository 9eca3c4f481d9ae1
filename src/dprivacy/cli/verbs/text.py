"""``dprivacy text``: a protected document, or what attacks find in a corpus before and after."""

import sys
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.progress_line import spoken
from dprivacy.errors import BadFile, TooLarge
from dprivacy.release import card_path, charge_of, charged, origin_of, released_document
from dprivacy.text import (
    Document,
    Embedding,
    author_topic_experiment,
    decode_document,
    read_document,
    read_embedding,
    text_mechanism,
)

_MOST_FILES = 20_000


@click.command(
    epilog=shared.examples(
        "dprivacy text notes.txt --epsilon 10",
        "dprivacy text --attack corpus --epsilon 12 --epsilon 8",
    )
)
@click.argument("document", type=shared.PATH, required=False)
@click.option(
    "--epsilon",
    "levels",
    multiple=True,
    required=True,
    help="Level per word and unit of distance; repeatable with --attack.",
)
@click.option(
    "--embedding", "vectors", type=shared.PATH, help="GloVe, word2vec, fastText or .npz vectors."
)
@click.option("--sha256", help="Hash that the file of the embedding must have.")
@click.option(
    "--most-words", default=400_000, help="Maximum number of words to read from the embedding."
)
@shared.one_of(
    "--noise",
    "exponential",
    "laplace",
    help="Exact sampling, or Laplace noise in idealised numerics.",
)
@shared.one_of(
    "--layout", "bag", "text", help="Sorted words, or words in their order (a weaker guarantee)."
)
@shared.one_of(
    "--unknown",
    "replace",
    "drop",
    "refuse",
    help="What to do with words that the vocabulary lacks.",
)
@shared.one_of(
    "--stop-words", "protect", "drop", help='What to do with words such as "the" and "of".'
)
@click.option("--length", type=int, help="Public number of words to fill the document up to.")
@click.option(
    "--unprotected",
    multiple=True,
    type=click.Choice(["stop-words", "numbers", "punctuation", "capitals"]),
    help="Pass this unchanged, outside the guarantee; with --layout text.",
)
@click.option("--person", help="Whose document it is, for an account of persons.")
@shared.output("Noisy document; standard output by default", dash=True)
@shared.REPLACE_NOISE
@shared.LEDGER
@click.option(
    "--attack",
    "corpus",
    type=shared.PATH,
    help="Folder AUTHOR/*.txt or TOPIC/AUTHOR/*.txt to protect and attack.",
)
@click.option("--repetitions", default=5, help="Repetitions of the attack.")
@click.option("--adaptive", is_flag=True, help="Let the attacker add noise to the known texts too.")
@shared.PROGRESS
@shared.JSON
def text(
    document: Path | None,
    levels: tuple[str, ...],
    vectors: Path | None,
    sha256: str | None,
    most_words: int,
    person: str | None,
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
    **settings: Any,  # of the mechanism, under its own names
) -> None:
    """Replace the words of a DOCUMENT (- for standard input) by noisy ones.

    The noisy document goes to standard output and its guarantee to standard error. With --attack, a
    whole corpus is protected and attacked instead.
    """
    if (document is None) == (corpus is None):
        raise click.UsageError("give either a DOCUMENT, or a corpus with --attack")
    embedding = _embedding(vectors, sha256, most_words)
    if corpus is not None:
        with spoken("reading", asked=progress) as told:
            found = author_topic_experiment(
                _documents(corpus),
                eps=levels,
                embedding=embedding,
                noise=settings["noise"],
                repetitions=repetitions,
                adaptive=adaptive,
                progress=told,
            )
        return shared.show(found, as_json)
    assert document is not None
    if len(levels) > 1:
        raise click.UsageError("a document has one level: give --epsilon once, or use --attack")
    if output is not None and str(output) == "-":
        output = None
    shared.refuse_existing(output, replace=replace)
    content = _content(document)
    piped = str(document) == "-"
    secret = content.encode("utf-8", "surrogatepass") if piped else document
    origin = None if piped else origin_of(document, ledger=place, again=again)
    if output is None and origin is not None:
        origin.require_new(Path())
    mechanism = text_mechanism(embedding, eps=levels[0], **settings)
    with (
        shared.spoken_warnings(),
        shared.open_account(place, account) as book,
        charged(
            book,
            charge_of(mechanism),
            secret,
            people=None if person is None else [person],
            published=mechanism.policy.published,
            again=again,
            note="text",
        ) as receipt,
    ):
        noisy = mechanism.protect(content)
        if output is not None:
            changed(released_document(noisy, receipt), origin=origin).save(output, replace=replace)
    if as_json:
        shared.say(noisy.to_dict(), as_json)
    elif output is None:
        click.echo(noisy.text)
    lines = [noisy.explain()]
    if output is not None:
        lines.append(shared.wrote(output, card_path(output)))
    elif place is None:
        lines.append(shared.NO_CARD)
    click.echo("\n".join(lines), err=True)


def _content(document: Path) -> str:
    if str(document) != "-":
        return read_document(document)
    return decode_document(sys.stdin.buffer.read(), "standard input")


def _embedding(vectors: Path | None, sha256: str | None, most_words: int) -> Embedding | None:
    if vectors is not None:
        return read_embedding(vectors, sha256=sha256, most_words=most_words)
    if sha256:
        raise click.UsageError("--sha256 checks the file of --embedding: give both")
    return None


def _documents(corpus: Path) -> list[Document]:
    """The texts of a folder: AUTHOR/*.txt, or TOPIC/AUTHOR/*.txt."""
    if not corpus.is_dir():
        raise BadFile(f"{corpus}: should be a folder of texts, and is not a folder")
    places = sorted(corpus.glob("*/*.txt")) or sorted(corpus.glob("*/*/*.txt"))
    if not places:
        raise BadFile(f"{corpus}: should hold AUTHOR/*.txt or TOPIC/AUTHOR/*.txt, and has neither")
    if len(places) > _MOST_FILES:
        raise TooLarge(
            f"{corpus}: has {len(places):,} texts, more than {_MOST_FILES:,}; give a folder with fewer"
        )
    deep = len(places[0].relative_to(corpus).parts) == 3
    return [
        Document(
            place.parent.name, place.parent.parent.name if deep else None, read_document(place)
        )
        for place in places
    ]
