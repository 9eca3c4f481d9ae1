"""The command line. Exit codes: 0 yes, 1 an error, 2 wrong usage, 3 a guarantee failed."""

import sys

import rich_click as click

from dprivacy.cli.attack import attack
from dprivacy.cli.audit import audit
from dprivacy.cli.compare import compare
from dprivacy.cli.ledger import ledger
from dprivacy.cli.optimal import optimal
from dprivacy.cli.polytope import extreme, kernels
from dprivacy.cli.tables import demo, estimate, inspect, plan, query, sanitise
from dprivacy.cli.verify import verify
from dprivacy.cli.zoo import zoo
from dprivacy.errors import DPrivacyError

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dprivacy", prog_name="dprivacy")
def commands() -> None:
    """Metric differential privacy: prove it, measure it, use it."""


for command in (
    demo,
    inspect,
    plan,
    sanitise,
    estimate,
    query,
    ledger,
    attack,
    verify,
    compare,
    audit,
    kernels,
    extreme,
    optimal,
    zoo,
):
    commands.add_command(command)


def main() -> None:
    """Run the command line; what dprivacy refuses becomes one line and exit code 1."""
    try:
        commands(prog_name="dprivacy")
    except DPrivacyError as refusal:
        click.echo(f"error: {refusal}", err=True)
        sys.exit(1)
