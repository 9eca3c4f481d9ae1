"""What is served: the client's own files, pages without scripts of their own, nothing private."""

import json
import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from dprivacy.collecting import Collection
from dprivacy.collecting.question_page import client_folder, page_files
from dprivacy.mechanisms import randomised_response
from dprivacy.store import stored_text
from support.collections_asked import asked

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "javascript"


def test_the_client_is_served_byte_for_byte():
    files = page_files(asked("projective"), estimates=True)
    for path in CLIENT.glob("*.mjs"):
        assert files[f"/client/{path.name}"].body == path.read_bytes()


def test_every_module_that_a_page_imports_is_served():
    files = page_files(asked("projective"), estimates=True)
    for path, file in files.items():
        if path.endswith(".mjs"):
            for name in re.findall(r'from "\./([\w/.]+)"', file.body.decode()):
                assert f"{path.rpartition('/')[0]}/{name}" in files


def test_a_wheel_carries_the_modules_of_the_package_and_no_copy_is_kept():
    """One source: what npm publishes is what a wheel carries, from the same folder."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    carried = wheel["targets"]["wheel"]["force-include"]
    listed = json.loads((CLIENT / "package.json").read_text("utf-8"))["files"]
    modules = [name for name in listed if name.endswith(".mjs")]
    assert carried == {
        f"clients/javascript/{name}": f"dprivacy/collecting/client/{name}" for name in modules
    }
    assert sorted(modules) == sorted(path.name for path in CLIENT.glob("*.mjs"))
    assert client_folder() == CLIENT


def test_a_question_is_text_on_the_page():
    text = stored_text(randomised_response(["a", "b"], eps="ln 3"))
    made = Collection.of(text, question='<script>alert("x")</script> & more')
    page = page_files(made, estimates=True)["/"].body.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(&quot;x&quot;)" in page
    assert "{{" not in page


def test_a_question_that_looks_like_a_template_is_shown_as_it_is():
    text = stored_text(randomised_response(["a", "b"], eps="ln 3"))
    made = Collection.of(text, question="Is {{sha256}} or {{odds}} {{other}} your number?")
    for path in ("/", "/estimates"):
        page = page_files(made, estimates=True)[path].body.decode()
        assert "<h1" in page
        assert ">Is {{sha256}} or {{odds}} {{other}} your number?</h1>" in page


@pytest.mark.parametrize(("eps", "odds"), [("ln 3", "3"), ("1", "2.7183"), ("ln(7/2)", "3.5")])
def test_the_page_accepts_the_odds_of_the_mechanism_rounded_up(eps, odds):
    made = Collection.of(stored_text(randomised_response(["a", "b"], eps=eps)), question="?")
    page = page_files(made, estimates=True)["/"].body.decode()
    assert f'data-odds="{odds}"' in page
    assert Fraction(odds) >= made.wire.largest_odds


def test_the_mark_of_the_collection_is_not_public():
    made = asked("projective")
    assert all(
        made.mark.encode() not in file.body for file in page_files(made, estimates=True).values()
    )
