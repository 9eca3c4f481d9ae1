"""Jobs on a folder of texts that are killed at every call of the system; run as a program.

    python -m support.crash_folders FOLDER FIRST STEP    every STEP-th call from FIRST on

A child is killed by SIGKILL before that call, or half-way through a write; another one resumes. What
does not hold after a death is printed, one line each.
"""

import shutil
import signal
import sys
import warnings
from pathlib import Path

import pandas  # noqa: F401  # or Arrow imports it in every child

from dprivacy.release import Plan, prove_card, sanitise_folder
from dprivacy.release.jobs import job_start
from dprivacy.release.texts import folder_job
from support.crash_jobs import KEY, child, deadly, ended

TEXTS = {f"{'ab'[k % 2]}/note {k}.txt": f"the king met {k} old friends" for k in range(11)}
PLAN = Plan.read({
    "columns": {"text": {"type": "text", "epsilon": 2, "length": 3}}, "pass_through": ["file"],
})  # fmt: skip


def contents(folder):
    """All files of a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class Trials:
    def __init__(self, folder):
        self.source, self.place = folder / "in", folder / "out"
        for name, text in TEXTS.items():
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            (self.source / name).write_text(text)
        self.deaths, self.wanted = 0, {}
        self.calls = self._undisturbed(folder / "count")
        self.wanted = contents(self.output)

    @property
    def output(self):
        return self.place / "noisy"

    def fresh(self):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()

    def job(self, *, resume, kill=(0, False), told=None):
        def work():
            count = deadly(*kill)
            sanitise_folder(self.source, PLAN, self.output, resume=resume)
            if told is not None:
                told.write_text(str(count()))

        return work

    def _undisturbed(self, told):
        self.fresh()
        assert ended(child(self.job(resume=False, told=told))) == 0
        return int(told.read_text())

    def trial(self, at):
        """Killed once, and once more while it is resumed; then left alone."""
        self.fresh()
        resume = False
        for kill in ((at // 2, bool(at % 2)), (at // 3, False), None):
            if resume and self.finished():
                break
            code = ended(child(self.job(resume=resume, **({"kill": kill} if kill else {}))))
            self.deaths += code == -signal.SIGKILL
            if code not in (0, -signal.SIGKILL):
                print(f"call {at / 2}: exit code {code}", flush=True)
            if self.output.exists() and contents(self.output) != self.wanted:
                print(f"call {at / 2}: the folder is torn", flush=True)
            if code == 0:
                break
            resume = True
        self.check_end(at)

    def finished(self):
        """Whether the folder is in place and the journal is gone."""
        return self.output.exists() and not any(self.place.glob(".*journal"))

    def check_end(self, at):
        if not self.output.exists():
            print(f"call {at / 2}: no folder came out", flush=True)
        elif not prove_card(self.output / "_card.json", file=self.output).holds:
            print(f"call {at / 2}: the card does not fit", flush=True)
        for path in self.place.iterdir():
            if path.name.startswith(".") and path.is_dir():
                print(f"call {at / 2}: left over: {path.name}", flush=True)
            if path.is_file() and KEY.hex().encode() in path.read_bytes():
                print(f"call {at / 2}: the key is in {path.name}", flush=True)


def main():
    folder, first, step = sys.argv[1:]
    warnings.simplefilter("ignore")
    folder_job._CHUNK = 3
    job_start.run_key = lambda seed: KEY
    trials = Trials(Path(folder))
    for at in range(int(first), 2 * trials.calls + 2, int(step)):
        trials.trial(at)
    print(f"deaths {trials.deaths}")


if __name__ == "__main__":
    main()
