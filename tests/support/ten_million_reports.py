"""Ten million reports into a book, as a program: memory after the first million, and at the end."""

import secrets
import tempfile
from pathlib import Path

from dprivacy.collecting.books.sqlite_book import SQLiteBook
from support.collections_asked import asked
from support.programs import of_this_process

_EACH, _COMMITS = 5000, 2000


def main():
    with tempfile.TemporaryDirectory() as folder:
        book = SQLiteBook(Path(folder, "book.db"), asked("projective"))
        for commit in range(_COMMITS):
            raw = secrets.token_bytes(16 * _EACH)
            some = [raw[at : at + 16] for at in range(0, len(raw), 16)]
            assert all(book.add(some, [0] * _EACH, 20_000))
            if commit + 1 == _COMMITS // 10:
                first = of_this_process("VmRSS")
        assert book.tally().n == _EACH * _COMMITS
        assert not any(book.add(some, [0] * _EACH, 20_000))
        print(first, of_this_process("VmRSS"))
        book.release()


if __name__ == "__main__":
    main()
