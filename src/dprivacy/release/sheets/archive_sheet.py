"""The second sheet, for the archive: everything that the first one leaves out, exactly."""

import json
from html import escape

from dprivacy.model import counted, shown
from dprivacy.release.budgets.widest_levels import widest_level
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.figures.answer_guesses import answer_figures
from dprivacy.release.figures.row_statement import row_figures
from dprivacy.release.plans.joint_promise import joint_guarantee
from dprivacy.release.plans.stored_plans import plan_hash, plan_out
from dprivacy.release.sheets.released_tables import released_tables
from dprivacy.release.sheets.sheet_contents import SheetContents
from dprivacy.release.sheets.sheet_layout import bullets, guess_table, learned_table, page
from dprivacy.release.sheets.sheet_words import Case, crossed_rows, guess_rows, learned_rows

_MOST_VALUES = 12  # of a column whose probabilities are printed as a table
_MOST_CROSSED = 300  # two-way tables that are listed
_LONGEST_PLAN = 60_000  # characters of a plan that is printed

_DEFINITIONS = (
    "C[x, y] is the probability that the cell says y when the truth is x. A column with level ε and "
    "distance d keeps C[x, y] ≤ e^(ε·d(x, z))·C[z, y] for all x, z and y.",
    "The factor of a column is e^(ε·d) between its two most different values. Levels add up over the "
    "columns and rows of a person, so factors multiply; the product F is the limit for the whole row.",
    "“Right between two sets of answers” is S = (1 + T)/2, where T is the total variation of the two "
    "laws of the row, for records that differ in every column as much as it allows. The words: up to "
    "60 in 100 strong, up to 75 limited, up to 90 weak, above that next to none.",
    "“With the row, knowing nothing” is Σ_y max_x π(x)·C[x, y] with all values equally likely: exact "
    "Bayes. “Knowing all their other answers” is F·b/(1 + (F − 1)·b), with F of the column and b the "
    "share of right guesses before; it holds for every belief and every kind of knowledge.",
    "Errors are 1.96 standard errors, for the population that is hardest to estimate. The error of a "
    "share is √(v/n) with v the largest of Σ_x p_x·Σ_y C[x, y]·B[y, v]² − p_v² over all shares p, "
    "B being the inverse of C; the error of a mean adds a quarter of the squared range to its noise. "
    "For a cell of a two-way table the sums over y of the two columns are multiplied.",
    "Every figure that follows from the plan is rounded up, but for blind guesses, which are rounded "
    "down. None was computed from the true data.",
)


def archive_page(case: Case, told: SheetContents) -> str:
    """The sheet with everything."""
    parts = [
        "<h1>What this release tells about one person: the archive sheet</h1>",
        f'<p class="about">{escape(f"{told.title} · {told.about}")}</p>',
        f'<section class="band {told.band.tone}" aria-label="The whole row">',
        *(f"<p>{escape(line)}</p>" for line in told.band.lines()),
        "</section>",
        _guarantee(case),
        *_figures(case, told),
        "" if case.table is None else released_tables(case.table, case.plan),
        "<h2>Not protected</h2>",
        bullets(told.open),
        "<h2>The limit holds as long as</h2>",
        bullets(told.conditions),
        "<h2>Columns</h2>",
        *map(_column, case.plan.columns),
        "<h2>What the words mean</h2>",
        bullets(_DEFINITIONS),
        *_release(case),
        *_plan(case),
        f'<p class="foot">{escape(told.foot)}</p>',
    ]
    return page(f"{told.title}: archive sheet", "\n".join(parts))


def _guarantee(case: Case) -> str:
    lines = joint_guarantee(case.plan).explain().splitlines()
    return "<h2>What is guaranteed, exactly</h2>" + "".join(
        f"<p>{escape(line)}</p>" for line in lines
    )


def _figures(case: Case, told: SheetContents) -> list[str]:
    learned = learned_table([*learned_rows(case), *crossed_rows(case)[:_MOST_CROSSED]])
    heading = "<h2>What can still be learned about everybody together</h2>"
    if case.void:
        return [heading, learned]
    every = guess_rows(row_figures(case.plan), list(answer_figures(case.plan)))
    return [
        "<h2>Guessing one answer of a person: how many guesses in 100 are right</h2>",
        guess_table(every),
        heading,
        learned,
    ]


def _column(column: ColumnPlan) -> str:
    guarantee = column.mechanism.guarantee
    widest = widest_level(guarantee)
    facts = [
        f"{column.kind}, {column.mechanism.family.replace('_', ' ')}",
        f"ε = {guarantee.eps} per unit of distance",
        "no limit between distant values"
        if widest is None
        else f"ε·d = {widest} between the two most different values",
        f"missing values: {column.nulls}",
        f"possible values: {column.source}",
    ]
    if guarantee.delta:
        facts.insert(2, f"δ = {guarantee.delta}")
    if "note" in column.spec:
        facts.append(str(column.spec["note"]))
    told = escape(shown("; ".join(facts)))
    return f"<h3>{escape(shown(column.name))}</h3><p>{told}.</p>{_probabilities(column)}"


def _probabilities(column: ColumnPlan) -> str:
    """The table C[x, y] of a column with few values; of a longer one how often values stay."""
    channel = column.channel
    if channel is None:
        return ""
    if max(len(channel.rows), len(channel.columns)) > _MOST_VALUES:
        kept = [float(channel[x, x]) for x in channel.rows if x in channel.columns]
        between = f"{100 * min(kept):.1f} and {100 * max(kept):.1f}" if kept else "0 and 0"
        return (
            f"<p>{counted(len(channel.rows), 'value')}; each stays as it is in between {between} cases "
            "of 100. The card holds all probabilities.</p>"
        )
    head = "".join(f'<th scope="col">{escape(_label(y))}</th>' for y in channel.columns)
    body = "".join(
        f'<tr><th scope="row">{escape(_label(x))}</th>'
        + "".join(f"<td>{100 * float(channel[x, y]):.2f}</td>" for y in channel.columns)
        + "</tr>"
        for x in channel.rows
    )
    return (
        '<div class="wide"><table><thead><tr><th scope="col">true → released, of 100</th>'
        f"{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _label(label: object) -> str:
    return "(missing)" if label is None else shown(label)


def _release(case: Case) -> list[str]:
    if case.card is None:
        return []
    lines = case.card.explain().splitlines()
    if case.card.receipt:
        lines.append(f"Receipt of the ledger: {json.dumps(dict(case.card.receipt))}")
    return ["<h2>The card</h2>", *(f"<p>{escape(shown(line))}</p>" for line in lines)]


def _plan(case: Case) -> list[str]:
    if not case.plan.raw:
        return []
    text = json.dumps(plan_out(case.plan.raw), ensure_ascii=False, indent=1)
    heading = f"<h2>The plan</h2><p>sha256 {plan_hash(case.plan.raw)}</p>"
    if len(text) > _LONGEST_PLAN:
        return [heading, "<p>It is too long to print: keep its file beside this sheet.</p>"]
    return [heading, f"<pre>{escape(shown(text))}</pre>"]
