"""A released table that is a folder of Parquet files, as clusters write it, with its card inside.

The card lists the files, and the release is what it lists: a file that is not listed is nobody's.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.release.plans.listed_files import listed, listing_hash

_NO_DATA = ("_", ".")  # how names of other files begin


def data_files(folder: Path, output: Mapping[str, Any]) -> list[Path]:
    """The files of a release in a folder of this machine, by name; BadFile where there are none.

    Those that the card lists; all that are data where none of them is there, as in a copy that was
    written anew.
    """
    found = [folder / file.name for file in listed(output)]
    if not any(path.exists() for path in found):
        found = [path for path in folder.iterdir() if not path.name.startswith(_NO_DATA)]
    if not found:
        raise BadFile(f"{folder}: holds no files of data")
    return sorted(found)


def require_listed(sizes: Mapping[str, int], output: Mapping[str, Any], folder: str) -> None:
    """BadFile where a file that the card lists is missing or of another size, by names and sizes."""
    files = listed(output)
    if not files or any(sizes.get(file.name) != file.bytes for file in files):
        raise BadFile(
            f"{folder}: files were taken out of this folder or changed since its card was written"
        )


def sizes_in(folder: Path) -> dict[str, int]:
    """Names and sizes of the files in a folder of this machine, and in the folders of it."""
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file()
    }


def folder_findings(folder: Path, output: Mapping[str, Any]) -> Iterator[str]:
    """What in a folder of this machine is not as its card lists it, with the hash of every file."""
    files, sizes = listed(output), sizes_in(folder)
    if not files or listing_hash(files) != output.get("sha256"):
        yield "output.sha256: is not the hash of the files that the card lists"
    for file in files:
        if file.name not in sizes:
            yield f"output.files: {file.name} is missing in {folder}"
        else:
            with (folder / file.name).open("rb") as data:
                found = hashlib.file_digest(data, "sha256").hexdigest()
            if found != file.sha256:
                yield f"output.files: {file.name} in {folder} is not the file that the card lists"
    names = {file.name for file in files}
    for name in sorted(sizes):
        if name not in names and not name.startswith(_NO_DATA):
            yield (
                f"output.files: {name} in {folder} is in no list; it is not part of the release, and "
                "should be deleted"
            )
