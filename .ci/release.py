"""Build the sdist and the wheel, twice; then use the wheel as people will, in empty environments.

    python .ci/release.py [--keep FOLDER] [--tag v0.1.0]

Two builds must agree in every byte. For each Python that can be had (3.11 to 3.14 on the path, or this
one) the wheel, built from the sdist, goes into an environment of its own, which says what it weighs
and runs a smoke test and `dprivacy demo`. Then the package runs as a folder copied into another
project, and as a zipapp. Needs hatchling, and a package index for the dependencies.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipapp
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SMOKE = """
import dprivacy as dp
response = dp.randomised_response(["yes", "no"], eps="ln 3")
assert dp.privacy(response, eps="ln 3") and not dp.privacy(response, eps="ln 2")
assert sorted(set(response.randomise(["yes", "no"] * 200))) == ["no", "yes"]
best = dp.optimal(dp.line(4), eps="ln 2", prior=["1/4"] * 4, loss="euclidean")
assert best.certificate.privacy and best.gap == 0
print(dp.__version__, best.loss)
"""


def said(command: list[str], **how: object) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, **how)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def built(folder: Path) -> list[Path]:
    """The sdist, and the wheel that is built from it."""
    said([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)], cwd=ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as unpacked:
        with tarfile.open(sdist) as archive:
            archive.extractall(unpacked, filter="data")
        (source,) = Path(unpacked).iterdir()
        said(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
            cwd=source,
        )
    (wheel,) = folder.glob("*.whl")
    return [sdist, wheel]


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def megabytes(folder: Path) -> int:
    """What the files of a folder weigh together."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) // 10**6


def environment(python: str, folder: Path) -> Path:
    """An empty environment of this Python; its own python."""
    if python == sys.executable:
        venv.create(folder, with_pip=True)
    else:
        said([python, "-m", "venv", str(folder)])
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def others() -> dict[str, str]:
    """Every supported Python at hand, by its version."""
    this = ".".join(map(str, sys.version_info[:2]))
    found = {version: shutil.which(f"python{version}") for version in PYTHONS}
    return {v: p for v, p in found.items() if p and v != this and runs(p)} | {this: sys.executable}


def runs(python: str) -> bool:
    """Whether a Python on the path is one; pyenv has names there for those that are not chosen."""
    return not subprocess.run([python, "-c", ""], check=False, capture_output=True).returncode


def main() -> None:
    """Build, compare, install and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, help="where the sdist and the wheel go")
    parser.add_argument("--tag", help="the tag that is published; it must name this version")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        first, second = (built(room / name) for name in ("one", "two"))
        for a, b in zip(first, second, strict=True):
            if digest(a) != digest(b):
                sys.exit(f"{a.name}: two builds differ")
            print(f"{digest(a)}  {a.name}  {a.stat().st_size / 1e6:.1f} MB, two builds agree")
        sdist, wheel = first
        version = wheel.name.split("-")[1]
        if asked.tag is not None and asked.tag != f"v{version}":
            sys.exit(f"the tag is {asked.tag}, and the version is {version}")
        for python, at in sorted(others().items()):
            own = environment(at, room / python)
            empty = megabytes(room / python)
            said([str(own), "-m", "pip", "install", "--quiet", f"{wheel}[table]"])
            smoke = said([str(own), "-I", "-c", SMOKE], cwd=room).strip()
            demo = said([str(own), "-I", "-m", "dprivacy", "demo"], cwd=room)
            weight = megabytes(room / python) - empty
            print(
                f"Python {python}: {weight} MB, smoke test {smoke}, demo {len(demo.splitlines())} lines"
            )
        said([str(own), "-m", "pip", "uninstall", "--quiet", "-y", "dprivacy"])
        unpacked = room / "copied"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(unpacked)
        for path in unpacked.glob("*.dist-info"):  # a copy in another project's folder has none
            shutil.rmtree(path)
        beside = os.environ | {"PYTHONPATH": str(unpacked)}
        said([str(own), "-m", "dprivacy", "demo"], cwd=room, env=beside)
        said([str(own), "-c", SMOKE], cwd=room, env=beside)
        print("as a folder copied into another project: demo and smoke test")
        packed = room / "dprivacy.pyz"
        zipapp.create_archive(unpacked, packed, main="dprivacy.cli:main")
        said([str(own), str(packed), "demo"], cwd=room)
        print(f"as a zipapp of {packed.stat().st_size / 1e6:.1f} MB: demo")
        if asked.keep is not None:
            asked.keep.mkdir(parents=True, exist_ok=True)
            for path in (sdist, wheel):
                shutil.copy2(path, asked.keep)


if __name__ == "__main__":
    main()
