"""The wheel: built twice it is the same, it holds what the package needs, and it runs from a zip."""

import hashlib
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dprivacy"
builders = pytest.importorskip("hatchling.builders.wheel", reason="hatchling is not installed")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheel, built twice, in two folders."""
    folders = [tmp_path_factory.mktemp("wheel") for _ in range(2)]
    return [
        Path(next(iter(builders.WheelBuilder(str(ROOT)).build(directory=str(folder)))))
        for folder in folders
    ]


def test_two_builds_have_one_hash(wheels) -> None:
    first, second = (hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels)
    assert first == second


def test_the_wheel_holds_the_package_and_nothing_else(wheels) -> None:
    with zipfile.ZipFile(wheels[0]) as wheel:
        inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
    ours = {
        f"dprivacy/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    client = {
        f"dprivacy/collecting/client/{path.name}"
        for path in (ROOT / "clients" / "javascript").glob("*.mjs")
    }
    assert inside >= ours | {"dprivacy/py.typed"}
    assert inside - ours <= client


def test_one_version_everywhere(wheels) -> None:
    import dprivacy

    version = dprivacy.__version__
    assert wheels[0].name == f"dprivacy-{version}-py3-none-any.whl"
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    assert f'version: "{version}"' in recipe
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert all(each.replace(">=", " >=") in recipe for each in needed["dependencies"])


def test_the_package_runs_from_a_zip_without_being_installed(wheels, tmp_path) -> None:
    pytest.importorskip("pyarrow", reason="the demo needs pyarrow")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    program = (
        f"import sys; sys.path.insert(0, {str(wheels[0])!r}); import dprivacy.cli as c; c.main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "demo"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "dprivacy" in ran.stdout
    program = program.replace(
        "import dprivacy.cli as c; c.main()", "import dprivacy as d; print(d.__file__)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert str(wheels[0]) in ran.stdout
    assert not list(tmp_path.rglob("*.pyc"))
