"""Make the lists of names and of ordinary words in src/dprivacy/text/data.

    python .ci/word_lists.py CENSUS NOVELS WEB2

CENSUS is a folder with dist.male.first, dist.female.first and dist.all.last of the US Census of 1990
(public domain; the package `names` holds them), NOVELS a Parquet file with a column `text` of novels in
the public domain, and WEB2 a list of the words of Webster's Second International (1934, public domain;
the package `english-words` has it). Places and modern words are written by hand.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import pandas as pd

from dprivacy.text import small_embedding, stop_words

DATA = Path(__file__).parents[1] / "src/dprivacy/text/data"
SURNAMES = 20_000
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def census(folder: Path, file: str) -> list[str]:
    """The names of a file of the census, the commonest first."""
    lines = (folder / file).read_text(encoding="utf-8").splitlines()
    return [line.split()[0].lower() for line in lines if line.strip()]


def written_small(texts: list[str], least: int = 2) -> set[str]:
    """Words written small at least half of the times, starts of sentences aside."""
    small, capital = Counter(), Counter()
    for text in texts:
        for found in WORD.finditer(text):
            word, before = found[0], text[max(0, found.start() - 3) : found.start()].strip()[-1:]
            if not word[0].isupper():
                small[word] += 1
            elif before and before not in ".!?:\"'“”‘":
                capital[word.lower()] += 1
    return {w for w, n in small.items() if n >= least and n >= capital[w]}


def write(name: str, head: str, words: list[str]) -> None:
    """A list under a line that says what it is."""
    lines, line = [f"# {head}"], ""
    for word in words:
        if len(line) + len(word) > 100:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    (DATA / name).write_text("\n".join([*lines, line]) + "\n", encoding="utf-8")


def words_in(name: str) -> set[str]:
    """The words of a list."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return {word for line in lines if not line.startswith("#") for word in line.split()}


def main(folder: Path, novels: Path, dictionary: Path) -> None:
    """Make all lists."""
    first = set(census(folder, "dist.male.first")) | set(census(folder, "dist.female.first"))
    last = census(folder, "dist.all.last")[:SURNAMES]
    listed = {w for w in dictionary.read_text(encoding="utf-8").split() if w.islower()}
    own = {w for w in (*small_embedding().words, *stop_words()) if w.islower()}
    novel = {w for w in written_small(list(pd.read_parquet(novels).text)) if "’" not in w}
    ordinary = {w for w in novel | own | words_in("modern_words.txt") if len(w) > 1}
    known, places = listed | ordinary, words_in("places.txt")

    def a_word_too(name: str) -> bool:
        plural = name.removesuffix("s") in known or name.removesuffix("es") in known
        return name in known or name in places or (name.endswith("s") and plural)

    source = "US Census 1990, public domain"
    write("first_names.txt", f"First names ({source}).", sorted(first))
    write("surnames.txt", f"The {SURNAMES:,} commonest surnames ({source}).", sorted(last))
    head = "Words mostly written small in novels of the public domain, and modern ones."
    write("ordinary_words.txt", head, sorted(ordinary))
    head = "Surnames that are also words or places, so that a vocabulary keeps them."
    write("word_surnames.txt", head, sorted(w for w in last if w not in first and a_word_too(w)))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
