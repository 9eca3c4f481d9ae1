"""Texts in a column, in lines of JSON or in a folder: a plan of one column, and its uses."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.progress_line import counting
from dprivacy.errors import NotApplicable
from dprivacy.model import file_text
from dprivacy.release import (
    TABLE_ENDINGS,
    Plan,
    card_path,
    folder_files,
    folder_table,
    parsed_toml,
    preview_texts,
    sanitise_file,
    sanitise_folder,
    whole_table,
)
from dprivacy.text import name_membership, reconstruct, unknown_words


@dataclass(frozen=True)
class TextTable:
    """Where texts lie, in which column of it, and how that is written."""

    place: Path
    column: str
    pattern: str = "**/*.txt"
    written: dict[str, Any] = field(default_factory=dict)

    def texts(self) -> list[str]:
        """All texts, for their owner: a missing one is empty."""
        if self.place.is_dir():
            files = folder_files(self.place, self.pattern)
            table = folder_table(self.place, files, encoding=self.written.get("encoding"))
        else:
            table = whole_table(self.place, [self.column], **self.written)
        found = table.column(self.column).to_pylist()
        return ["" if text is None else str(text) for text in found]


def is_table(document: Path) -> bool:
    """Whether a path is a table, by its ending, and so needs the name of a column."""
    ends = {end.lower() for end in document.suffixes}
    return bool(ends & set(TABLE_ENDINGS) - {".txt", ".gz"})


def settings(
    *,
    level: str | None,
    whole: str | None,
    length: int | None,
    vectors: Path | None,
    sha256: str | None,
    most_words: int | None,
    topics: Path | None,
    names: Path | None,
    accept_readable: bool,
    layout: str,
    unknown: str,
    stop_words: str,
) -> dict[str, Any]:
    """The settings of a column of texts, as a plan has them."""
    spec: dict[str, Any] = {"type": "text", "nulls": "empty"}
    spec |= {"epsilon": level} if level is not None else {}
    spec |= {"level": whole} if whole is not None else {}
    if vectors is not None:
        spec["vocabulary"] = str(vectors)
        spec |= {"sha256": sha256} if sha256 else {}
        spec |= {"most_words": most_words} if most_words is not None else {}
    if topics is not None:
        classifier = topics.suffix.lower() == ".csv"
        found = str(topics) if classifier else parsed_toml(file_text(topics), str(topics))
        return spec | {"keep": "topic", "classifier" if classifier else "topics": found}
    spec |= {"keep": layout, "length": length}
    spec |= {"unknown": unknown} if unknown != "replace" else {}
    spec |= {"stop_words": stop_words} if stop_words != "protect" else {}
    spec |= {"names": str(names)} if names is not None else {}
    spec |= {"accept_readable": True} if accept_readable else {}
    return {key: value for key, value in spec.items() if value is not None}


def plan_data(spec: dict[str, Any], where: TextTable, **listed: tuple[str, ...]) -> dict[str, Any]:
    """The plan of one column of texts; others are named or refused."""
    if where.place.is_dir():
        return {"columns": {"text": spec}, "pass_through": ["file"]}
    named = {key: list(names) for key, names in listed.items() if names}
    return {"columns": {where.column: spec}, **named}


def plan_toml(data: dict[str, Any]) -> str:
    """A plan as a person would write it."""
    lines = [f"{key} = {_toml(value)}" for key, value in data.items() if key != "columns"]
    for name, spec in data["columns"].items():
        lines += ["", f"[columns.{json.dumps(name, ensure_ascii=False)}]"]
        lines += [f"{key} = {_toml(value)}" for key, value in spec.items()]
    return "\n".join(lines).lstrip("\n")


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(
            f"{json.dumps(k, ensure_ascii=False)} = {_toml(v)}" for k, v in value.items()
        )
        return f"{{ {inner} }}"
    return json.dumps(value, ensure_ascii=False)


def show_preview(where: TextTable, data: dict[str, Any], *, terminal: bool) -> None:
    """Ten texts before and after, on a terminal: they are true texts, and nothing is written."""
    if not terminal:
        raise NotApplicable(
            "a preview shows true texts, and is for a terminal alone; standard output is a file or pipe"
        )
    column = Plan.read(data).columns[0]
    found = preview_texts(where.texts(), column)
    for k, after in enumerate(found.after):
        marks = "\x1b[4m", "\x1b[24m"
        click.echo(f"- {found.marked(k, *marks)}\n+ {after}")
    kinds = ", ".join(f"{kind} {n}" for kind, n in found.counts.items()) or "nothing"
    click.echo(f"Found in these texts: {kinds}. The release draws noise of its own.", err=True)
    if told := unknown_words(found.unknown):
        click.echo(f"warning: {told}", err=True)


def show_attack(
    where: TextTable,
    public: Path | None,
    every: list[dict[str, Any]],
    name: str | None,
    *,
    as_json: bool,
) -> None:
    """What a reader gets back of the texts, at each level."""
    texts = where.texts()
    known = None if public is None else replace(where, place=public).texts()
    rows = []
    for data in every:
        column = Plan.read(data).columns[0]
        if column.listed:
            raise click.UsageError(
                "topics are not words and cannot be read back; leave out --topics"
            )
        found = reconstruct(texts, column.mechanism, public=known)
        rows.append({"epsilon": str(column.mechanism.guarantee.eps), **found.to_dict()})
        told = found.explain()
        if name is not None:
            member = name_membership(texts, name, column.mechanism)
            rows[-1]["membership"] = member.to_dict()
            told = f"{told}\n{member.explain()}"
        if not as_json:
            sentence = column.mechanism.guarantee.space.sentence(column.mechanism.guarantee.eps)
            click.echo(f"ε = {rows[-1]['epsilon']}: {sentence}\n{told}")
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))


def protect(
    where: TextTable, data: dict[str, Any], output: Path, *, progress: bool, **how: Any
) -> tuple[Any, str]:
    """Write the protected copy in the shape of the source; what was released, and where it lies."""
    folder = where.place.is_dir()
    with counting("texts" if folder else "rows", asked=progress) as told:
        if folder:
            if how.pop("replace"):
                raise click.UsageError("--replace is for files; choose another name for the folder")
            encoding = where.written.get("encoding")
            done: Any = sanitise_folder(
                where.place,
                data,
                output,
                pattern=where.pattern,
                encoding=encoding,
                progress=told,
                **how,
            )
        else:
            done = sanitise_file(where.place, data, output, progress=told, **how, **where.written)
    return done, shared.wrote(output, card_path(output))
