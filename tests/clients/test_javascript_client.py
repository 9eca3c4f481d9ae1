"""The JavaScript client refuses files that lie, and sends what it stored."""

import json

import pytest

from dprivacy.errors import DPrivacyError
from dprivacy.store.stored_nouns import from_text
from support.client_attacks import accepted_files, lying_files, unwanted_files
from support.node_tests import run_node


def test_python_refuses_the_same_lies():
    believed = []
    for name, text in lying_files():
        try:
            believed.append((name, from_text(text)))
        except DPrivacyError:
            continue
    assert believed == []


@pytest.mark.service("node")
def test_javascript_refuses_files_that_lie(tmp_path):
    files = {"lying": lying_files(), "unwanted": unwanted_files(), "accepted": accepted_files()}
    told = json.dumps({kind: list(some) for kind, some in files.items()})
    (tmp_path / "attacks.json").write_text(told)
    run_node("hostile.test.mjs", VECTORS=tmp_path)


@pytest.mark.service("node")
def test_javascript_draws_a_report_once_and_has_the_types_it_says():
    run_node("device.test.mjs")
    run_node("types.test.mjs")
