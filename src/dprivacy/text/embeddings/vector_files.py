"""Reading embeddings from files: GloVe, word2vec (text and binary), fastText, NumPy."""

import gzip
import hashlib
import math
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadFile, DPrivacyError, TooLarge, UnknownName
from dprivacy.mechanisms import whole
from dprivacy.model import open_regular
from dprivacy.text.embeddings.word_vectors import Embedding
from dprivacy.typing import PathArg

Form = Literal["text", "word2vec", "npz"]
MOST_WORDS = 400_000
_MOST_DIMENSIONS = 4096
_MOST_NUMBERS = 1 << 28  # entries of the table, a GiB of float32
_MOST_TIMES = 4  # as many entries as words that are kept
_UNPACKING = 64  # times the size of the file, beside a fixed allowance
_LONGEST_WORD = 400  # bytes
_COUNT = re.compile("[0-9]{1,12}")  # of words, or of numbers, in the first line
_LONGEST_LINE = _LONGEST_WORD + 40 * _MOST_DIMENSIONS


def read_embedding(
    path: PathArg,
    *,
    form: Form | None = None,
    sha256: str | None = None,
    most_words: int = MOST_WORDS,
) -> Embedding:
    r"""An embedding from a file.

    Parameters
    ----------
    path
        The file; a name that ends in .gz is unpacked on the way.
    form
        "text" for lines of a word and its numbers (GloVe's .txt; word2vec's and fastText's .vec, which
        have a first line with two counts), "word2vec" for the binary format (.bin), "npz" for NumPy
        arrays `words` and `vectors`. By default the file's ending tells.
    sha256
        The hash that the file must have; the embedding is public, but whoever could change it could
        change distances, and so the guarantee.
    most_words
        Read no more than this many words, from the top. Files are commonly sorted by frequency.

    Raises
    ------
    BadFile
        For a file that is not in the format, vectors of different lengths, numbers that are not
        finite, or another hash. Nothing in the file is ever executed.
    TooLarge
        For vectors of more than 4,096 numbers, or more than 2²⁸ numbers in all.

    Notes
    -----
    Words are brought to Unicode's composed form; in the text and binary formats a word that comes again
    is passed over.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "tiny.txt").write_text("tea 0 0\ncoffee 3 4\n")
    ...     read_embedding(f"{folder}/tiny.txt").distance("tea", "coffee")
    5.0
    """
    place = Path(path)
    most = whole(most_words, "most_words")
    try:
        with open_regular(place) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if sha256 is not None and digest != sha256.lower():
            raise BadFile(
                f"{place.name}: its SHA-256 should be {sha256.lower()} but is {digest}; fetch it again"
            )
        words, vectors = _read(place, form or _form(place), most)
    except (OSError, EOFError, zlib.error) as reason:  # a bad gzip file is an OSError
        why = getattr(reason, "strerror", None) or "it is damaged"
        raise BadFile(f"{place.name}: cannot be read ({why})") from None
    if not words:
        raise BadFile(f"{place.name}: contains no word")
    return Embedding(tuple(words), vectors, place.name, digest)


def _form(place: Path) -> Form:
    ends = [end.lower() for end in place.suffixes if end.lower() != ".gz"]
    last = ends[-1] if ends else ""
    known: dict[str, Form] = {".npz": "npz", ".bin": "word2vec", ".txt": "text", ".vec": "text"}
    if last not in known:
        raise UnknownName(
            f"{place.name}: the format cannot be told from the name's ending; give form='text', "
            "'word2vec' or 'npz'"
        )
    return known[last]


def _read(place: Path, form: Form, most: int) -> tuple[list[str], NDArray[Any]]:
    if form == "npz":
        return _read_arrays(place, most)
    readers = {"text": _text_rows, "word2vec": _binary_rows}
    UnknownName.require("form", form, get_args(Form))
    words: list[str] = []
    seen: set[str] = set()
    rows: list[NDArray[np.float32]] = []
    with open_regular(place) as raw:
        file: Any = gzip.GzipFile(fileobj=raw) if place.suffix.lower() == ".gz" else raw
        for number, (word, row) in enumerate(readers[form](file, place.name)):
            if number > _MOST_TIMES * most:
                raise BadFile(f"{place.name}: gives the same words again and again")
            if word in seen:
                continue
            seen.add(word)
            words.append(word)
            rows.append(row)
            if len(words) == most:
                break
            if len(words) * len(row) > _MOST_NUMBERS:
                raise TooLarge(
                    f"{place.name}: more than {_MOST_NUMBERS:,} numbers; lower most_words"
                )
    return words, np.array(rows)


def _text_rows(file: IO[bytes], name: str) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Lines of a word and its numbers; a first line of two whole numbers is passed over."""
    dimension = 0
    for number in range(1, 1 << 62):
        line = file.readline(_LONGEST_LINE + 1)
        if not line:
            return
        if len(line) > _LONGEST_LINE:
            raise BadFile(f"{name}: line {number} is too long for a word and its vector")
        parts = line.decode("utf-8", "replace").rstrip().split(" ")
        if number == 1 and len(parts) == 2 and all(map(_COUNT.fullmatch, parts)):
            dimension = int(parts[1])
            _require_dimension(dimension, name)
            continue
        if not any(parts):
            continue
        dimension = dimension or len(parts) - 1
        _require_dimension(dimension, name)
        word = " ".join(parts[:-dimension])  # GloVe's largest file has words with spaces
        if len(parts) <= dimension or not word:
            raise BadFile(
                f"{name}: line {number} should have a word and {dimension} numbers; it has "
                f"{len(parts)} parts"
            )
        try:
            row = np.array(parts[-dimension:], dtype=np.float32)
        except (ValueError, OverflowError):
            raise BadFile(f"{name}: line {number} has a part that is not a number") from None
        yield _word(word, name, number), row


def _binary_rows(file: IO[bytes], name: str) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """word2vec's binary format: two counts in a line, then each word, a space and its float32."""
    head = file.readline(64).split()
    if len(head) != 2 or not all(part.isdigit() for part in head):
        raise BadFile(f"{name}: a word2vec file should begin with two counts in a line")
    count, dimension = map(int, head)
    _require_dimension(dimension, name)
    for number in range(1, count + 1):
        spelled = bytearray()
        while (byte := file.read(1)) != b" ":
            spelled += byte
            if not byte or len(spelled) > _LONGEST_WORD:
                raise BadFile(f"{name}: the file ends in word {number}, or the word is too long")
        vector = file.read(4 * dimension)
        if len(vector) < 4 * dimension:
            raise BadFile(f"{name}: the file ends within the vector of word {number}")
        word = spelled.lstrip(b"\n").decode("utf-8", "replace")
        yield _word(word, name, number), np.frombuffer(vector, "<f4")


def _read_arrays(place: Path, most: int) -> tuple[list[str], NDArray[Any]]:
    try:
        with open_regular(place) as file, zipfile.ZipFile(file) as members:
            _require_sizes(members, place)
        with open_regular(place) as file, np.load(file, allow_pickle=False) as arrays:
            missing = {"words", "vectors"} - set(arrays.files)
            if missing:
                raise BadFile(
                    f"{place.name}: should contain an array {min(missing)!r}, but does not"
                )
            words, vectors = arrays["words"], arrays["vectors"]
    except DPrivacyError:
        raise
    # RuntimeError: a member that says it is encrypted.
    except (ValueError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error):
        raise BadFile(f"{place.name}: is not an .npz file of plain arrays") from None
    if words.ndim != 1 or words.dtype.kind != "U" or vectors.ndim != 2:
        raise BadFile(f"{place.name}: words should be a list of texts, vectors a table of numbers")
    if vectors.dtype.kind not in "fi" or len(words) != len(vectors):
        raise BadFile(f"{place.name}: {len(words)} words need as many rows of numbers")
    _require_dimension(vectors.shape[1], place.name)
    listed = [_word(str(word), place.name, k) for k, word in enumerate(words[:most], 1)]
    kept = np.float64 if vectors.dtype.itemsize == 8 else np.float32
    return listed, vectors[:most].astype(kept)


def _require_sizes(members: zipfile.ZipFile, place: Path) -> None:
    """TooLarge or BadFile before anything is unpacked: a small file can unpack to a huge one."""
    most = min(8 * _MOST_NUMBERS, _MOST_NUMBERS + _UNPACKING * place.stat().st_size)
    if sum(member.file_size for member in members.infolist()) > most:
        raise TooLarge(f"{place.name}: unpacks to more than {most:,} bytes")
    for member in members.infolist():
        with members.open(member) as file:
            version = np.lib.format.read_magic(file)
            reads = {(1, 0): np.lib.format.read_array_header_1_0}
            shape, _, kind = reads.get(version, np.lib.format.read_array_header_2_0)(file)
        if math.prod(shape) * kind.itemsize > member.file_size:
            raise BadFile(f"{place.name}: says that it holds more than it does")


def _require_dimension(dimension: int, name: str) -> None:
    if dimension < 1:
        raise BadFile(f"{name}: the vectors have no numbers")
    if dimension > _MOST_DIMENSIONS:
        raise TooLarge(f"{name}: vectors of more than {_MOST_DIMENSIONS:,} numbers are not read")


def _word(word: str, name: str, number: int) -> str:
    if not word or len(word.encode("utf-8", "replace")) > _LONGEST_WORD:
        raise BadFile(f"{name}: entry {number} should have a word of at most {_LONGEST_WORD} bytes")
    return unicodedata.normalize("NFC", word)
