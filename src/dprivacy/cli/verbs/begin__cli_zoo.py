"""``dprivacy zoo``: broken mechanisms, each being caught."""

import sys

import rich_click as click

from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.cli.shared_options import JSON, examples, say
from dprivacy.mechanisms import exhibits


@click.command(epilog=examples("dprivacy zoo"))
@JSON
def zoo(as_json: bool) -> None:
    """Show broken twins of our mechanisms, and what catches each of them.

    Every twin has one mistake that was made somewhere. The detector must catch it and stay silent on
    the healthy twin. Exit code 0: all caught, no false alarm; 3: something escaped.
    """
    found = []
    for exhibit in exhibits():
        broken, healthy = exhibit.inspect(True), exhibit.inspect(False)
        right = broken.caught and not healthy.caught
        found.append(
            {
                "name": exhibit.name,
                "wrong": exhibit.wrong,
                "detector": exhibit.detector,
                "caught": broken.caught,
                "evidence": broken.evidence,
                "false_alarm": healthy.caught,
            }
        )
        if not as_json:
            mark = "caught " if right else "ESCAPED"
            click.echo(f"{mark}  {exhibit.name}: {exhibit.wrong}")
            click.echo(f"         by the {exhibit.detector}: {broken.evidence}")
    caught = sum(bool(item["caught"]) and not item["false_alarm"] for item in found)
    say(found, as_json, f"\n{caught} of {len(found)} caught, and every healthy twin left alone")
    sys.exit(0 if caught == len(found) else GUARANTEE_FAILED)
