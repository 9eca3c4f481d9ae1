"""The whole command line: the group of all verbs, and the run that ends the process."""

import click

from dprivacy.cli.verb_table import Verbs


@click.group(
    cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(package_name="dprivacy", prog_name="dprivacy")
def commands() -> None:
    """Metric differential privacy: prove it, measure it, use it."""


def main() -> None:
    """Run the command line, and end the process with the exit code.

    Examples
    --------
    >>> import subprocess, sys
    >>> program = "from dprivacy.cli import main; main()"
    >>> words = [sys.executable, "-c", program, "verify", "--example", "broken"]
    >>> subprocess.run(words, capture_output=True).returncode  # a guarantee does not hold
    3
    """
    from dprivacy.cli.exit_codes import run

    run(commands)
