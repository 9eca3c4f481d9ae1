"""Build the documentation, and fail where Zensical's strict mode alone would not.

Strict mode stops at dead links and unknown identifiers. A code block that raises while its page is
built, or a docstring whose parameters do not match the signature, is only logged; here a logged
warning fails the build. So does a built page that loads anything from another host, and a front page
or a search that leaves a newcomer without an answer.
"""

import logging
import re
import shutil
import sys
from pathlib import Path

from newcomers import complaints
from zensical.main import cli

SITE = Path("site")
FETCHED = re.compile(
    r"""<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)"""
)


class Tally(logging.StreamHandler):
    """A handler that prints what it is given and counts it."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Print and count one record."""
        self.count += 1
        super().emit(record)


def main() -> int:
    """Build the site into site/ and return the exit status."""
    tally = Tally()
    logging.basicConfig(level=logging.WARNING, handlers=[tally], format="%(levelname)s %(message)s")
    cli(["build", "--clean", "--strict"], standalone_mode=False)
    outside = sorted(
        f"{page}: {address}"
        for page in SITE.rglob("*.html")
        for address in FETCHED.findall(page.read_text(encoding="utf-8"))
    )
    for line in outside:
        print(f"loads from another host: {line}", file=sys.stderr)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    missed = complaints(SITE, chromium) if chromium else []
    for line in missed if chromium else ["Chromium is not installed: no page was looked at"]:
        print(line, file=sys.stderr)
    if tally.count or outside or missed:
        print(
            f"documentation: {tally.count} warnings, {len(outside)} outside, {len(missed)} missed",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
