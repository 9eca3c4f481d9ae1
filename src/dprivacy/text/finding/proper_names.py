"""Names of people: by titles, greetings, capitals and lists, on what the rules have left."""

import re
from collections.abc import Iterator

from dprivacy.text.documents.text_pieces import stop_words
from dprivacy.text.finding.word_lists import NameLists, plain_letters


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TITLES = _words("mr mrs ms miss dr prof sgt sir madam rev capt judge father sister")
_SHORT_TITLES = _words("mr mrs ms dr prof sgt rev capt")  # which have no other meaning
_GREETINGS = _words("dear hi hello hey regards thanks sincerely wishes cheers yours attn love")
_INTRODUCING = _words(
    "name called signed contact caller spoke ask tell forward colleague tenant husband wife son "
    "daughter manager brother sister mother father mum dad nurse doctor neighbour user holder patient"
)
_PARTICLES = _words("van der de von la el al bin da di del den ter")
_CALENDAR = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june "
    "july august september october november december"
)
_NEVER = _words("my so an in see")  # that are rare first names
_POINTING = _words("the a an my your our his her its their this that these those each every any no")
_SAYING = _words("said say comes go call tell")  # that are rare surnames
_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?")
_HYPHENS = re.compile("['’-]")
_OWNERS = ("'s", "’s", "'S", "’S")
_SHOUTED = 0.6  # the share of capitals from which on they mean nothing


def _owner(word: str) -> str:
    return word[:-2] if word.endswith(_OWNERS) else word


class Names:
    """The names in one text.

    Parameters
    ----------
    text
        The text.
    taken
        One byte a character: 1 where something was found already.
    lists
        Names, ordinary words and places.
    """

    def __init__(self, text: str, taken: bytearray, lists: NameLists) -> None:
        self.text, self.lists = text, lists
        self.tokens = [
            (m.start(), m.end(), _owner(m[0].rstrip(".")))
            for m in _TOKEN.finditer(text)
            if not taken[m.start()]
        ]
        self.lows = [plain_letters(word) for _, _, word in self.tokens]
        capitals = sum(map(str.isupper, text))
        self.shouted = capitals > _SHOUTED * max(1, sum(map(str.isalpha, text)))
        great = sum(word[0].isupper() for _, _, word in self.tokens)
        self.headed = great > _SHOUTED * len(self.tokens)

    def spans(self) -> Iterator[tuple[int, int]]:
        """Start and end of each name; neighbouring names are one."""
        k, lists = 0, self.lists
        while k < len(self.tokens):
            low = self._low(k)
            capital = self.tokens[k][2][0].isupper() and not self.shouted
            if not capital and low not in lists.either and low not in _PARTICLES and "-" not in low:
                k += 1
                continue
            reach = self._hit(k, low, capital=capital)
            if reach is None:
                k += 1
                continue
            last = self._joined(reach)
            start, end, _ = self.tokens[last]
            yield self.tokens[k][0], start + len(self.text[start:end].rstrip("."))
            k = last + 1

    def _hit(self, k: int, low: str, *, capital: bool) -> int | None:
        """The last token that surely belongs to the name at token k; None where no name begins."""
        lists, before = self.lists, self._before(k)
        plain = low in lists.ordinary or low in _CALENDAR
        told = before in _TITLES or before in _GREETINGS or before in _INTRODUCING
        if not capital:
            if not self._small(low, before, plain=plain, told=told):
                return None
            return k + 1 if self._small_surname(k) else k
        _, end, word = self.tokens[k]
        if self._capital_next(k):
            initial = len(word) == 1 and self.text[end - 1] == "."
            if initial or (low in _TITLES and self._gap(k).strip(" .") == ""):
                return k + 1
        if before in _TITLES or (told and (not plain or low in lists.first)):
            return k
        return k if self._listed(k, low, plain=plain) or self._strange(k, plain=plain) else None

    def _small(self, low: str, before: str, *, plain: bool, told: bool) -> bool:
        """Whether a word in small letters is a name."""
        lists = self.lists
        if low in _PARTICLES:
            return before in _TITLES
        if before in _SHORT_TITLES and low in lists.either:
            return True
        if before in _GREETINGS and low in lists.first and low not in _NEVER:
            return True
        if "-" in low:
            return lists.names_only(low)
        return not plain and (told or (low in lists.first and low not in lists.places))

    def _small_surname(self, k: int) -> bool:
        """Whether the word after a first name in small letters, or among capitals, is a surname."""
        if k + 1 == len(self.tokens) or self._gap(k) != " ":
            return False
        low = self._low(k + 1)
        return low in self.lists.last and low not in _SAYING and low not in stop_words()

    def _listed(self, k: int, low: str, *, plain: bool) -> bool:
        """Whether the lists say that a word with a capital is a name."""
        lists = self.lists
        if not plain and self._certain(low):
            return True
        place = low in lists.places
        if low in lists.first and not self._starts(k) and low not in _CALENDAR and not place:
            return True
        joins = low in lists.either and low not in _NEVER and self._name_next(k)
        if joins and self._low(k + 1) in lists.last:
            return True
        return low in lists.last and not place and (not plain or self._surname_alone(k, low))

    def _surname_alone(self, k: int, low: str) -> bool:
        """Whether an ordinary word that is a surname, such as Baker, stands where a name would."""
        if self.headed or self._starts(k) or low in _CALENDAR or low in stop_words():
            return False
        return self._before(k) not in _POINTING and not self._capital_next(k)

    def _certain(self, low: str) -> bool:
        parts = {part for part in _HYPHENS.split(low) if len(part) > 1}
        return (
            low in self.lists.first
            or (len(parts) > 1 and not parts.isdisjoint(self.lists.either))
            or low.startswith(("o'", "o’", "mc"))
        )

    def _strange(self, k: int, *, plain: bool) -> bool:
        """Whether a capital in mid-sentence, or a letter of another language, gives a name away."""
        word = self.tokens[k][2]
        if plain or word.isupper() or self._low(k) in self.lists.places:
            return False
        if not self._starts(k) or not word.isascii():
            return True
        # Two words in a row with capitals, and neither is an ordinary one.
        following = self._capital_next(k) and self._gap(k) == " " and self.tokens[k + 1][2]
        if not following or following.isupper():
            return False
        low = self._low(k + 1)
        return (
            low not in self.lists.ordinary and low not in _CALENDAR and low not in self.lists.places
        )

    def _joined(self, last: int) -> int:
        """The last token of a name, with its surnames and particles."""
        end = last
        while end + 1 < len(self.tokens):
            particle = self._low(end + 1) in _PARTICLES and self._gap(end) == " "
            if not particle and (self.shouted or not self._name_next(end)):
                break
            token = self.tokens[end]
            stopped = self.text[token[1] - 1] == "." and len(token[2]) > 3
            if self._gap(end).strip(" .") or (stopped and token[2].lower() not in _TITLES):
                break
            end += 1
        while end > last and self._low(end) in _PARTICLES:
            end -= 1
        return end

    def _low(self, k: int) -> str:
        return self.lows[k]

    def _gap(self, k: int) -> str:
        """What stands between a token and the next one."""
        return self.text[self.tokens[k][1] : self.tokens[k + 1][0]]

    def _before(self, k: int) -> str:
        """The word just before a token, in small letters; nothing where more than marks is between."""
        if not k or self._gap(k - 1).strip(" ,.:"):
            return ""
        return self._low(k - 1)

    def _starts(self, k: int) -> bool:
        """Whether a token begins a sentence."""
        start = self.tokens[k][0]
        before = self.text[max(0, start - 4) : start].rstrip()
        return (not before and start < 4) or (bool(before) and before[-1] in ".!?:\n")

    def _capital_next(self, k: int) -> bool:
        return k + 1 < len(self.tokens) and self.tokens[k + 1][2][0].isupper()

    def _name_next(self, k: int) -> bool:
        """Whether the next token has a capital and may be a surname."""
        if not self._capital_next(k) or self._gap(k).strip(" ."):
            return False
        low = self._low(k + 1)
        return low not in self.lists.ordinary or low in self.lists.last
