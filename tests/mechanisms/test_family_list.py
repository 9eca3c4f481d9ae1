"""Every family has a page, a statement and cases, and adding one is as easy as CONTRIBUTING says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dprivacy
from dprivacy.mechanisms import FAMILIES
from dprivacy.sources import statements

SOURCE = Path(dprivacy.__file__).parent
ROOT = Path(__file__).parents[2]
FENCE = re.compile(r'^(`{3,})(\w+) title="([^"]+)"\n(.*?)^\1$', re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_has_a_page_a_statement_and_a_case(family):
    page = ROOT / "docs" / "mechanisms" / family.page
    assert page.exists()
    text = page.read_text(encoding="utf-8")
    assert text.count("\n```python exec=") >= 2
    assert "print(svg(" in text.partition("## What it looks like")[2]
    assert f"mechanisms/{family.page}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert tuple(family.because.split(" ", 1)) in statements()
    assert family.cases
    assert family.summary
    assert set(family.usual_for) <= set(family.fits)


def test_no_page_is_left_behind():
    pages = {path.name for path in (ROOT / "docs" / "mechanisms").glob("*.md")} - {"index.md"}
    assert pages == {family.page for family in FAMILIES}


def follow(text: str, project: Path) -> list[str]:
    """Do what the fences of a text say: make files, add to the end, or add lines below others."""
    touched = []
    for _, language, name, block in FENCE.findall(text):
        file = project / name
        touched.append(name)
        if language == "diff":
            lines = file.read_text(encoding="utf-8").splitlines()
            at = 0
            for mark, line in ((line[0], line[1:]) for line in block.splitlines()):
                at = at + 1 if mark == "+" else lines.index(line)
                if mark == "+":
                    lines.insert(at, line)
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as end:
                end.write(block)
    return touched


@pytest.mark.parametrize(
    ("file", "least"),
    [("family_list", 10), pytest.param("conformance", 50, marks=pytest.mark.slow)],
)
def test_what_contributing_says_of_adding_a_mechanism_is_so(file, least, tmp_path):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text[text.index("## Add a mechanism") : text.index("## Write an error")]
    clutter = shutil.ignore_patterns("__pycache__", "*.pyc")
    shutil.copytree(SOURCE, tmp_path / "src" / "dprivacy", ignore=clutter)
    shutil.copytree(ROOT / "docs" / "mechanisms", tmp_path / "docs" / "mechanisms")
    shutil.copytree(
        ROOT / "tests" / "mechanisms", tmp_path / "tests" / "mechanisms", ignore=clutter
    )
    shutil.copytree(ROOT / "tests" / "support", tmp_path / "tests" / "support", ignore=clutter)
    for name in ("tests/conftest.py", "mkdocs.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    touched = follow(section, tmp_path)
    assert "docs/mechanisms/staircase.md" in touched
    asked = [name for name in touched if Path(name).name.startswith("test_")]
    modules = [name for name in touched if name.endswith("_noise.py") and name not in asked]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-n", "0", "--doctest-modules"),
            *(
                *asked,
                *modules,
                f"tests/mechanisms/test_{file}.py",
                "-k",
                "staircase or left_behind",
            ),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src"), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(".") >= least, done.stdout
