"""The JavaScript client stays small: 10 kB for each of its two doors, minified."""

import json
import re
import shutil
import subprocess

import pytest

from support.node_tests import CLIENT

MINIFIER = shutil.which("esbuild", path=CLIENT / "node_modules" / ".bin") or shutil.which("esbuild")
DOORS = ("client.mjs", "places.mjs")


@pytest.mark.parametrize("door", DOORS)
def test_a_door_takes_at_most_10_kb(door):
    if MINIFIER is None:
        pytest.skip("esbuild is not installed; the test below bounds the size without it")
    command = [MINIFIER, "--bundle", "--minify", "--format=esm", "--target=es2022", door]
    found = subprocess.run(command, cwd=CLIENT, capture_output=True, check=True).stdout
    print(f"{door}: {len(found):,} bytes minified")
    assert len(found) <= 10_000


def stripped(text):
    """A module without comments, indentation and line ends: names stay as long as they are."""
    text = re.sub(r"/\*.*?\*/|^\s*//.*?$|\s// .*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"\s*\n\s*", "", text)


def needed(door):
    """The modules behind a door."""
    found, left = set(), [door]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += re.findall(r'from "\./([a-z]+\.mjs)"', (CLIENT / name).read_text())
    return found


@pytest.mark.parametrize(("door", "most"), [("client.mjs", 19_000), ("places.mjs", 16_000)])
def test_without_comments_and_white_space_it_is_small_too(door, most):
    size = sum(len(stripped((CLIENT / name).read_text()).encode()) for name in needed(door))
    assert most - 2000 < size <= most


def test_the_package_has_what_its_doors_need():
    told = json.loads((CLIENT / "package.json").read_text())
    listed = set(told["files"])
    assert listed >= set().union(*(needed(door) for door in DOORS))
    assert all((CLIENT / name).is_file() for name in listed)
    doors = told["exports"]
    for name, door in zip((".", "./places"), DOORS, strict=True):
        assert doors[name] == {"types": f"./{door[:-4]}.d.ts", "default": f"./{door}"}
        assert f"{door[:-4]}.d.ts" in listed
    assert (told["license"], told["sideEffects"], told["type"]) == ("Apache-2.0", False, "module")
    assert "dependencies" not in told
    assert (CLIENT / "LICENSE").read_text() == (CLIENT.parents[1] / "LICENSE").read_text()
