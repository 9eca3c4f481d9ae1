"""``dprivacy text``: protected texts, or what attacks find in them before and after."""

import sys
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.progress_line import spoken
from dprivacy.cli.standard_input import held
from dprivacy.cli.verbs.worded.text_tables import (
    TextTable,
    is_table,
    plan_data,
    plan_toml,
    protect,
    settings as text_settings,
    show_attack,
    show_preview,
)
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
    without_names,
)

_MOST_FILES, _MOST_WORDS = 20_000, 400_000


@click.command(
    epilog=shared.examples(
        "dprivacy text notes.txt --epsilon 10",
        "dprivacy text tickets.csv --column message --length 9 --epsilon 2 -o out.csv",
        "dprivacy text --attack corpus --epsilon 12 --epsilon 8",
    )
)
@click.argument("document", type=shared.PATH, required=False)
@click.option(
    "--epsilon",
    "levels",
    multiple=True,
    help="Level per word and unit of distance; repeatable with --attack.",
)
@click.option(
    "--embedding", "vectors", type=shared.PATH, help="GloVe, word2vec, fastText or .npz vectors."
)
@click.option("--sha256", help="Hash that the file of the embedding must have.")
@click.option(
    "--most-words",
    type=int,
    help="Maximum number of words to read from the embedding; 10,000 for columns.",
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
@click.option("--length", type=int, help="Public number of words of a text; needed for columns.")
@click.option("--column", help="Column, or field of JSON lines, that holds the texts of a table.")
@click.option("--level", "whole", help="Level of a whole text, instead of --epsilon; for columns.")
@click.option(
    "--topics",
    type=shared.PATH,
    help='Release topics instead: label = ["word", …] in TOML, or weights of words in .csv.',
)
@click.option("--drop", multiple=True, help="Column to leave out; repeatable.")
@click.option("--pass-through", multiple=True, help="Column to publish as it is; repeatable.")
@click.option("--glob", "pattern", default="**/*.txt", help="Texts of a folder.")
@click.option("--names", type=shared.PATH, help="File of more names to look for.")
@click.option(
    "--accept-readable", is_flag=True, help="Release texts of which most words stay as they are."
)
@click.option("--preview", is_flag=True, help="Show ten texts before and after; write nothing.")
@click.option("--print-plan", is_flag=True, help="Print the plan of the column; write nothing.")
@click.option("--resume", is_flag=True, help="Continue a table or folder that stopped.")
@click.option("--discard", is_flag=True, help="Discard one that stopped, and draw new noise.")
@click.option(
    "--form", type=click.Choice(["txt", "csv", "jsonl"]), help="What standard input (-) holds."
)
@shared.TABLE
@click.option("--public", type=shared.PATH, help="Texts that the attacker has, with --attack.")
@click.option("--member", help="Name to be told in texts that have it or not, with --attack.")
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
    help="Folder AUTHOR/*.txt or TOPIC/AUTHOR/*.txt to attack; a table with --column is read back.",
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
    most_words: int | None,
    column: str | None,
    whole: str | None,
    topics: Path | None,
    drop: tuple[str, ...],
    pass_through: tuple[str, ...],
    pattern: str,
    names: Path | None,
    accept_readable: bool,
    preview: bool,
    print_plan: bool,
    resume: bool,
    discard: bool,
    form: str | None,
    public: Path | None,
    member: str | None,
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
    """Replace the words of a DOCUMENT (- for standard input) by noisy ones, or by a noisy topic.

    A table or a file of JSON lines with --column, and a folder of texts, give a copy of the same shape
    with a card. A single document goes to standard output and its guarantee to standard error. With
    --attack, texts are protected and attacked instead.
    """
    if (document is None) == (corpus is None):
        raise click.UsageError("give either a DOCUMENT, or a corpus with --attack")
    written = {key: settings.pop(key) for key in shared.WRITTEN}
    asked = document or corpus
    assert asked is not None
    if str(asked) == "-" and (column is not None or form in ("csv", "jsonl")):
        if column is None or form not in ("csv", "jsonl"):
            raise click.UsageError(
                "texts from standard input need --column and --form csv or jsonl"
            )
        asked = held(True, click.get_current_context(), f".{form}")
    if column is not None or (document is not None and document.is_dir()):
        where = TextTable(asked, column or "text", pattern, written)
        listed = {"drop": drop, "pass_through": pass_through}
        how = {key: settings[key] for key in ("layout", "unknown", "stop_words", "length")}
        every = [
            plan_data(
                text_settings(
                    level=level, whole=whole, vectors=vectors, sha256=sha256, most_words=most_words,
                    topics=topics, names=names, accept_readable=accept_readable, **how,
                ),
                where,
                **listed,
            )
            for level in levels or (None,)
        ]  # fmt: skip
        if corpus is not None:
            return show_attack(where, public, every, member, as_json=as_json)
        if len(every) > 1:
            raise click.UsageError("texts have one level: give --epsilon once, or use --attack")
        if print_plan:
            return click.echo(plan_toml(every[0]))
        if preview:
            return show_preview(where, every[0], terminal=sys.stdout.isatty())
        if output is None:
            raise click.UsageError("a table or folder of texts needs an output: -o FILE")
        with shared.spoken_warnings(), shared.open_account(place, account) as book:
            released, told_where = protect(
                where, every[0], output, ledger=book, again=again, replace=replace, resume=resume,
                discard=discard, progress=progress,
            )  # fmt: skip
        return shared.say(released.to_dict(), as_json, f"{released.explain()}\n\n{told_where}")
    if document is not None and is_table(document):
        raise click.UsageError(
            f"{document.name} is a table: say which column holds the texts, --column NAME"
        )
    if not levels:
        raise click.UsageError("--epsilon is needed, the level per word and unit of distance")
    embedding = _embedding(vectors, sha256, most_words)
    if corpus is not None:
        with spoken("reading", asked=progress) as told:
            found = author_topic_experiment(
                _documents(corpus, written["encoding"]),
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
    content = _content(document, written["encoding"])
    piped = str(document) == "-"
    secret = content.encode("utf-8", "surrogatepass") if piped else document
    origin = None if piped else origin_of(document, ledger=place, again=again)
    if output is None and origin is not None:
        origin.require_new(Path())
    mechanism = text_mechanism(without_names(embedding), eps=levels[0], **settings)
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


def _content(document: Path, encoding: str | None) -> str:
    if str(document) != "-":
        return read_document(document, encoding=encoding)
    return decode_document(sys.stdin.buffer.read(), "standard input", encoding=encoding)


def _embedding(
    vectors: Path | None, sha256: str | None, most_words: int | None
) -> Embedding | None:
    if vectors is not None:
        return read_embedding(vectors, sha256=sha256, most_words=most_words or _MOST_WORDS)
    if sha256:
        raise click.UsageError("--sha256 checks the file of --embedding: give both")
    return None


def _documents(corpus: Path, encoding: str | None) -> list[Document]:
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
            place.parent.name,
            place.parent.parent.name if deep else None,
            read_document(place, encoding=encoding),
        )
        for place in places
    ]
