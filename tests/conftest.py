"""What every test runs under: one hypothesis profile, and the services a test may ask for."""

import os

import pytest
from hypothesis import HealthCheck, settings

from support.patience import PATIENCE
from support.services import CHROMIUM, require

# Neither is a test, but every module is looked through for examples.
collect_ignore_glob = ["support/*", "conftest.py", "*/conftest.py"]

# Exact arithmetic has no fixed pace, and a busy machine has none either: no deadline for one example,
# and none for making it.
# A test's settings are fixed when @given decorates it, so the profile is loaded here, before any shelf.
settings.register_profile(
    "work", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "ci",
    settings.get_profile("work"),
    derandomize=True,
    print_blob=True,
    database=None,
)
settings.register_profile("search", settings.get_profile("work"), max_examples=2000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "work")
)


def pytest_runtest_setup(item):
    for mark in item.iter_markers("service"):
        for name in mark.args:
            require(name)


ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions"]


@pytest.fixture(scope="module")
def chromium():
    """A headless Chromium; without one, a test that asks for it is skipped."""
    # Of a module, not of the session: while it lives, asyncio.run is impossible in this process.
    require("browser")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()
