"""XML from anybody, read within bounds: no document types, no entities, a limit on elements."""

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from xml.parsers import expat

from dprivacy.errors import BadFile, TooLarge
from dprivacy.release.codebooks.codebook_model import words_of

_MOST_ELEMENTS, _DEEPEST = 500_000, 60


@dataclass(slots=True)
class Element:
    """An element by its name without a prefix; attributes likewise."""

    tag: str
    attributes: dict[str, str]
    children: list["Element"] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def get(self, name: str) -> str:
        """An attribute; empty where it is missing."""
        return self.attributes.get(name, "").strip()

    def all(self, tag: str) -> Iterator["Element"]:
        """The children of a name."""
        return (child for child in self.children if child.tag == tag)

    def words(self, tag: str) -> str:
        """The text of the first child of a name."""
        return next((child.text for child in self.all(tag)), "")

    @property
    def text(self) -> str:
        """The text, with that of elements inside."""
        return words_of(" ".join([*self.parts, *(child.text for child in self.children)]))

    def inside(self, *tags: str) -> Iterator["Element"]:
        """Elements of these names at any depth, in order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            if element.tag in tags:
                yield element
            waiting.extend(reversed(element.children))


def xml_tree(data: bytes, name: str, *, without: Set[str] = frozenset()) -> Element:
    """The root of a document; elements called as `without` says are skipped with all they hold.

    Raises
    ------
    BadFile
        For a document type, an entity or anything that is not XML; nothing of it is quoted.
    TooLarge
        Past 500,000 elements.
    """
    builder = _Builder(name, without)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = builder.refuse
    parser.EntityDeclHandler = builder.refuse
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    try:
        parser.Parse(data, True)
    except expat.ExpatError as reason:
        raise BadFile(f"{name}: is not well-formed XML in line {reason.lineno}") from None
    except (ValueError, LookupError) as reason:
        if isinstance(reason, BadFile | TooLarge):
            raise
        raise BadFile(
            f"{name}: is XML in an encoding that is not known; save it as UTF-8"
        ) from None
    if builder.root is None:
        raise BadFile(f"{name}: holds nothing")
    return builder.root


class _Builder:
    def __init__(self, name: str, without: Set[str]) -> None:
        self.name, self.without = name, without
        self.root: Element | None = None
        self.open: list[Element] = []
        self.skipped = self.count = 0

    def refuse(self, *_: object) -> None:
        raise BadFile(
            f"{self.name}: declares a document type or an entity, which is not read; take that out"
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if self.skipped or tag in self.without:
            self.skipped += 1
            return
        self.count += 1
        if self.count > _MOST_ELEMENTS or len(self.open) > _DEEPEST:
            raise TooLarge(
                f"{self.name}: has more than {_MOST_ELEMENTS:,} elements, or nests them more than "
                f"{_DEEPEST} deep"
            )
        found = Element(tag, {key.rpartition(":")[2]: text for key, text in attributes.items()})
        if self.open:
            self.open[-1].children.append(found)
        else:
            self.root = found
        self.open.append(found)

    def end(self, _: str) -> None:
        if self.skipped:
            self.skipped -= 1
        else:
            self.open.pop()

    def characters(self, text: str) -> None:
        if not self.skipped and not text.isspace():
            self.open[-1].parts.append(text)
