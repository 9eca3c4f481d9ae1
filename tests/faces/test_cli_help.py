"""The help page, and what a shell completes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from dprivacy.cli import commands
from dprivacy.cli.verb_table import LEFT, RIGHT, VERBS
from support.command_runs import command
from support.programs import printed


class TestHelp:
    def test_it_fits_30_lines_of_80(self) -> None:
        text = click.unstyle(CliRunner(env={"COLUMNS": "80"}).invoke(commands, ["--help"]).output)
        lines = text.splitlines()
        assert len(lines) <= 30
        assert max(map(len, lines)) <= 80
        for verb in VERBS.values():
            assert f"  {verb.name:<10} {verb.short}" in text

    def test_a_narrow_terminal_has_one_column(self) -> None:
        text = CliRunner(env={"COLUMNS": "60"}).invoke(commands, ["-h"]).output
        assert all(f"  {verb.name:<10} {verb.short}" in text for verb in VERBS.values())

    def test_the_columns_hold_their_words(self) -> None:
        for side, most in ((LEFT, 27), (RIGHT, 25)):
            for verbs in side.values():
                assert all(len(verb.short) <= most for verb in verbs)

    def test_it_loads_no_verb_and_takes_no_time(self) -> None:
        program = (
            "import sys; sys.argv = ['dprivacy', '--help']\n"
            "from dprivacy.cli import commands\n"
            "commands.main(standalone_mode=False)\n"
            "print([m for m in sys.modules if m.split('.')[0] in ('numpy', 'rich', 'pyarrow')"
            " or m in ('dprivacy.cli.verbs.tables', 'dprivacy.release', 'dprivacy.model')])"
        )
        assert printed(program).splitlines()[-1] == "[]"

    def test_a_broken_verb_leaves_the_others_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "dprivacy.cli.verbs.geo", None)  # its import now fails
        assert command("geo", "--help").code == 1
        assert command("--help").code == 0
        assert command("verify", "--example", "geometric").code == 0

    def test_unknown_verbs(self) -> None:
        done = command("sanitize")
        assert done.code == 2
        assert done.err.startswith("error: ")
        assert "sanitise" in done.err


class TestCompletion:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_scripts(self, shell: str) -> None:
        done = command("completion", shell)
        assert done.code == 0
        assert f"_DPRIVACY_COMPLETE={shell}_complete" in done.out
        assert json.loads(command("completion", shell, "--json").out)["script"] in done.out

    def complete(self, line: str) -> list[str]:
        """What bash would offer at the end of a line."""
        *words, last = line.split(" ")
        shell = BashComplete(commands, {}, "dprivacy", "_DPRIVACY_COMPLETE")
        return [item.value for item in shell.get_completions(words[1:], last)]

    def test_verbs_options_and_choices(self) -> None:
        assert self.complete("dprivacy e") == ["estimate", "extreme"]
        assert "--epsilon" in self.complete("dprivacy verify --e")
        assert self.complete("dprivacy verify --example g") == ["geometric"]
        assert self.complete("dprivacy ledger b") == ["budget"]

    def test_in_a_real_bash(self, tmp_path: Path) -> None:
        script = tmp_path / "dprivacy.bash"
        script.write_text(command("completion", "bash").out)
        program = (
            f"source {script}; COMP_WORDS=(dprivacy sani); COMP_CWORD=1; "
            '_dprivacy_completion dprivacy; echo "${COMPREPLY[@]}"'
        )
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        try:
            done = subprocess.run(
                ["bash", "-c", program], capture_output=True, text=True, check=True,
                env={**os.environ, "PATH": path},
            )  # fmt: skip
        except FileNotFoundError:
            pytest.skip("there is no bash")
        assert done.stdout.strip() == "sanitise"
