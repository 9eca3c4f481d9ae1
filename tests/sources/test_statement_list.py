"""The list of statements, the functions that claim them and the tests that check them agree."""

import importlib
import re

import pytest

from dprivacy.sources import citations, claims, statements
from dprivacy.sources.statement_page import (
    folder_of_tests,
    import_everything,
    markdown_sources,
    markdown_table,
    marked_tests,
    markers,
)

KEY = re.compile(
    r"(Def|Thm|Lem|Cor|Prop|Ex|Conj|Remark|Property|Alg|Table|Fig|Eq) "
    r"([A-E]?\d+(\.\d+)*)|§\d+(\.\d+)*"
)
ERRATUM = re.compile(r"E([1-9]|[12]\d|30)")


@pytest.fixture(scope="module")
def claimed():
    import_everything()
    return claims()


@pytest.fixture(scope="module")
def tested():
    folder = folder_of_tests()
    assert folder is not None
    return marked_tests(folder)


def keys(found):
    return sorted(" ".join(key) for key in found)


def test_no_function_claims_a_statement_that_is_not_listed(claimed):
    assert keys(claimed.keys() - statements().keys()) == []


def test_no_statement_is_claimed_without_a_test(claimed, tested):
    assert keys(claimed.keys() - tested.keys()) == []


def test_every_marker_names_a_listed_statement(tested):
    assert keys(tested.keys() - statements().keys()) == []


@pytest.mark.parametrize("statement", statements().values(), ids=lambda s: s.key)
def test_each_statement_is_well_formed(statement):
    assert statement.source in citations()
    assert KEY.fullmatch(statement.number)
    assert statement.erratum == "" or ERRATUM.fullmatch(statement.erratum)
    assert statement.says[0].isupper() or statement.says.startswith(("κ", "(ε"))
    assert statement.says.endswith(".")
    assert 20 < len(statement.says) <= 200
    assert "\n" not in statement.says


def test_every_correction_is_on_some_statement():
    corrected = {statement.erratum for statement in statements().values()} - {""}
    assert corrected == {f"E{n}" for n in range(1, 31)}


@pytest.mark.parametrize(
    ("key", "erratum"), [(("C", "Ex 2"), "E1"), (("M", "Thm 7"), "E17"), (("T", "Lem 4.14"), "E29")]
)
def test_a_corrected_statement_carries_its_correction(key, erratum):
    assert statements()[key].erratum == erratum


def test_every_source_is_cited_and_used():
    assert {statement.source for statement in statements().values()} == set(citations())
    for key, citation in citations().items():
        assert re.fullmatch("[A-Z][A-Za-z0-9]*", key)
        assert re.search(r", \d{4}$", citation)
        assert f"| {key} | {citation} |" in markdown_sources()


def test_a_statement_shows_its_key():
    assert statements()["T", "Def 4.4.4"].key == "T Def 4.4.4"


class TestImporting:
    @pytest.fixture
    def missing(self, monkeypatch):
        """Make the import of one module fail for want of another."""
        real = importlib.import_module

        def arrange(wanted):
            def refuse(name):
                if name == "dprivacy.errors":
                    raise ImportError(f"no {wanted}", name=wanted)
                return real(name)

            monkeypatch.setattr(importlib, "import_module", refuse)

        return arrange

    def test_a_module_whose_extra_is_missing_is_passed_over(self, missing):
        missing("nicegui")
        import_everything()

    def test_a_missing_module_of_our_own_is_a_mistake(self, missing):
        missing("dprivacy.nowhere")
        with pytest.raises(ImportError, match="no dprivacy"):
            import_everything()


class TestMarkers:
    def found(self, text):
        return sorted(markers(text))

    def test_of_a_function(self):
        text = '@pytest.mark.statement("T", "Lem 3.1")\ndef test_a(): ...'
        assert self.found(text) == [(("T", "Lem 3.1"), "test_a")]

    def test_with_several_numbers(self):
        text = '@pytest.mark.statement("C", "Thm 5", "Thm 9")\nasync def test_a(): ...'
        assert self.found(text) == [(("C", "Thm 5"), "test_a"), (("C", "Thm 9"), "test_a")]

    def test_of_a_class_and_of_a_method(self):
        text = """
@mark.statement("P", "Thm 2")
class TestB:
    @mark.statement("P", "Thm 3")
    def test_c(self): ...
"""
        assert self.found(text) == [(("P", "Thm 2"), "TestB"), (("P", "Thm 3"), "TestB::test_c")]

    def test_of_a_module(self):
        text = 'pytestmark = [pytest.mark.slow, pytest.mark.statement("M", "Ex 1")]'
        assert self.found(text) == [(("M", "Ex 1"), "")]

    def test_of_a_parameter(self):
        text = """
@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.statement("M", "Ex 2"))])
def test_d(x): ...
"""
        assert self.found(text) == [(("M", "Ex 2"), "test_d")]

    def test_other_markers_are_left_alone(self):
        assert self.found("@pytest.mark.slow\ndef test_e(): ...") == []

    def test_without_a_folder_there_are_none(self):
        assert marked_tests(None) == {}


@pytest.fixture(scope="module")
def page():
    return markdown_table()


class TestPage:
    def row(self, page, key):
        start = f"| {key.replace(' ', chr(0xA0))} |"
        rows = [line for line in page.splitlines() if line.startswith(start)]
        assert len(rows) == 1
        return [cell.strip() for cell in re.split(r"(?<!\\)\|", rows[0])[1:-1]]

    def test_every_row_has_five_cells(self, page):
        rows = [line for line in page.splitlines() if line.startswith("|")]
        assert {len(re.split(r"(?<!\\)\|", row)) - 2 for row in rows} == {5}

    def test_a_function_is_linked_to_the_reference(self, page):
        link = "[`distinguishability`](reference/verify.md#dprivacy.verify.distinguishability)"
        assert self.row(page, "T Def 4.4.4")[3] == link

    def test_an_operator_is_shown_as_one_and_linked_to_its_class(self, page):
        link = "[`Channel @`](reference/model.md#dprivacy.model.Channel)"
        assert self.row(page, "T Lem 3.3")[3] == link

    def test_a_correction_is_linked_to_its_anchor(self, page):
        assert self.row(page, "C Ex 2")[2] == "[E1](errata.md#e1)"

    def test_bars_inside_a_sentence_do_not_end_the_cell(self, page):
        assert r"\|ln C\[x, y\] − ln C\[z, y\]\|" in self.row(page, "T Def 4.4.4")[1]

    def test_implemented_and_open_statements_share_nothing(self, page):
        _, _, still_open = page.partition("not implemented yet")
        assert "Table\u00a05.1" in still_open or "| T\u00a0Table\u00a05.1 |" in page
        assert "Def\u00a04.4.4 ·" not in still_open

    def test_every_listed_statement_is_on_the_page(self, page):
        rows = sum(line.startswith("| ") for line in page.splitlines()) - 1  # less the head
        found = re.search(r"not implemented yet: (\d+) statements", page)
        assert rows + (int(found[1]) if found else 0) == len(statements())
