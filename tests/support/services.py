"""Services that a test may need beside Python: databases, clusters, browsers, Node.js, R and so on.

`@pytest.mark.service("postgres")` skips a test, by the service's name, where it is missing. Where
DPRIVACY_SERVICES lists a service ("postgres browser"), the machine should have it, and a test that
misses it fails instead.
"""

import os
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.node_tests import missing as no_node
from support.r_scripts import lacking as lacking_in_r
from support.spark_standalone import missing as no_spark

AXE = Path(__file__).parents[2] / ".axe" / "axe.min.js"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def postgres_programs():
    """The folder of PostgreSQL's programs, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    there = str(found[-1]) if found else shutil.which("initdb")
    return Path(there).parent if there else None


def _no_postgres():
    if find_spec("psycopg") is None:
        return "psycopg is not installed (extra postgres)"
    return "" if postgres_programs() else "PostgreSQL's server programs are not installed (initdb)"


def _no_objects():
    return "" if find_spec("obstore") else "obstore is not installed (extra objects)"


def _no_browser():
    if find_spec("nicegui") is None:
        return "the page needs the extra [web]"
    if find_spec("playwright") is None:
        return "playwright is not installed"
    return "" if CHROMIUM else "Chromium is not installed"


def _no_axe():
    return "" if AXE.is_file() else "axe-core is not here; .ci/heavy packages fetches it by npm"


def _no_gpu():
    from dprivacy.design.master.graphics_card import require_card
    from dprivacy.errors import MissingExtra

    try:
        require_card()
    except MissingExtra as reason:
        return str(reason)
    return ""


SERVICES = {
    "postgres": _no_postgres,
    "spark": no_spark,
    "objects": _no_objects,
    "browser": _no_browser,
    "axe": _no_axe,
    "gpu": _no_gpu,
    "node": no_node,
    "r-mass": lambda: lacking_in_r("MASS"),
    "r-survey": lambda: lacking_in_r("survey"),
    "r-simex": lambda: lacking_in_r("simex"),
    "r-reticulate": lambda: lacking_in_r("reticulate"),
}


@cache
def _missing(name):
    return SERVICES[name]()


def lacks(name, why):
    """Skip the test, or fail it where the service should be."""
    if name in os.environ.get("DPRIVACY_SERVICES", "").split():
        pytest.fail(f"{name} should be here (DPRIVACY_SERVICES), but {why}", pytrace=False)
    pytest.skip(f"service {name}: {why}")


def require(name):
    """Go on only where the service is here."""
    if why := _missing(name):
        lacks(name, why)
