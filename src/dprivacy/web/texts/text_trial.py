"""What a level for texts comes to: the whole text first, pairs before and after, what is read back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from dprivacy.errors import BadNumber, BadPlan
from dprivacy.numbers import as_eps
from dprivacy.release import (
    ColumnPlan,
    Plan,
    TextPreview,
    Written,
    preview_texts,
    whole_table,
)
from dprivacy.text import (
    Embedding,
    FormTable,
    PaddedTexts,
    Reconstruction,
    TextCells,
    compare_forms,
    kept_share,
    read_embedding,
    readable_words,
    reconstruct,
    seed_topics,
    small_embedding,
    times,
    unknown_words,
)
from dprivacy.web.shell.number_words import percent

EXAMPLE = """\
Maria Oliveira says the bank took her money twice and wants it back
the letter came too late and the box was open
please send the bill to the new house, not to the old one
the driver lost my card, call me on +44 20 7946 0958
John Smith asks why the price of the ticket is so high
thank you for the kind answer, all is well now
the post office closed before I could send the letter
my brother paid the rent by card and the bank says no
the paper in the box was wet, and the stamp was gone
I want to pay in cash, where is the office
she wrote to anna.k@example.org and got no answer
they sent the wrong box again, I want my money"""
TOPICS = """\
money: money bank pay bill price cash
post: letter box stamp paper office card"""
LEVELS = ("ln 4", "ln 20", "ln 100", "ln 1000")
COLUMN = "text"
_MOST_WORDS = 10_000
_MOST_TEXTS = 400  # that are attacked, so that a page answers soon


@dataclass(frozen=True, eq=False)
class TextTrial:
    """A column of texts as it would be released, and ten pairs of it."""

    column: ColumnPlan
    preview: TextPreview

    @property
    def topical(self) -> bool:
        """Whether a topic is released instead of words."""
        return not isinstance(self.column.mechanism, TextCells)

    @property
    def headline(self) -> str:
        """The level of a whole text, as a number."""
        return self._sentence.split(". ")[0].removesuffix(".")

    @property
    def promise(self) -> str:
        """What goes with that number."""
        return self._sentence.removeprefix(self.headline).lstrip(". ")

    @property
    def _sentence(self) -> str:
        guarantee = self.column.mechanism.guarantee
        if isinstance(guarantee.space, PaddedTexts):
            return guarantee.space.sentence(guarantee.eps)
        return (
            f"Any two texts, however long: {times(guarantee.eps)}. A topic is found in "
            "the text by public words and then noised; nothing else of the text comes out."
        )

    @property
    def warnings(self) -> list[str]:
        """What is said of the share of words that stay, and of those that are unknown."""
        found = [unknown_words(self.preview.unknown)]
        if not self.topical:
            found = [readable_words(kept_share(self.column.mechanism.words)), *found]
        return [f"{words[0].upper()}{words[1:]}." for words in found if words]

    def pairs(self) -> list[list[str]]:
        """Each text with what was found in it between marks, and what it might become."""
        return [[self.preview.marked(k), after] for k, after in enumerate(self.preview.after)]

    @property
    def found(self) -> str:
        """Counts by kind of what was found in the texts that are shown."""
        kinds = ", ".join(f"{kind} {n}" for kind, n in self.preview.counts.items())
        return f"Found in these texts: {kinds or 'nothing'}."


def read_topics(text: str) -> dict[str, list[str]]:
    """Topics as a person writes them: a line for each, its name, a colon and public words.

    Examples
    --------
    >>> read_topics("money: bank, pay")
    {'money': ['bank', 'pay']}
    """
    found = {}
    for line in filter(str.strip, text.splitlines()):
        name, mark, words = line.partition(":")
        if not mark or not name.strip() or not words.strip():
            raise BadPlan('a topic should be a line such as "money: bank pay bill"')
        found[name.strip()] = words.replace(",", " ").split()
    return found


def spec_of(state: Mapping[str, str], vocabulary: Path | None) -> dict[str, Any]:
    """The column as a plan has it."""
    spec: dict[str, Any] = {"type": "text", "keep": state["keep"], "epsilon": state["eps"].strip()}
    spec["nulls"] = "empty"
    if vocabulary is not None:
        spec |= {"vocabulary": str(vocabulary), "most_words": _MOST_WORDS}
    if state["keep"] == "topic":
        return spec | {"topics": read_topics(state["topics"])}
    try:
        length = int(state["length"])
    except ValueError:
        raise BadNumber("the number of words should be a whole number, such as 40") from None
    accepted = {"accept_readable": True} if state.get("accept") else {}
    return spec | {"length": length, **accepted}


def texts_in(path: Path, column: str, **written: Unpack[Written]) -> list[str]:
    """The texts of a table's column; a missing one is empty."""
    found = whole_table(path, [column], **written).column(column).to_pylist()
    return ["" if text is None else str(text) for text in found]


def columns_of(path: Path, **written: Unpack[Written]) -> dict[str, float]:
    """The columns of a table, each with the mean number of characters of its first cells."""
    table = whole_table(path, **written)
    found = {}
    for name in table.column_names:
        cells = [str(cell) for cell in table.column(name).slice(0, 1000).to_pylist() if cell]
        found[name] = sum(map(len, cells)) / max(1, len(cells))
    return found


def tried(
    texts: Sequence[str], state: Mapping[str, str], vocabulary: Path | None = None
) -> TextTrial:
    """Ten texts before and after, with noise that is thrown away.

    Parameters
    ----------
    texts
        The texts, which stay here.
    state
        The settings of the room.
    vocabulary
        A file of vectors that a person brought.
    """
    if not any(text.strip() for text in texts):
        raise BadPlan("write a text on each line, or choose a file of them")
    column = Plan.read({"columns": {COLUMN: spec_of(state, vocabulary)}}).column(COLUMN)
    return TextTrial(column, preview_texts(texts, column))


def read_back(texts: Sequence[str], trial: TextTrial) -> Reconstruction | None:
    """What a reader gets back of the words; None where only topics come out, or texts are too few."""
    if trial.topical or len(texts) < 4:
        return None
    return reconstruct(_some(texts), trial.column.mechanism)


def reading_rows(found: Reconstruction) -> list[list[str]]:
    """The shares of words that are told right, by what the reader knows."""
    named = {
        "predicted, for common words": found.predicted,
        "as they are": found.read,
        "by how common words are": found.unigram,
        "by what follows what": found.bigram,
        "the best, without stop words": found.content,
    }
    return [[name, percent(share)] for name, share in named.items()]


def compared(
    texts: Sequence[str], state: Mapping[str, str], vocabulary: Path | None = None
) -> FormTable:
    """Topics told from a noisy topic and from noisy words: the true ones are those without noise."""
    embedding: Embedding = (
        small_embedding()
        if vocabulary is None
        else read_embedding(vocabulary, most_words=_MOST_WORDS)
    )
    topics, some = read_topics(state["topics"]), _some(texts)
    labels = seed_topics(topics, embedding).read(some)
    length = int(state["length"]) if state["length"].isdigit() else 40
    eps = [state["eps"]] if state["keep"] != "topic" else []
    return compare_forms(
        some, labels, topics, embedding, length=length, levels=list(LEVELS), eps=eps
    )


def form_rows(found: FormTable) -> list[list[str]]:
    """For each level of a whole text the share of topics told right, from a topic and from words."""
    size = len(LEVELS)
    topics, words, more = found.rows[:size], found.rows[size : 2 * size], found.rows[2 * size :]
    return [
        [times(as_eps(level)), percent(topic.right), percent(word.right)]
        for level, topic, word in zip(LEVELS, topics, words, strict=True)
    ] + [[times(as_eps(row.level)), "", percent(row.right)] for row in more]


def _some(texts: Sequence[str]) -> list[str]:
    """At most this many texts, evenly spaced."""
    return list(texts[:: max(1, -(-len(texts) // _MOST_TEXTS))])


def command(state: Mapping[str, str], column: str) -> str:
    """The command that does the same to a file.

    Examples
    --------
    >>> command({"keep": "bag", "eps": "2", "length": "40"}, "message")
    'dprivacy text tickets.csv --column message --epsilon "2" --length 40 -o released.csv'
    """
    name = column if column.isidentifier() else f'"{column}"'
    how = f'dprivacy text tickets.csv --column {name} --epsilon "{state["eps"].strip()}"'
    if state["keep"] == "topic":
        return f"{how} --topics topics.toml -o released.csv"
    order = " --layout text" if state["keep"] == "text" else ""
    return f"{how} --length {state['length']}{order} -o released.csv"
