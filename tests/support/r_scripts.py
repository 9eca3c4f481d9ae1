"""Scripts for R, whose numbers are compared with ours where R is installed."""

import shutil
import subprocess
from pathlib import Path

RSCRIPT = shutil.which("Rscript")
_QUIET = "options(digits = 15, warn = -1)\nsay <- function(n, x) cat(n, as.numeric(x), '\\n')\n"


def lacking(package: str) -> str:
    """Why R with a package is not here; "" where it is."""
    if RSCRIPT is None:
        return "R is not installed (Rscript; Debian's r-base-core)"
    asked = f"cat(requireNamespace('{package}', quietly = TRUE))"
    done = subprocess.run([RSCRIPT, "-e", asked], capture_output=True, text=True, check=False)
    return "" if done.stdout.strip() == "TRUE" else f"R has no package {package}"


def in_r(script: str, folder: Path) -> dict[str, list[float]]:
    """The numbers that a script says: `say("name", numbers)`, run in a folder."""
    assert RSCRIPT is not None
    (folder / "script.R").write_text(_QUIET + script, encoding="utf-8")
    done = subprocess.run(
        [RSCRIPT, "script.R"], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = (line.split() for line in done.stdout.splitlines() if line.strip())
    return {name: [float(number) for number in numbers] for name, *numbers in lines}
