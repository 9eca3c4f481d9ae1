"""What every test runs under: one hypothesis profile, and the services a test may ask for."""

import os

from hypothesis import HealthCheck, settings

from support.services import require

# Neither is a test, but every module is looked through for examples.
collect_ignore_glob = ["support/*", "*/conftest.py"]

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
