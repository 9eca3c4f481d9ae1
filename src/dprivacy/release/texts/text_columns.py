"""What a plan says of a column of texts, and the mechanism that follows from it."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from dprivacy.errors import BadFile, BadPlan, DPrivacyError, NotApplicable, UnknownName
from dprivacy.mechanisms import randomised_response
from dprivacy.model import Guarantee, file_text
from dprivacy.numbers import as_eps, as_level
from dprivacy.sampling import Source
from dprivacy.spaces import discrete
from dprivacy.text import (
    KINDS,
    LONGEST,
    Embedding,
    NameLists,
    PaddedTexts,
    TextCells,
    TopicReader,
    name_lists,
    read_embedding,
    read_kinds,
    read_names,
    read_topics,
    seed_topics,
    small_embedding,
    text_cells,
    vocabulary_hash,
    weighed_topics,
    word_floor,
)

KEEPS = ("bag", "text", "topic")
_WORDS = {"length", "level", "long", "find", "names", "unknown", "stop_words", "accept_readable"}
_TOPICS = {"topics", "classifier", "weights"}
_FILES = {"vocabulary", "most_words", "sha256", "measured", "names_sha256"}
TEXT_SETTINGS = {"keep", *_WORDS, *_TOPICS, *_FILES}
MOST_WORDS = 10_000  # that are read of a vocabulary, if the plan says nothing
_MEASURED = {  # what is measured of a vocabulary, and how it is written
    "words": "[0-9]{1,6}",
    "diameter": "[0-9]{1,400}(/[1-9][0-9]{0,399})?",
    "near": r"[0-9]{1,40}(\.[0-9]{1,40})?(e-?[0-9]{1,2})?",
    "hash": "[0-9a-f]{24}",
}
_SHA256 = re.compile("[0-9a-f]{64}")
_NARROWEST, _WIDEST = Fraction(1, 10**30), Fraction(10**30)
_LARGEST = 1 << 24  # bytes of a classifier
_REMEMBERED = 8


class _Files(dict[Any, Any]):
    """Vocabularies and lists of names that plans have read, by their hash; a few at a time."""

    def keep(self, key: Any, value: Any) -> None:
        self.pop(key, None)
        self[key] = value
        while len(self) > _REMEMBERED:
            del self[next(iter(self))]


_VOCABULARIES, _NAMES = _Files(), _Files()


@dataclass(frozen=True)
class StatedTexts:
    """A mechanism on texts whose vocabulary is not at hand: its guarantee follows from its figures.

    Examples
    --------
    >>> from dprivacy.numbers import as_level
    >>> space = PaddedTexts("bag", 40, Fraction(17), "", 3.4)
    >>> StatedTexts("glove.txt", Guarantee(as_level(2), space)).family
    'words'
    """

    vocabulary: str
    guarantee: Guarantee
    source: Source | None = None
    family: str = "words"
    channel: ClassVar[None] = None

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> list[str]:
        """Refused: words cannot be drawn without their vectors."""
        raise NotApplicable(
            f"the vocabulary {self.vocabulary} is not at hand; read the plan from its own file, beside "
            "which the vocabulary lies"
        )


def text_contents(name: str, spec: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The settings of a column of texts with what its files say in them: they stand on their own.

    A vocabulary is too large for that: its hash and its figures take its place, and its vectors are
    remembered for the mechanism.
    """
    made = dict(spec)
    with _told(name):
        if "names" in spec and "names_sha256" not in spec:
            listed = read_names(_file(folder, spec["names"], "names"))
            mark = hashlib.sha256("\n".join(listed).encode()).hexdigest()
            _NAMES.keep(mark, listed)
            made |= {"names": Path(spec["names"]).name, "names_sha256": mark}
        if "classifier" in spec:
            table = file_text(_file(folder, spec["classifier"], "classifier"), largest=_LARGEST)
            made["weights"] = table
            del made["classifier"]
        if "vocabulary" in spec and "measured" not in spec:
            path = _file(folder, spec["vocabulary"], "vocabulary")
            most = spec.get("most_words", MOST_WORDS)
            found = read_embedding(path, sha256=spec.get("sha256"), most_words=most)
            _VOCABULARIES.keep((found.sha256, most), found)
            made |= {"vocabulary": path.name, "sha256": found.sha256}
        if {"vocabulary", "names"} & set(made) and "measured" not in made:
            made["measured"] = _figures(made)
    return made


def _figures(spec: Mapping[str, Any]) -> dict[str, Any]:
    """What a guarantee needs to know of a vocabulary."""
    if spec_of_topics(spec):
        return {}
    cells = text_cells(_vocabulary(spec), eps=1, length=1, find=_kinds(spec), lists=_lists(spec))
    space = cells.guarantee.space
    assert isinstance(space, PaddedTexts)
    diameter = cells.words.embedding.diameter
    if not _NARROWEST <= diameter <= _WIDEST:
        raise BadPlan(
            "the words of the vocabulary all have one vector, or lie beyond 10^30 of each other; take "
            "another one"
        )
    return {
        "words": len(cells.words.embedding),
        "diameter": str(diameter),
        "near": repr(space.near),
        "hash": vocabulary_hash(cells.words.embedding),
    }


def _file(folder: Path, given: Any, key: str) -> Path:
    if not isinstance(given, str) or not given:
        raise BadPlan(f"{key} should name a file, not {str(given)[:60]}")
    return folder / given


class _told:  # noqa: N801  # reads as a word of the sentence
    """Say of which column a fault speaks."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, reason: Any, trace: Any) -> None:
        if isinstance(reason, DPrivacyError):
            raise type(reason)(f"column {self.name!r}: {reason}") from None


def names_file(spec: Mapping[str, Any]) -> bool:
    """Whether the settings of a column have a file opened, which those of a stored plan never do."""
    opened = [
        key
        for key, instead in (("vocabulary", "measured"), ("names", "names_sha256"))
        if key in spec and instead not in spec
    ]
    return bool({"file", "classifier"} & set(spec) or opened) or isinstance(
        spec.get("hierarchy"), str
    )


def require_stored(name: str, spec: Mapping[str, Any], where: str) -> None:
    """Refuse a column of a stored plan or a card that would have a file opened."""
    if names_file(spec):
        raise BadFile(f"{where}: column {name!r} names a file, which a stored plan holds itself")


def _kept(spec: Mapping[str, Any]) -> Any:
    return spec.get("keep", "topic" if _TOPICS & set(spec) else "bag")


def spec_of_topics(spec: Mapping[str, Any]) -> bool:
    """Whether a column of texts is released as labels."""
    return bool(_kept(spec) == "topic")


@dataclass(frozen=True)
class TextColumn:
    """The mechanism of a column of texts; for topics also how a text gets its label."""

    mechanism: Any
    reader: TopicReader | None = None


def text_column(spec: Mapping[str, Any], where: str) -> Callable[[], TextColumn]:
    """What builds a column of texts; its settings are looked at before anything is built."""
    keep = _kept(spec)
    if keep not in KEEPS:
        raise UnknownName.among(f"{where}: keep", keep, KEEPS)
    others = (_WORDS | {"names_sha256"}) if keep == "topic" else _TOPICS
    useless = sorted(set(spec) & others)
    if useless:
        raise BadPlan(f'{where}: {", ".join(useless)} does not apply to keep = "{keep}"')
    most = spec.get("most_words", MOST_WORDS)
    if type(most) is not int or not 2 <= most <= 400_000:
        raise BadPlan(f"{where}: most_words should be from 2 to 400,000, not {str(most)[:40]}")
    if "vocabulary" not in spec and {"most_words", "sha256"} & set(spec):
        raise BadPlan(f"{where}: most_words and sha256 are of a vocabulary, which is not named")
    for key in ("sha256", "names_sha256"):
        if key in spec and not (isinstance(spec[key], str) and _SHA256.fullmatch(spec[key])):
            raise BadPlan(f"{where}: {key} should be 64 digits from 0 to f, the hash of a file")
    if "names_sha256" in spec and "names" not in spec:
        raise BadPlan(f"{where}: names_sha256 is of a list of names, which is not named")
    if keep == "topic":
        return _topic_column(spec, where)
    _require_words(spec, where)
    return lambda: TextColumn(_cells(spec, keep))


def _topic_column(spec: Mapping[str, Any], where: str) -> Callable[[], TextColumn]:
    if ("topics" in spec) == ("weights" in spec):
        raise BadPlan(
            f'{where}: keep = "topic" needs either topics = {{ refund = ["refund", "money"], … }} or '
            'classifier = "weights.csv"'
        )
    if "epsilon" not in spec:
        raise BadPlan(
            f'{where}: epsilon is missing; write epsilon = "ln 20" (between any two texts)'
        )
    topics = read_topics(spec["topics"]) if "topics" in spec else None
    weights = spec.get("weights", "")
    if not isinstance(weights, str) or len(weights) > _LARGEST or spec.get("measured"):
        raise BadPlan(f"{where}: what was read from its files is not in the form of this package")

    def build() -> TextColumn:
        if topics is None:
            reader: TopicReader | None = weighed_topics(spec["weights"])
            assert reader is not None
            labels = reader.labels
        else:
            embedding = _vocabulary(spec)
            reader = None if embedding is None else seed_topics(topics, embedding)
            labels = tuple(topics)
        eps = as_eps(_exact(spec["epsilon"]))
        return TextColumn(randomised_response(discrete(labels), eps=eps), reader)

    return build


def _require_words(spec: Mapping[str, Any], where: str) -> None:
    length = spec.get("length")
    if type(length) is not int or not 1 <= length <= LONGEST:
        raise BadPlan(
            f"{where}: say length = 40, the public number of words of a text (1 to {LONGEST:,}); other "
            f"lengths would show{'' if length is None else f', and this is {str(length)[:40]}'}"
        )
    if ("epsilon" in spec) == ("level" in spec):
        raise BadPlan(
            f'{where}: either epsilon = 2 (per word and unit of distance) or level = "ln 1000" (of the '
            "whole text) is needed"
        )
    if not isinstance(spec.get("accept_readable", False), bool):
        raise BadPlan(f"{where}: accept_readable should be true or false")
    choices = (
        ("long", ("cut", "refuse")),
        ("unknown", ("replace", "drop")),
        ("stop_words", ("protect", "drop")),
    )
    for key, allowed in choices:
        if spec.get(key, allowed[0]) not in allowed:
            raise UnknownName.among(f"{where}: {key}", spec[key], allowed)
    _kinds(spec)
    named = {"vocabulary", "names"} & set(spec)
    fits = _is_measured(spec.get("measured")) if named else "measured" not in spec
    if not fits:
        raise BadPlan(f"{where}: measured is written by this package, and this is not its form")


def _is_measured(figures: Any) -> bool:
    """Whether the figures of a vocabulary are written as they should be, and possible."""
    if not isinstance(figures, Mapping) or set(figures) != set(_MEASURED):
        return False
    if not all(re.fullmatch(form, str(figures[key])) for key, form in _MEASURED.items()):
        return False
    return _NARROWEST <= Fraction(figures["diameter"]) <= _WIDEST


def _cells(spec: Mapping[str, Any], keep: str) -> TextCells | StatedTexts:
    embedding, lists = _vocabulary(spec), _lists(spec)
    level = {
        key: _exact(spec[name])
        for key, name in (("eps", "epsilon"), ("level", "level"))
        if name in spec
    }
    if embedding is None or lists is None:
        return _stated(spec, keep, **level)
    made = text_cells(
        embedding,
        length=spec["length"],
        keep=keep,  # type: ignore[arg-type]  # looked at before
        long=spec.get("long", "cut"),
        unknown=spec.get("unknown", "replace"),
        stop_words=spec.get("stop_words", "protect"),
        find=_kinds(spec),
        lists=lists,
        **level,
    )
    space = made.guarantee.space
    assert isinstance(space, PaddedTexts)
    if "measured" in spec and spec["measured"]["hash"] != space.vocabulary:
        raise BadPlan("the vocabulary is not the one that was measured; read the plan again")
    return made


def _stated(
    spec: Mapping[str, Any], keep: str, *, eps: Any = None, level: Any = None
) -> StatedTexts:
    """The guarantee from the figures of the vocabulary."""
    figures, length = spec["measured"], spec["length"]
    diameter = Fraction(figures["diameter"])
    exact = as_eps(level) / (diameter * length) if eps is None else as_eps(eps)
    widest = max(diameter, Fraction(word_floor(exact)))
    space = PaddedTexts(keep, length, widest, figures["hash"], float(figures["near"]))  # type: ignore[arg-type]
    if level is not None:
        space.require_level(exact, as_eps(level))
    rule = "T Thm 9.10" if keep == "bag" else "T Eq 9.6"
    because = f"{rule} and T Def 4.7.2, rounded as it was proved"
    return StatedTexts(
        spec.get("vocabulary", "of the package"), Guarantee(exact, space, because=because)
    )


def _vocabulary(spec: Mapping[str, Any]) -> Embedding | None:
    """The vectors; None where the file is not at hand."""
    if "vocabulary" not in spec:
        return small_embedding()
    return _VOCABULARIES.get((spec.get("sha256"), spec.get("most_words", MOST_WORDS)))


def _lists(spec: Mapping[str, Any]) -> NameLists | None:
    """Names and ordinary words; None where the file of names is not at hand."""
    if "names" not in spec:
        return name_lists()
    more = _NAMES.get(spec["names_sha256"])
    return None if more is None else name_lists().added(more)


def _kinds(spec: Mapping[str, Any]) -> tuple[str, ...]:
    find = spec.get("find", list(KINDS))
    if not isinstance(find, list | tuple) or not all(isinstance(kind, str) for kind in find):
        raise BadPlan(f"find should be a list of kinds, {', '.join(KINDS)}, not {str(find)[:60]}")
    return read_kinds(find)


def _exact(value: Any) -> Any:
    """A number of a plan: a decimal is what it says."""
    return as_level(str(value) if isinstance(value, float) else value)


def text_note(spec: Mapping[str, Any], name: str) -> str:
    """What is done to texts before the noise, and what that is worth."""
    if spec_of_topics(spec):
        return f"{name}: a cell is a topic, found in the text by public rules and then noised."
    vocabulary = spec.get("vocabulary", "the vocabulary of the package, made for trying things out")
    kinds = _kinds(spec)
    found = (
        f" Words like {', '.join(f'[{kind}]' for kind in kinds[:3])} stand for what was found, and "
        "are noised as all words are; nothing guarantees that all is found, and about one name in four "
        "is missed."
    )
    return (
        f"{name}: words of {vocabulary}; texts are cut or filled up to {spec['length']} words."
        f"{found if kinds else ''}"
    )
