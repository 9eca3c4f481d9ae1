"""Columns that are kept while a plan is edited."""

from dprivacy.release import BuiltColumns, Plan, plan_with

TEA = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}


def test_only_the_same_settings_give_the_same_mechanism():
    kept = BuiltColumns()

    def built(name="tea", **more):
        return plan_with({"columns": {name: {**TEA, **more}}}, kept).columns[0]

    first = built()
    assert built().mechanism is first.mechanism
    waiting = built(source="data")
    assert waiting.mechanism is first.mechanism
    assert (waiting.source, first.source, built().source) == ("data", "declared", "declared")
    for other in (
        built("rum"),
        built(epsilon="ln 2"),
        built(values=["no", "yes"]),
        built(values=[1, 2]),
    ):
        assert other.mechanism is not first.mechanism


def test_columns_drawn_together_follow_where_their_lists_come_from():
    kept = BuiltColumns()

    def waiting(source):
        raw = {
            "columns": {n: {**TEA, "source": source} for n in ("tea", "rum")},
            "joint": {"drinks": {"columns": ["tea", "rum"], "epsilon": "ln 3"}},
        }
        for spec in raw["columns"].values():
            del spec["epsilon"]
        found = plan_with(raw, kept)
        assert found.raw == Plan.read(raw).raw
        return found.unconfirmed()

    assert [waiting(source) for source in ("data", "declared", "data")] == [
        ["drinks"], [], ["drinks"],
    ]  # fmt: skip


def test_not_more_is_kept_than_a_few_plans_need():
    kept = BuiltColumns()
    first = plan_with({"columns": {"tea": TEA}}, kept).columns[0]
    for k in range(4, 80):
        plan_with({"columns": {"tea": {**TEA, "epsilon": f"ln {k}"}}}, kept)
    assert len(kept._kept) == 64
    again = plan_with({"columns": {"tea": TEA}}, kept).columns[0]
    assert again.mechanism is not first.mechanism
    large = {**TEA, "values": [f"v{k}" for k in range(151)]}
    one, two = (plan_with({"columns": {"tea": large}}, kept).columns[0] for _ in range(2))
    assert one.mechanism is not two.mechanism
