"""How runs end: exit codes, errors as JSON, defects, interruptions, and readers who leave."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.command_runs import CANARY, command
from support.patience import PATIENCE, wait_until


class TestEnds:
    def test_codes(self, tmp_path: Path) -> None:
        good = command("verify", "--example", "geometric")
        assert (good.code, good.err) == (0, "")
        refused = command("verify", tmp_path / "none.csv")
        assert (refused.code, refused.out) == (1, "")
        wrong = command("verify", "--nothing")
        assert (wrong.code, wrong.out) == (2, "")
        assert wrong.err.count("\n") == 1
        assert "dprivacy verify --help" in wrong.err
        assert command("verify", "--example", "broken").code == 3

    def test_errors_as_json(self, tmp_path: Path) -> None:
        for words, code, kind in (
            (["verify", "none.csv", "--json"], 1, "BadFile"),
            (["verify", "--json", "--space"], 2, "Usage"),
            (["kernels", "--space", "line:3", "--epsilon", "1", "--json"], 1, "Uncertified"),
        ):
            done = command(*words, folder=tmp_path)
            assert (done.code, done.out) == (code, "")
            answer = json.loads(done.err)
            assert (answer["kind"], answer["exit_code"]) == (kind, code)
            assert answer["error"]

    def test_json_after_two_dashes_is_somebody_elses(self) -> None:
        done = command("audit", "--input", "a", "--input", "b", "--", "no-such-box", "--json")
        assert done.code == 1
        assert done.err.startswith("error: ")

    def test_a_defect_quotes_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*given: object, **options: object) -> None:
            raise RuntimeError(CANARY)

        monkeypatch.setattr("dprivacy.cli.verbs.verify.privacy", broken)
        done = command("verify", "--example", "geometric")
        assert (done.code, done.out) == (1, "")
        assert "unexpected RuntimeError" in done.err
        assert CANARY not in done.err
        monkeypatch.setenv("DPRIVACY_TRACEBACK", "1")
        with pytest.raises(RuntimeError, match=CANARY):
            command("verify", "--example", "geometric")

    def test_interrupted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def stopped(*given: object, **options: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("dprivacy.cli.verbs.verify.privacy", stopped)
        done = command("verify", "--example", "geometric")
        assert (done.code, done.out) == (130, "")
        assert done.err.strip() == "error: interrupted"

    def test_interrupted_by_a_signal(self, tmp_path: Path) -> None:
        box = tmp_path / "box"
        box.write_text("#!/bin/sh\ntouch under-way\nexec sleep 60\n")
        box.chmod(0o755)
        words = ["audit", "--input", "a", "--input", "b", "--", "./box", "{value}", "{n}"]
        # A background process may be told to ignore the signal, and its children inherit that.
        heeding = (
            "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
            "runpy.run_module('dprivacy', run_name='__main__', alter_sys=True)"
        )
        with subprocess.Popen(
            [sys.executable, "-c", heeding, *words], stderr=subprocess.PIPE, cwd=tmp_path
        ) as running:
            assert wait_until((tmp_path / "under-way").exists)
            running.send_signal(signal.SIGINT)
            _, err = running.communicate(timeout=PATIENCE)
        assert running.returncode == 130
        assert err.strip() == b"error: interrupted"

    def test_a_reader_who_leaves(self) -> None:
        words = [sys.executable, "-m", "dprivacy", "verify", "--example", "geometric"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.close()
            err = running.stderr.read()
            running.wait(timeout=PATIENCE)
        assert (running.returncode, err) == (141, b"")
