"""The reference page: every key is on it, where it applies."""

from dprivacy.release import plan_reference
from dprivacy.release.plan_keys.key_table import COLUMN_KEYS, TABLE_KEYS, TOP_KEYS
from dprivacy.release.plans.column_domains import SETTINGS


def test_every_key_is_there():
    page = plan_reference()
    for name in (*TOP_KEYS, *TABLE_KEYS, *COLUMN_KEYS):
        assert f"| `{name}` |" in page


def test_keys_stand_with_their_type():
    parts = plan_reference().split('## type = "')[1:]
    assert [part.partition('"')[0] for part in parts] == list(SETTINGS)
    for part in parts:
        kind = part.partition('"')[0]
        shown = {line.split("`")[1] for line in part.splitlines() if line.startswith("| `")}
        assert shown <= SETTINGS[kind]
        assert SETTINGS[kind] - shown <= {"type", "columns", "nulls", "source", "note"}
    numbers = parts[list(SETTINGS).index("numbers")]
    assert "Needed: `low`, `high`, `grid`." in numbers
