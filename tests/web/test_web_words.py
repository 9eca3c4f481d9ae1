"""What the rooms say, without a browser: plans, links, matrices, findings."""

import tomllib
from fractions import Fraction

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.errors import Malformed, NotStochastic, TooLarge
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.release import Plan
from dprivacy.spaces import discrete, line
from dprivacy.verify import privacy
from dprivacy.web.pages import (
    compare_page as compare,
    design_page as design,
    explore_page as explore,
    protect_page as protect,
    verify_page as verify,
)
from dprivacy.web.pages.column_cards import summary
from dprivacy.web.pages.pasted_matrices import EXAMPLES, matrix_text, read_matrix_text
from dprivacy.web.pages.plan_form import (
    FIRST,
    ColumnForm,
    Whole,
    common_level,
    confirmed,
    forms_of,
    outlook,
    plan_mapping,
    plan_text,
    proposed,
    read_plan,
    under_slider,
)
from dprivacy.web.pages.space_choice import KINDS, chosen_space, settled_space
from dprivacy.web.shell.number_words import (
    FACTORS,
    factor_in_words,
    level_of,
    nearest_stop,
    percent,
)
from dprivacy.web.shell.page_frame import LONGEST, choice, link, read_state, whole

# ------------------------------------------------------------------------------------------- numbers


def test_per_cent_is_rounded_as_people_do():
    assert [percent(x) for x in (Fraction(1, 5), 0.625, 0.0213, 0, 1, 0.05)] == [
        "20 %",
        "63 %",
        "2.1 %",
        "0 %",
        "100 %",
        "5 %",
    ]


def test_every_stop_of_the_slider_is_an_exact_level_that_finds_its_stop_again():
    for k, factor in enumerate(FACTORS):
        assert nearest_stop(level_of(factor)) == k
        assert factor_in_words(level_of(factor)) == f"at most × {factor}"
    assert nearest_stop("nonsense") == len(FACTORS) // 2


def test_a_factor_is_never_said_to_be_less_than_it_is():
    assert factor_in_words("1") == "at most × 2.72"
    assert factor_in_words("6") == "at most × 404"
    assert factor_in_words("50") == "at most × e^50"


# --------------------------------------------------------------------------------------------- links


def test_a_link_is_read_back_and_strangers_are_passed_over():
    usual = {"space": "line", "n": "3", "eps": "ln 2"}
    state = {"space": "cube", "n": "2", "eps": "ln(3/2)"}
    from urllib.parse import parse_qsl

    address = link("/explore", state)
    asked = dict(parse_qsl(address.partition("?")[2]))
    assert read_state({**asked, "evil": "x"}, usual) == state
    assert read_state({"eps": "9" * 30_000}, usual) == usual


def test_a_link_that_would_be_cut_is_none():
    assert link("/verify", {"matrix": "1" * LONGEST}) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("4", 4), ("-4", 3), ("4e9", 3), ("99", 9), ("", 3), ("٣", 3), ("9" * 40, 3)],
)
def test_numbers_of_an_address_stay_in_their_limits(text, number):
    assert whole(text, 2, 9, 3) == number


def test_choices_of_an_address():
    assert choice("cube", KINDS, "line") == "cube"
    assert choice("__class__", KINDS, "line") == "line"


# --------------------------------------------------------------------------------------------- plans


def test_the_example_is_a_plan_and_is_read_back_from_its_text():
    raw = plan_mapping(FIRST, "ln 3")
    again = tomllib.loads(plan_text(raw))
    assert again == raw
    assert under_slider(forms_of(again), "ln 3") == list(FIRST)
    assert common_level(forms_of(again)) == "ln 3"


def test_whose_the_rows_are_survives_the_form():
    text = """
title = "Panel"
unit = "household"
rows_per_person = 3
[columns.sex]
type = "categories"
values = ["f", "m"]
epsilon = "ln 2"
"""
    forms, rows_of = protect.described_in({"plan": text, "eps": "ln 2"})
    again = Plan.read(plan_mapping(forms, "ln 2", rows_of))
    assert (again.title, again.unit, again.rows_per_person) == ("Panel", "household", 3)
    assert forms[0].level == ""
    found = outlook(plan_mapping(forms, "ln 2", rows_of), 100)
    assert found.ahead.guarantee.total == level("3 ln 2")


def test_labels_survive_the_text_of_a_plan():
    strange = ['quo"te', "back\\slash", "new é ☃", "\x7f", "a = [b]"]
    raw = plan_mapping([ColumnForm("odd name.x", values="\n".join(strange))], "ln 2")
    plan = Plan.parse(plan_text(raw))
    assert list(plan.columns[0].space.labels) == strange
    assert plan.columns[0].name == "odd name.x"


def test_numbers_have_the_level_of_the_slider_a_tenth_of_the_range():
    form = ColumnForm("age", "numbers", low="0", high="100", grid="10")
    plan = Plan.read(plan_mapping([form], "ln 3"))
    guarantee = plan.columns[0].mechanism.guarantee
    assert guarantee.eps * 10 == level("ln 3")
    with pytest.raises(Malformed, match="should end above it, not at 1"):
        plan_mapping([ColumnForm("age", "numbers", low="5", high="1")], "ln 3")


def level(text):
    from dprivacy.numbers import Level

    return Level(text)


def test_codes_are_whole_numbers_only_where_they_look_like_it():
    assert ColumnForm("a", values="1, 2, 3").listed == [1, 2, 3]
    assert ColumnForm("a", values="01\n02").listed == ["01", "02"]
    assert ColumnForm("a", values="1,5\n2,5").listed == ["1,5", "2,5"]


@pytest.mark.parametrize(
    ("forms", "words"),
    [
        (
            [ColumnForm("a", values="x,y"), ColumnForm("a", values="x,y")],
            "two columns are called 'a'",
        ),
        ([ColumnForm(" ", values="x,y")], "column 1 has no name"),
    ],
)
def test_columns_need_names_of_their_own(forms, words):
    with pytest.raises(Malformed, match=words):
        plan_mapping(forms, "ln 2")


def test_a_plan_from_a_link_opens_no_file(tmp_path):
    text = '[columns.a]\ntype = "stored"\nfile = "/etc/passwd"\n'
    with pytest.raises(Malformed, match="names a file, which the page does not open"):
        read_plan(text)
    assert protect.described_in({"plan": text, "eps": "ln 2"}) == (list(FIRST), Whole())
    with pytest.raises(Malformed, match="not TOML"):
        read_plan("= [")


def test_what_a_guesser_gains_is_what_the_channels_say():
    found = outlook(plan_mapping(FIRST, "ln 3"), 1000)
    hobby, health = found.guesses
    response = randomised_response(discrete(range(5)), eps="ln 3").channel
    assert hobby.before == 0.2
    assert hobby.after == pytest.approx(float(response[0, 0]))
    noise = geometric(line(4), eps="ln 3").channel
    assert health.after == pytest.approx(sum(float(noise[x, x]) for x in range(4)) / 4)
    assert protect.headline(found) == "health: a guesser goes from 25 % to 63 %"
    assert "right 63 % of the time" in protect.in_words(found)
    assert [row[0] for row in protect.worth(found)] == ["hobby", "health"]


def test_a_described_table_waits_to_be_confirmed(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(
        "name,sex,age,wave\n" + "".join(f"p{k},{'fm'[k % 2]},{k},7\n" for k in range(80))
    )
    forms = proposed(table, "ln 3")
    kinds = {form.name: form.kind for form in forms}
    assert kinds == {"sex": "categories", "age": "numbers", "wave": "drop", "name": "drop"}
    assert all(form.level == "" for form in forms)
    assert Plan.read(plan_mapping(forms, "ln 3")).unconfirmed() == ["sex", "age"]
    assert Plan.read(plan_mapping(confirmed(forms), "ln 3")).unconfirmed() == []
    assert "to be confirmed" in summary(forms[0])


# ------------------------------------------------------------------------------------------ matrices


@pytest.mark.parametrize(
    "text",
    [
        ",a,b\na,1/2,1/2\nb,1/4,3/4",
        "\ta\tb\na\t1/2\t1/2\nb\t1/4\t3/4",
        ";a;b\na;1/2;1/2\nb;1/4;3/4\n\n",
        "a b\na 1/2 1/2\nb 1/4 3/4",
        '"a","b"\n"a",0.5,0.5\n"b",0.25,0.75',
    ],
)
def test_matrices_are_read_however_they_are_written(text):
    channel = read_matrix_text(text)
    assert channel.rows == channel.columns == ("a", "b")
    assert channel["b", "b"] == Fraction(3, 4)


def test_bare_numbers_get_labels_and_labels_that_are_numbers_stay():
    assert read_matrix_text("0.5 0.5\n0.25 0.75").rows == ("1", "2")
    assert read_matrix_text(EXAMPLES["geometric"][2]).rows == ("0", "1", "2")


def test_every_example_is_read_and_written_again():
    for _, _, text in EXAMPLES.values():
        channel = read_matrix_text(text)
        assert read_matrix_text(matrix_text(channel)) == channel


def test_json_is_read(tmp_path):
    text = '{"rows": ["a", "b"], "columns": ["x", "y"], "matrix": [["1/2", "1/2"], [0.25, 0.75]]}'
    assert read_matrix_text(text, folder=tmp_path)["b", "y"] == Fraction(3, 4)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Malformed):
        read_matrix_text("[" * 100_000, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Malformed),
        ("hello", Malformed),
        (",a,b\na,1/2", Malformed),
        (",a,b\na,9/10,9/10\nb,0,1", NotStochastic),
        ("," + ",".join(map(str, range(201))) + "\n0," + ",".join(["1", *["0"] * 200]), TooLarge),
        ("1" * (5 << 20), TooLarge),
        (",a,b\na,1e999999999,0\nb,0,1", Malformed),
    ],
)
def test_what_is_no_matrix_is_refused(text, kind):
    with pytest.raises(kind):
        read_matrix_text(text)


# --------------------------------------------------------------------------------------------- rooms


def test_verify_says_what_the_documentation_says_of_this_matrix():
    found = verify.examined({**verify.USUAL, "mend": "ln 7"})
    assert verify.headline(found) == "This matrix has ε = ln(14) ≈ 2.639 per unit of distance"
    assert found.before == Fraction(1, 4)
    assert found.after == Fraction(7, 10)
    assert found.most == Fraction(14, 5)
    space = discrete(found.channel.rows)
    assert privacy(found.mending.channel, space, eps="ln 7")
    asked = verify.examined({**verify.USUAL, "eps": "ln 2"})
    assert verify.headline(asked).startswith("No: that level does not hold")
    assert verify.headline(verify.examined({**verify.USUAL, "eps": "3"})).startswith("Yes")
    broken = verify.examined({**verify.USUAL, "matrix": EXAMPLES["broken"][2]})
    assert verify.headline(broken) == "No finite ε: some answers give the truth away"
    assert broken.escape is not None


def test_compare_gives_each_order_its_answer():
    found = compare.compared(compare.USUAL)
    assert {order: compare.winner(found, order) for order in compare.ORDERS} == {
        "average": "neither",
        "max": "neither",
        "private": "A is safer",
        "space": "equally safe",
    }
    same = compare.compared({**compare.USUAL, "b": compare.USUAL["a"]})
    assert compare.headline(same) == "A and B tell every guesser the same"
    blind = ",0,1,2\n0,1/3,1/3,1/3\n1,1/3,1/3,1/3\n2,1/3,1/3,1/3"
    assert compare.headline(compare.compared({**compare.USUAL, "b": blind})) == (
        "B is the safer, against every guesser"
    )


def test_explore_lists_the_kernels_and_whom_they_serve():
    found = explore.family({**explore.USUAL, "space": "line:4"})
    assert int(found.number) == len(found.listed) == 11
    served = [explore.tastes(found.space, "ln 2", kernel) for kernel in found.listed]
    # for every prior and loss some kernel is best
    for k in range(len(served[0])):
        assert any(tastes[k].prefers for tastes in served)
        assert all(tastes[k].here >= tastes[k].best for tastes in served)
    with pytest.raises(TooLarge, match="the page works with up to 6 here"):
        explore.family({**explore.USUAL, "space": "line:9"})


def test_design_finds_the_geometric_and_proves_it():
    search = design.Run()
    found = design.designed({**design.USUAL, "space": "line:3"}, search)
    assert found.holds
    assert found.best.loss == Fraction(5, 9)
    assert design.headline(found.best).startswith("Expected cost 5/9 ≈ 0.5556: nothing private")


def test_design_stops_with_the_best_so_far_when_asked():
    search = design.Run()
    search.stop.set()
    found = design.designed(design.USUAL, search)
    assert len(search.marks) == 1
    assert found.holds
    assert 0 < found.best.gap < 1
    assert design.headline(found.best).startswith("Expected cost 1.")


def test_priors_are_weights_in_order():
    assert design.read_prior_text("1, 2; 1", line(3)).weights[1] == Fraction(1, 2)
    assert design.read_prior_text("  ", line(3)) is None
    with pytest.raises(Malformed, match="has 2 weights, and the space 3 values"):
        design.read_prior_text("1 2", line(3))
    for text in ("-1 1 1", "0 0 0"):
        with pytest.raises(NotStochastic):
            design.read_prior_text(text, line(3))


def test_spaces_are_those_of_the_grammar():
    for text, points in (("line:9", 9), ("discrete:3", 3), ("cube:3", 8), ("grid:3x4", 12)):
        assert len(chosen_space(text, most=100)) == points
    assert chosen_space("grid:2x2", most=9).distance((0, 0), (1, 1)) ** 2 == 2
    assert chosen_space("grid:2x2:manhattan", most=9).distance((0, 0), (1, 1)) == 2
    with pytest.raises(TooLarge, match="this space has 400 points"):
        chosen_space("grid:20x20", most=225)


def test_a_space_from_an_address_is_of_a_kind_that_is_offered():
    assert settled_space("grid:3x4:manhattan", KINDS, "line:3") == "grid:3x4:manhattan"
    for stranger in ("torus:3", "", "line", "grid:2x2:taxicab", "/etc/passwd"):
        assert settled_space(stranger, KINDS, "line:3") == "line:3"


def test_a_level_beyond_all_numbers_is_told_in_words():
    assert nearest_stop("1e400") == len(FACTORS) - 1
    assert factor_in_words("1e400") == "any factor"
    assert factor_in_words("ln(1e300)") == "at most × e^691"
