"""The schemas of what is written, for whoever checks or reads files without this library."""

import json
from importlib.resources import files
from typing import Any

from dprivacy.errors import UnknownName
from dprivacy.store.stored_nouns import FORMS, NOUNS

# What is written as JSON and is not a noun: an entry of a ledger, a record of a job's journal, what a
# collection asks, and estimates in a file; each with the version that is written.
PARTS = {"ledger": 5, "journal": 7, "collection": 1, "answer": 1}


def schema(noun: str, *, version: int | None = None) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the files that hold a noun, or of a part of other files.

    A file that the schema refuses is refused by `load` as well, but for the plan and the channels on a
    card, which `prove_card` reads. `load` also checks what a schema cannot say: the hash, that rows
    add up to 1, and that a mechanism is as private as it claims.

    Parameters
    ----------
    noun
        "channel", "space", "mechanism", "rounds", "plan", "card" or "receipt"; or "ledger" for an entry
        of one, "journal" for a record of an unfinished job's, "collection" for what the book of one
        says that is asked, "answer" for estimates written as JSON.
    version
        Version of the noun's body. It can be left out where only one version is written; a mechanism
        has two, 1 with a matrix and 2 for reports that are sets.

    Returns
    -------
    dict
        The schema as plain data.

    Raises
    ------
    UnknownName
        For any other noun or version.

    Examples
    --------
    >>> from dprivacy.store import schema
    >>> schema("card")["title"]
    'dprivacy card, version 3'
    >>> schema("mechanism", version=2)["properties"]["version"]
    {'const': 2}
    """
    UnknownName.require("noun", noun, (*NOUNS, *PARTS))
    written = [form.version for form in FORMS if form.noun == noun] or [PARTS[noun]]
    if version is None and len(written) > 1:
        listed = " and ".join(map(str, written))
        raise UnknownName(f"a {noun} is written in versions {listed}; say which")
    version = written[0] if version is None else version
    UnknownName.require(f"version of a {noun}", version, written)
    text = files(__package__).joinpath("schemas", f"{noun}.v{version}.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
