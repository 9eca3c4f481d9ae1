"""The command line as one piece: its help, its exit codes, its streams, and what it keeps to itself."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from dprivacy.cli import commands
from dprivacy.cli.verb_table import LEFT, RIGHT, VERBS
from support.command_runs import OLD, command, prepare
from support.patience import wait_until

CANARY = "CANARY-7f3a"


def process(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dprivacy", *words], capture_output=True, text=True, check=False,
        timeout=120, **options,
    )  # type: ignore[call-overload,no-any-return]  # fmt: skip


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
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]"

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
            _, err = running.communicate(timeout=60)
        assert running.returncode == 130
        assert err.strip() == b"error: interrupted"

    def test_a_reader_who_leaves(self) -> None:
        words = [sys.executable, "-m", "dprivacy", "verify", "--example", "geometric"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.close()
            err = running.stderr.read()
            running.wait(timeout=60)
        assert (running.returncode, err) == (141, b"")


class TestStreams:
    def test_a_matrix_from_standard_input(self) -> None:
        done = command("verify", "-", "--space", "line", "--json", stdin=OLD)
        assert json.loads(done.out)["smallest"] == "ln(2)"
        done = command("verify", "-", "--json", stdin='[["3/4", "1/4"], ["1/4", "3/4"]]')
        assert json.loads(done.out)["smallest"] == "ln(3)"

    def test_errors_call_it_by_its_name(self) -> None:
        done = command("verify", "-", stdin="nothing")
        assert done.code == 1
        assert done.err.startswith("error: standard input: needs a line")

    def test_only_once(self) -> None:
        assert command("compare", "-", "-", stdin=OLD).code == 2

    def test_a_table_and_a_plan(self, tmp_path: Path) -> None:
        command("demo", "-o", tmp_path)
        table = (tmp_path / "survey.csv").read_text()
        plan = command("inspect", "-", stdin=table).out
        assert "[columns.hobby]" in plan
        assert command("plan", "-", stdin=(tmp_path / "plan.toml").read_text()).code == 0
        before = set(Path("/tmp").glob("dprivacy-*"))
        done = command(
            "sanitise", "-", "-p", tmp_path / "plan.toml", "-o", tmp_path / "out.csv", stdin=table
        )
        assert done.code == 0, done.err
        assert len((tmp_path / "out.csv").read_text().splitlines()) == 1201
        assert set(Path("/tmp").glob("dprivacy-*")) <= before  # nothing is left behind
        sql = "SELECT count(*) AS n FROM data"
        asked = command("query", tmp_path / "out.csv", "-", "--json", stdin=sql)
        assert json.loads(asked.out)["rows"] == [[1200]]

    def test_a_mechanism_to_standard_output(self) -> None:
        words = ("optimal", "--space", "line:3", "--epsilon", "ln 2", "-o", "-")
        done = command(*words)
        assert json.loads(done.out)
        assert "proved" in done.err
        assert command(*words, "--json").code == 2

    def test_matches_to_standard_output(self, tmp_path: Path) -> None:
        ratings = "user,item,rating\n" + "".join(f"p{k},a,{k}\np{k},b,1\n" for k in range(4))
        words = ("match", "-", "--epsilon", "1", "-k", "1", "-o", "-")
        done = command(*words, stdin=ratings)
        assert done.out.splitlines()[0] == "person,rank,match,bits_that_differ"
        assert len(done.out.splitlines()) == 5

    def test_progress_only_when_asked_for(self) -> None:
        words = ("kernels", "--space", "line:4", "--count")
        assert command(*words).err == ""
        assert "pairs" in command(*words, "--progress").err


class TestCompletion:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_scripts(self, shell: str) -> None:
        done = command("completion", shell)
        assert done.code == 0
        assert f"_DPRIVACY_COMPLETE={shell}_complete" in done.out
        assert json.loads(command("completion", shell, "--json").out)["script"] in done.out

    def complete(self, line: str) -> list[str]:
        """What bash would offer at the end of a line, by the variables that its script sets."""
        words = line.split(" ")
        told = {
            "_DPRIVACY_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
        }
        done = process(env={**os.environ, **told})
        return [one.partition(",")[2] for one in done.stdout.splitlines()]

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


class TestLeakage:
    def test_numbers(self) -> None:
        """By hand: uniform prior on 4, 2/5 on the diagonal."""
        words = ("leakage", "--example", "response", "--gain", "identity", "--gain", "tries:2")
        answer = json.loads(command(*words, "--json").out)
        assert answer["gains"]["identity"] == {
            "before": "1/4",
            "after": "2/5",
            "after_at_worst": "2/5",
            "leakage": "8/5",
            "leakage_additive": "3/20",
            "leakage_at_worst": "8/5",
        }
        assert answer["gains"]["tries:2"]["after"] == "3/5"  # 2/5 and one of the 1/5
        assert answer["capacity"] == "8/5"
        assert "multiplies it by 8/5" in command(*words).out

    def test_named_gains_priors_and_tables(self, tmp_path: Path) -> None:
        (tmp_path / "prior.csv").write_text("0,1/2\n1,1/2\n2,0\n")
        (tmp_path / "gain.csv").write_text("w,0,1,2\nguess,1,0,0\npass,1/2,1/2,1/2\n")
        words = ["leakage", "--example", "geometric", "--prior", "prior.csv", "--json"]
        for gain in ("metric", "within:1", "property:0,2", "gain.csv"):
            words += ["--gain", gain]
        gains = json.loads(command(*words, folder=tmp_path).out)["gains"]
        # Output 0 has 1/3 from 0 and 1/6 from 1: guessing gains 1/3, passing 1/4. Outputs 1 and 2
        # have 1/12 from 0 and 1/6 from 1: passing gains 1/8. 1/3 + 1/8 + 1/8.
        assert (gains["gain.csv"]["before"], gains["gain.csv"]["after"]) == ("1/2", "7/12")
        assert gains["property:0,2"]["before"] == "1/2"
        assert gains["within:1"]["leakage"] == "1"

    def test_a_limit(self) -> None:
        assert command("leakage", "--example", "response", "--at-most", "8/5").code == 0
        done = command("leakage", "--example", "response", "--at-most", "1.5")
        assert done.code == 3
        assert "more than 1.5" in done.out

    @pytest.mark.parametrize(
        "gain", ["luck", "tries:x", "property:doctor", "within:far", "none.csv"]
    )
    def test_refusals(self, gain: str) -> None:
        done = command("leakage", "--example", "response", "--gain", gain)
        assert (done.code, done.out) == (1, "")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4,000 people: half of the north smokes, a tenth of the south; incomes 1 + 2 of smokers."""
    place = tmp_path_factory.mktemp("regress")
    rows = []
    for k in range(4000):
        north = k % 2
        smokes = (k // 2) % 10 < (5 if north else 1)
        rows.append(f"{'north' if north else 'south'},{'yes' if smokes else 'no'},{1 + 2 * smokes}")
    (place / "t.csv").write_text("region,smokes,income\n" + "\n".join(rows) + "\n")
    (place / "plan.toml").write_text(
        'pass_through = ["region", "income"]\n[columns.smokes]\ntype = "categories"\n'
        'values = ["no", "yes"]\nepsilon = "ln 9"\n'
    )
    assert command("sanitise", "t.csv", "-p", "plan.toml", "-o", "r.csv", folder=place).code == 0
    return place


class TestRegression:
    def test_a_protected_outcome(self, people: Path) -> None:
        words = ("estimate", "r.csv", "--regress", "smokes ~ region", "--json")
        found = json.loads(command(*words, folder=people).out)
        south = found["coefficients"]["region=south"]
        # The true log odds: ln(1/9) − ln(1) = −2.197; the band is more than six errors wide.
        assert found["standard_errors"]["region=south"] < 0.17
        assert abs(south + 2.197) < 1.1

    def test_a_protected_covariate(self, people: Path) -> None:
        words = (
            "estimate",
            "r.csv",
            "--regress",
            "income ~ smokes",
            "--family",
            "linear",
            "--json",
        )
        found = json.loads(command(*words, folder=people).out)["coefficients"]
        # Uncorrected, the slope would be nearer to 1.
        assert found["intercept"] == pytest.approx(1, abs=0.15)
        assert found["smokes=yes"] == pytest.approx(2, abs=0.3)

    def test_refusals(self, people: Path) -> None:
        words = ("estimate", "r.csv", "--regress")
        for model in ("smokes ~ q", "smokes ~ smokes"):
            assert command(*words, model, folder=people).code == 1
        for model in ("smokes", "~ region", "smokes ~"):
            assert command(*words, model, folder=people).code == 2
        assert command(*words, "smokes ~ region", "--mean", folder=people).code == 2


def test_the_demo_tells_the_whole_story(tmp_path: Path) -> None:
    done = command("demo", "-o", "d", folder=tmp_path)
    assert done.code == 0
    for step in ("1. Protect", "2. Publish", "3. Attack", "4. Estimate", "5. Query"):
        assert step in done.out
    assert "Probability of guessing a person's hobby" in done.out
    lines = done.out.splitlines()
    assert max(len(line) for line in lines if not line.startswith("   $")) <= 80
    named = [line for line in lines if line.startswith("   $ dprivacy")]
    assert len(named) == 5
    for line in named:
        if "sanitise" not in line:  # what it writes is there by now
            assert command(*shlex.split(line)[2:], folder=tmp_path).code == 0, line


BAD = {
    "sanitise": ("t.csv", f"name,region,hobby,smokes,health\nx,n,{CANARY},yes,bad\n",
                 ["sanitise", "t.csv", "-p", "plan.toml", "-o", "o.csv"]),
    "inspect": ("t.csv", f"a,b\n{CANARY}\n", ["inspect", "t.csv"]),
    "plan": ("p.toml", f"x = = '{CANARY}'", ["plan", "p.toml"]),
    "estimate": ("released.csv", f"region,hobby,smokes,health\nn,{CANARY},yes,bad\n",
                 ["estimate", "released.csv", "--card", "released.csv.card.json"]),
    "query": ("released.csv", f"region,hobby,smokes,health\nn,{CANARY},yes,bad\n",
              ["query", "released.csv", "SELECT nothing FROM data", "--card",
               "released.csv.card.json"]),
    "attack": ("released.csv", f"region,hobby,smokes,health\nn,{CANARY},yes,bad\n",
               ["attack", "released.csv", "--secret", "hobby", "--card", "released.csv.card.json"]),
    "geo": ("t.csv", f"lat,lon\n40.7,{CANARY}\n", ["geo", "t.csv", "-o", "o.csv"]),
    "curves": ("t.csv", f"a,b\n1,{CANARY}\n",
               ["curves", "t.csv", "--epsilon", "1", "--grid", "1", "-o", "o.csv"]),
    "match": ("t.csv", f"user,item,rating\nu,i,{CANARY}\n", ["match", "t.csv", "--epsilon", "1"]),
    "text": ("t.txt", f"{CANARY} \udcff", ["text", "t.txt", "--epsilon", "1"]),
    "text refuses": ("t.txt", f"{CANARY}", ["text", "t.txt", "--epsilon", "1", "--unknown", "refuse"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("canary"))


@pytest.mark.parametrize("verb", BAD)
@pytest.mark.parametrize("way", ["words", "json", "stdin"])
def test_no_record_is_quoted(verb: str, way: str, prepared: Path, tmp_path: Path) -> None:
    """A value of a record is in no message, whatever is wrong with the file."""
    name, content, words = BAD[verb]
    for needed in ("plan.toml", "released.csv.card.json"):
        (tmp_path / needed).write_bytes((prepared / needed).read_bytes())
    (tmp_path / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    words = list(words)
    stdin = ""
    if way == "json":
        words.append("--json")
    elif way == "stdin" and verb not in ("estimate", "query", "attack"):
        words[words.index(name)], stdin = "-", content.replace("\udcff", "")
    done = command(*words, stdin=stdin, folder=tmp_path)
    assert CANARY not in done.err
    assert CANARY not in done.out
    if not verb.startswith("text"):
        assert done.code == 1, done
        assert done.out == ""
        assert done.err.count("\n") == 1
