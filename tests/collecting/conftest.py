"""A headless Chromium for the page of a collector; without one, its tests are skipped."""

import pytest

from support.services import CHROMIUM, require

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions"]


@pytest.fixture(scope="module")
def chromium():
    require("browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()
