"""One survey in every format says the same; what is no codebook is refused, and never quoted."""

import hashlib
import random
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal

import pytest

from dprivacy.errors import BadFile, DPrivacyError
from dprivacy.release import Value, read_codebook
from support import made_codebooks as made
from support.command_runs import CANARY
from support.made_spreadsheets import xlsx
from support.mutations import mutants

FORMATS = {
    "book.json": made.NIST.encode(),
    "book.csv": made.CSV.encode(),
    "latin.csv": made.CSV.replace("Sex", "Geschlecht (männlich)").encode("cp1252"),
    "wide.csv": made.A_ROW_A_VARIABLE.encode(),
    "book.xml": made.DDI.encode(),
    "utf16.xml": made.DDI.replace("UTF-8", "UTF-16").encode("utf-16"),
    "book.xlsx": xlsx({"codes": [line.split(",") for line in made.CSV.splitlines()]}),
}  # fmt: skip
LISTS = {
    "cl.xml": made.SDMX_21.encode(),
    "three.xml": made.SDMX_30.encode(),
    "cl.csv": made.CODES_CSV.encode(),
}


def put(folder, name, data):
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder / name


@pytest.mark.parametrize("name", FORMATS)
def test_a_survey_in_every_format(tmp_path, name):
    book = read_codebook(put(tmp_path, name, FORMATS[name]))
    assert book.names == ("sex", "income", "health", "region", "wt", "caseid")
    codes = {v.name: [value.code for value in v.values] for v in book.variables}
    assert codes == {
        "sex": ["1", "2"],
        "income": ["99998", "N"],
        "health": ["1", "2", "3", "8"],
        "region": ["01", "02"],
        "wt": [],
        "caseid": [],
    }
    assert [value.label for value in book.variable("sex").values] == ["male", "female"]
    assert book.variable("wt").label == "Design weight"
    income = book.variable("income")
    assert (income.low, income.high) == (Decimal(0), Decimal(20000))
    sha256 = hashlib.sha256(FORMATS[name]).hexdigest()
    assert book.sha256 == sha256
    assert {v.note for v in book.variables} == {f"codebook {name}, sha256 {sha256}"}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_codes_for_one_variable(tmp_path, name):
    codes = {"region": put(tmp_path, name, LISTS[name])}
    book = read_codebook(put(tmp_path, "book.csv", made.CSV), codes=codes)
    region = book.variable("region")
    assert [(v.code, v.parent) for v in region.values] == [
        ("CH", ""), ("FR", ""), ("CH01", "CH"), ("CH02", "CH"), ("FR01", "FR"),
    ]  # fmt: skip
    assert replace(region.values[2], parent="") == Value("CH01", "Lake Geneva")
    sha256 = hashlib.sha256(LISTS[name]).hexdigest()
    assert region.note.endswith(f"; codes {name}, sha256 {sha256}")
    assert region.label == "Region"
    alone = read_codebook(None, codes=codes)
    assert alone.names == ("region",)
    assert alone.variable("region").note == f"codes {name}, sha256 {sha256}"


def test_a_list_of_codes_is_not_a_codebook(tmp_path):
    with pytest.raises(BadFile, match=r"is a list of codes.*--codes NAME=cl\.xml"):
        read_codebook(put(tmp_path, "cl.xml", made.SDMX_21))
    with pytest.raises(BadFile, match="a list of codes alone is passed as --codes"):
        read_codebook(put(tmp_path, "cl.csv", made.CODES_CSV))


@pytest.mark.parametrize(
    "text",
    [
        f"who,age\n{CANARY},33\nbob,44\n",
        f"name,age\n{CANARY},33\nbob,44\n",
        f"{CANARY}",
        "",
        f'{{"{CANARY}": 3}}',
        f'["{CANARY}"]',
        f'{{"{CANARY}": {{}}, "{CANARY}": {{}}}}',
        f"<a>{CANARY}</a>",
        f"<a>{CANARY}",
        f'<!DOCTYPE a [<!ENTITY b "{CANARY}">]><codeBook>&b;</codeBook>',
        f"variable,code\n{CANARY},1\n{CANARY},1\n",
        f"variable,code\n{CANARY},\x00\n",
        f"variable,min,max\n{CANARY},9,1\n",
    ],
)
def test_what_is_no_codebook_is_refused_in_words_that_quote_nothing(tmp_path, text):
    with pytest.raises(DPrivacyError) as refused:
        read_codebook(put(tmp_path, "x.csv", text))
    assert CANARY not in str(refused.value)


def test_documents_larger_than_a_codebook_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("dprivacy.release.codebooks.codebook_files._LARGEST", 100)
    with pytest.raises(BadFile, match="larger than"):
        read_codebook(put(tmp_path, "book.xml", made.DDI))


@pytest.mark.parametrize("name", ["book.json", "book.csv", "wide.csv", "book.xml", *LISTS])
def test_mutants_are_read_or_refused(tmp_path, name):
    seeds = [{**FORMATS, **LISTS}[name], made.GROUPED.encode()][: 2 if name == "book.xml" else 1]
    files, path = mutants(seeds, random.Random(f"codebook {name}")), tmp_path / name
    for _ in range(60):
        path.write_bytes(next(files))
        with suppress(DPrivacyError):  # which is one line always
            if name in LISTS:
                read_codebook(None, codes={"region": path})
            else:
                read_codebook(path)
