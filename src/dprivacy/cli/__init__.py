"""The command line. Exit codes: 0 yes, 1 an error, 2 wrong usage, 3 a guarantee failed."""

import click

from dprivacy.cli.verb_table import Verbs

__all__ = ["commands", "main"]


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dprivacy", prog_name="dprivacy")
def commands() -> None:
    """Metric differential privacy: prove it, measure it, use it."""


def main() -> None:
    """Run the command line, and end the process with the exit code."""
    from dprivacy.cli.exit_codes import run

    run(commands)
