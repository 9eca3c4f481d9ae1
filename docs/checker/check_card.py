#!/usr/bin/env python3
"""Check the card of a released table from the definitions alone: python check_card.py CARD [FILE].

The file of a mechanism is checked as well (step 2).

Standard library only, and not one line of dprivacy. It decides, in whole numbers:

1. that the card is intact: its form, and the hash over it;
2. of each protected column, that every row of its channel is a distribution, and that for any two
   true values x and z and every released value y
       P(y | x) <= e^(eps * d(x, z)) * P(y | z),
   where d is the distance that the plan on the card states; with a delta, that all by which the left
   side exceeds the right adds up to at most delta; of a column of reports, that every set of values is
   a = e^eps times as likely for those in it, and that all values are in sets of the same total weight;
3. that the level of a whole record is the sum over the columns, times the rows and values that a person
   may have, and that the sentence on the card is the one that follows from these numbers;
4. that what is published, left out and void is what the plan says, and that FILE is the card's file;
5. of a shuffled release, that its plan allows one and its words follow from its numbers; that a .csv
   FILE is sorted and has as many rows in its smallest group as stated; and the bound itself, in
   fractions, for one column and few rows. Otherwise it says that this was not computed again.

Exit code 0: all of this holds. 3: it does not, or is too large to be proved here; the line says what.
1: this is no card of a table.
"""

import csv
import hashlib
import json
import os
import re
import sys
from datetime import date
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product
from math import ceil, comb, exp, inf, isqrt, log, prod

BITS = 320
ONE = 1 << BITS  # levels and distances are whole multiples of 1/ONE, right to about 2^-300
CLOSE = 1 << (BITS - 250)  # what is nearer than 2^-250 is equal
WORK = 1 << 24  # comparisons that are made for one card
FEW = 1 << 17  # values of sets that are listed, all of them together
LISTED = 1024  # values of a column whose channel is on its card


class Fault(Exception):
    """A field that does not follow, and why."""


# ---- levels: r, r*ln(q), r*sqrt(k) and sums of them, in fixed point

NUMBER = r"(?:0|[1-9]\d{0,3999})(?:/[1-9]\d{0,3999})?"
TERM = re.compile(rf"(?:({NUMBER})(?:\*|$))?(?:sqrt\((\d{{1,9}})\)(?:\*|$))?(?:ln\(({NUMBER})\))?")


def level(text, field):
    """A level as the card writes it: 3/2, ln(3), 1/2*ln(7), 5/2 + ln(12), sqrt(2)*ln(3)."""
    total = 0
    for part in text.replace(" - ", " + -").split(" + "):
        sign, rest = (-1, part[1:]) if part.startswith("-") else (1, part)
        match = TERM.fullmatch(rest)
        if not match or rest[-1:] in ("", "*") or match[3] == "0":
            raise Fault(f"{field}: {text[:60]!r} is not a level")
        value = ONE if match[3] is None else ln(Fraction(match[3]))
        value = value * isqrt(int(match[2] or 1) << (2 * BITS)) >> BITS
        r = Fraction(match[1] or 1)
        total += sign * value * r.numerator // r.denominator
    return total


def ln(q):
    """The logarithm of a fraction: powers of 2 are taken out first."""
    shift = q.numerator.bit_length() - q.denominator.bit_length()
    return shift * LN2 + series(q / Fraction(2) ** shift)


def series(m):
    """ln(m) = 2*(t + t^3/3 + t^5/5 + ...) with t = (m-1)/(m+1), for m between 1/2 and 2."""
    t = (m.numerator - m.denominator) * ONE // (m.numerator + m.denominator)
    power, total, n = t, 0, 1
    while power not in (0, -1):
        total, power, n = total + power // n, (power * t >> BITS) * t >> BITS, n + 2
    return 2 * total


LN2 = series(Fraction(2))


def e_to(x):
    """(m, s) with e^x = m * 2^s: powers of 2 are taken out, the rest is 1 + r + r^2/2 + ..."""
    k = x // LN2
    rest, term, total, n = x - k * LN2, ONE, 0, 1
    while term:
        total, term, n = total + term, (term * rest >> BITS) // n, n + 1
    return total, k - BITS


def equal(one, other):
    """Whether two levels are the same number."""
    return abs(one - other) < CLOSE


def given(value, field):
    """A level or a length as people write it in a plan: 2, 0.5, "ln 2", "1/2 ln 3", "ln(16/7)"."""
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return level(str(value), field)
    if not isinstance(value, str):
        raise Fault(f"{field}: {value!r} is not a level")
    text = re.sub(r"\d+(\.\d+)?(e[-+]?\d{1,3})?", lambda m: str(Fraction(m[0])), value.strip())
    text = re.sub(r"\bln\s*(?:\(\s*([\d/]+)\s*\)|([\d/]+))", r"ln(\1\2)", text)
    return level(re.sub(r"(?<=[\d)])\s*\*?\s*(?=ln|sqrt)", "*", text), field)


# ---- the plan on the card: true values and the distances between them


def plain(value):
    """Plan data with doubles as the decimals they print as: {"double": "0x1.0p-1"} is 0.5."""
    if isinstance(value, dict) and list(value) == ["double"]:
        return Fraction(repr(float.fromhex(value["double"])))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def space(field, spec):
    """The true values of a column (None where there are too many to list), how they lie, and how far.

    They lie at one distance "all", a step apart on a "line", which codes may be "hung" on, or as a
    "table" of distances says.
    """
    kind, values = spec["type"], spec.get("values", [])
    if kind in ("place", "bits"):
        return None, None, spec.get("bits")
    if kind == "text":  # a label for each; which one a text has is no matter of the guarantee
        head = next(csv.reader([spec["weights"].partition("\n")[0]])) if "weights" in spec else []
        values, apart = head[1:] or [*spec["topics"]], ("all", ONE)
    elif kind in ("numbers", "dates"):
        return points(field, spec)
    elif kind == "categories":
        values, apart = (
            [*values, *([None] if spec.get("nulls") == "category" else [])],
            ("all", ONE),
        )
    elif kind == "ordered" and "codes" in spec:
        return classes(field, spec)
    elif kind == "ordered":
        apart = "line", ONE
    elif kind == "joint":
        return combined(field, spec["members"]), ("all", ONE), 1
    elif kind == "distances":
        apart = "table", [[given(v, field) for v in row] for row in spec["distances"]]
    elif kind == "graph":
        values, *apart = shortest(spec["edges"], values, field)
    elif kind == "tree":
        if ("tree" in spec) == ("hierarchy" in spec):
            raise Fault(f"{field}: should have a tree or a hierarchy")
        paths = list(
            leaves(spec["tree"], ()) if "tree" in spec else climbs(field, spec["hierarchy"])
        )
        values = [path[-1] for path in paths]
        apart = "table", [[between(a, b) for b in paths] for a in paths]
    else:
        inner = opened(spec["stored"], "mechanism", f"{field}.stored")["space"]
        table = [inf if text == "inf" else given(text, field) for text in inner["distances"]]
        strange = [c for row in inner["codes"] for c in row if type(c) is not int or c < 0]
        if strange or {type(text) for text in inner["distances"]} != {str}:
            raise Fault(f"{field}: a distance is not one of a list of texts")
        values, apart = inner["labels"], ("table", [[table[c] for c in r] for r in inner["codes"]])
    kinds = {type(value) for value in values if value is not None}
    if kinds not in ({str}, {int}) or len(set(values)) < max(2, len(values)):
        raise Fault(f"{field}: should list two or more texts, or whole numbers, each of them once")
    if apart[0] == "table":
        require_metric(apart[1], len(values), field)
    if "blocks" in spec:  # never left: what is in another one is infinitely far away
        block = {value: k for k, some in enumerate(spec["blocks"]) for value in some}
        if sorted(values) != sorted(value for some in spec["blocks"] for value in some):
            raise Fault(f"{field}.blocks: do not list every value once")
        rows = enumerate(table_of(apart, len(values)))
        where = [block[value] for value in values]
        apart = "table", [[d if where[i] == k else inf for k, d in zip(where, r)] for i, r in rows]
    far = {"all": 1, "line": len(values) - 1}.get(apart[0])
    return values, apart, far or Fraction(max(d for row in apart[1] for d in row if d != inf), ONE)


def classes(field, spec):
    """Classes in order, a step apart, with codes beside them; as `space` gives them."""
    values, codes = spec["values"], spec["codes"] + [None] * (spec.get("nulls") == "category")
    kinds = {type(value) for value in [*values, *codes] if value is not None}
    if kinds not in ({str}, {int}) or len({*values, *codes}) < len(values) + len(codes):
        raise Fault(f"{field}: should list texts, or whole numbers, each of them once")
    last, middle = len(values) - 1, (len(values) - 1) // 2
    strange = {"blocks", "mechanism", "delta"} & {*spec}
    if (
        last < 1
        or not codes
        or len(codes) > 64
        or any(not str(c).strip() for c in codes)
        or strange
    ):
        raise Fault(f"{field}: should have two classes or more, 1 to 64 codes, and nothing besides")
    away = Fraction(last - max(middle, last - middle) or Fraction(last, 2))
    hung = ONE, middle, given(away, field), len(codes)
    return [*values, *codes], ("hung", hung), max(Fraction(last), away + last - middle)


def points(field, spec):
    """Numbers or dates on a grid, with codes beside them or not; as `space` gives them."""
    dated = spec["type"] == "dates"
    ends = [day(spec[key]) if dated else Fraction(str(spec[key])) for key in ("low", "high")]
    (low, high), grid = ends, days(spec["grid"]) if dated else Fraction(str(spec["grid"]))
    steps = (high - low) / grid if grid > 0 else Fraction(1, 2)
    if steps.denominator > 1 or steps < 1:
        raise Fault(f"{field}.grid: does not lead from low to high")
    form = spec.get("format", "%Y%m%d")
    if len(form) > 40 or sorted(re.findall("%.?", form)) != ["%Y", "%d", "%m"]:
        raise Fault(f"{field}.format: does not have %d, %m and %Y once")
    codes = [str(code) for code in spec.get("codes", [])]
    codes += [None] if spec.get("nulls") == "category" else []
    if not dated and not codes:
        values = [{"fraction": str(low + k * grid)} for k in range(int(min(steps, LISTED)) + 1)]
        return values if steps < LISTED else None, ("line", given(grid, field)), high - low
    if len(set(codes)) < len(codes) or len(codes) > 64 or steps + len(codes) >= LISTED:
        raise Fault(f"{field}.codes: are listed twice, or there are too many points or codes")
    numbers = [low + k * grid for k in range(int(steps) + 1)]
    values = [written(n) if dated else {"fraction": str(n)} for n in numbers]
    if not codes:
        return values, ("line", given(grid, field)), high - low
    middle = low + steps // 2 * grid
    anchor = (
        (day if dated else lambda v: Fraction(str(v)))(spec["anchor"])
        if "anchor" in spec
        else middle
    )
    rest = high - low - max(middle - low, high - middle)
    usual = rest if "anchor" not in spec and rest else (high - low) / 2
    away = spec.get("code_distance", usual)
    away = Fraction(days(away)) if dated and isinstance(away, str) else Fraction(str(away))
    if anchor not in numbers or away <= 0 or spec.get("blocks", "codes") != "codes":
        raise Fault(
            f"{field}: the anchor is not on the grid, code_distance not above 0, or blocks none"
        )
    far = max(high - low, away + max(anchor - low, high - anchor))
    if "blocks" in spec:
        away, far = inf, high - low
    hung = given(grid, field), numbers.index(anchor), away if away == inf else given(away, field)
    return [*values, *codes], ("hung", (*hung, len(codes))), far


def day(text):
    """The days from 1970-01-01 to a date."""
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise Fault(f"plan: {text[:20]!r} is not a date")
    return Fraction(date.fromisoformat(text).toordinal() - date(1970, 1, 1).toordinal())


def written(number):
    """A date by the days from 1970-01-01."""
    return date.fromordinal(int(number) + date(1970, 1, 1).toordinal()).isoformat()


def days(value):
    """A number of days: 7, "7 days", "1 week"."""
    if type(value) is int:
        return Fraction(value)
    match = re.fullmatch(r"\s*(\d{1,7})\s*(day|week)s?\s*", value)
    if not match:
        raise Fault(f"plan: {value[:20]!r} is not a number of days")
    return Fraction(int(match[1]) * (7 if match[2] == "week" else 1))


def stands(value, spec):
    """Whether a value may stand for a missing one: a code, a number, or a date in the plan's format."""
    if isinstance(value, str) and value in map(str, spec.get("codes", [])):
        return True
    if spec["type"] == "numbers":
        return isinstance(value, (int, Fraction)) and not isinstance(value, bool)
    parts = {"%Y": r"(?P<y>\d{4})", "%m": r"(?P<m>\d{1,2})", "%d": r"(?P<d>\d{1,2})"}
    form = spec.get("format")
    pattern = r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})" if form is None else re.escape(form)
    for mark, part in parts.items() if form is not None else ():
        pattern = pattern.replace(mark, part)
    match = re.fullmatch(pattern, value) if isinstance(value, str) and value.isascii() else None
    try:
        return match is not None and bool(date(*(int(match[part]) for part in "ymd")))
    except ValueError:
        return False


def climbs(field, parents):
    """The paths from the top of a hierarchy to its leaves, which are nobody's parents."""
    inner = set(parents.values())
    for code in parents:
        path, above = [code], parents[code]
        while above:
            if above in path:
                raise Fault(f"{field}.hierarchy: goes in a circle")
            path, above = [above, *path], parents.get(above, "")
        if code not in inner:
            yield tuple(path)


def require_metric(table, n, field):
    """That distances are 0 to the value itself, positive, symmetric, and no longer than a detour."""
    if {len(table), *map(len, table)} != {n} or n**3 > WORK:
        raise Fault(f"{field}: the distances are not a square table, or too many to be proved here")
    for i, row in enumerate(table):
        for j, first in enumerate(row):
            if (first != 0) != (i != j) or not 0 <= first < inf or not equal(first, table[j][i]):
                raise Fault(f"{field}: a distance is not positive, or not the same both ways")
            if any(d > first + rest + CLOSE for d, rest in zip(row, table[j])):
                raise Fault(f"{field}: a distance is longer than a detour")


def combined(field, members):
    """The combinations of columns that are drawn together, as labels are stored."""
    sides = []
    for name, spec in members.items():
        keys(f"{field}.{name}", spec, "type values:list", "columns:list nulls source note")
        if spec["type"] not in ("categories", "ordered"):
            raise Fault(f"{field}.{name}: is not of a type that is drawn together with others")
        sides.append(space(f"{field}.{name}", {**spec, "epsilon": 1})[0])
    if len(sides) < 2 or prod(map(len, sides)) > 1024:
        raise Fault(f"{field}.members: should be two or more, of 1024 combinations at most")
    return [{"tuple": list(each)} for each in product(*sides)]


def columns_of(name, spec):
    """The columns of the table that an entry of the plan speaks of."""
    if spec["type"] != "joint":
        return spec.get("columns", [name])
    return [c for key, part in spec["members"].items() for c in part.get("columns", [key])]


def is_declared(spec):
    """Whether the values of a column, or of all that are drawn together, were declared."""
    parts = spec["members"].values() if spec["type"] == "joint" else [spec]
    return all(part.get("source", "declared") == "declared" for part in parts)


def nearest(apart, n):
    """The smallest distance between two values."""
    if apart[0] != "table":
        return apart[1]
    return min(apart[1][i][j] for i in range(n) for j in range(n) if i != j)


def table_of(apart, n):
    """Distances as a table."""
    kind, step = apart
    if kind == "table":
        return step
    if kind == "hung":
        step, anchor, away, codes = step
        first = n - codes

        def gap(i, j):
            line = [abs(k - anchor) * step for k in (i, j) if k < first]
            return 0 if i == j else abs(i - j) * step if len(line) == 2 else away + sum(line)

        return [[gap(i, j) for j in range(n)] for i in range(n)]
    return [[step * (i != j if kind == "all" else abs(i - j)) for j in range(n)] for i in range(n)]


def leaves(tree, path):
    """The paths from the root of a tree to its leaves, which are the entries of its lists."""
    if not tree or not isinstance(tree, (dict, list)):
        raise Fault("plan: a branch of a tree is empty, or is no branch")
    for name in tree:
        yield from leaves(tree[name], (*path, name)) if isinstance(tree, dict) else [(*path, name)]


def between(a, b):
    """Half the way from leaf to leaf, through the last branch that they share."""
    shared = 0
    while a != b and a[shared] == b[shared]:
        shared += 1
    return 0 if a == b else (len(a) + len(b) - 2 * shared) * ONE // 2


def shortest(edges, first, field):
    """The values of a graph, and the lengths of shortest paths, trying every value as a stop."""
    names = list(dict.fromkeys([*first, *(end for edge in edges for end in edge[:2])]))
    at, n = {name: k for k, name in enumerate(names)}, len(names)
    if n**3 > WORK:
        raise Fault(f"{field}: {n} values are too many to be proved here")
    far = [[0 if i == j else inf for j in range(n)] for i in range(n)]
    for u, v, *length in edges:
        if len(length) > 1:
            raise Fault(f"{field}: an edge has two ends and a length")
        size = given(length[0], field) if length else ONE
        far[at[u]][at[v]] = far[at[v]][at[u]] = min(far[at[u]][at[v]], size)
    for stop in range(n):
        for i in range(n):
            if far[i][stop] != inf:
                far[i] = [min(d, far[i][stop] + e) for d, e in zip(far[i], far[stop])]
    return names, "table", far


# ---- the checks

MADE, ANY_METRIC = "blocks mechanism delta", "exponential randomised_response any_metric"
HUNG = "codes:list anchor code_distance"
OWN = {  # what a plan may say of a mechanism whose cells are reports, and no other
    "size": "subset_response", "kind": "unary_response", "q": "hashed_response projective_response",
    "t": "projective_response",
}  # fmt: skip
SETS = "subset_response unary_response hashed_response projective_response"
FILED = "vocabulary:str most_words:int sha256:str measured:dict names_sha256:str"
KINDS = {  # the mechanisms of each type of column, the usual one first; what a plan may say of it
    "categories": (f"randomised_response exponential {SETS}", f"values {MADE} {' '.join(OWN)}"),
    "ordered": (
        "geometric coded_laplace randomised_response exponential",
        f"values codes:list {MADE}",
    ),
    "distances": (ANY_METRIC, f"values distances {MADE}"),
    "tree": (ANY_METRIC, f"tree hierarchy {MADE}"),
    "graph": (ANY_METRIC, f"edges values {MADE}"),
    "numbers": ("laplace coded_laplace", f"low high grid {HUNG} {MADE}"),
    "dates": ("laplace coded_laplace", f"low high grid format {HUNG} {MADE}"),
    "place": ("planar_laplace", "grid mechanism"),
    "bits": ("bitwise_response", "bits mechanism"),
    "stored": ("stored", "stored"),
    "joint": ("randomised_response", "members:dict"),
    "text": ("randomised_response", f"keep topics weights {FILED}"),
}
WORDED = (
    f"keep length:int level long find:list names unknown stop_words accept_readable:bool {FILED}"
)
WITH_DELTA = ("randomised_response", "laplace")
BY_FORMULA = ("randomised_response", "geometric", "laplace", "coded_laplace")
ANY = "type epsilon columns:list nulls source note"
CARD = "what:str guarantee:dict holds:bool void:list secure:bool count:int mechanisms:dict"
MORE = "title:str plan:dict pass_through:list dropped:list permanent:bool receipt:dict output:dict"
MORE = f"{MORE} shuffled:dict"
PLAN = "title:str drop:list pass_through:list unit:str table:dict budget:dict"
BOUNDS = "rows_per_person:int values_per_person:int"
STRANGE = LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError
SPLIT = r"[^\r\n\"\x80-\U0010ffff]|comma|semicolon|tab|\\t|bar|space"  # what stands between cells


def keys(field, data, needed, optional=""):
    """Require an object with these keys and no others, of the types that are named: "count:int"."""
    listed = needed, f"{needed} {optional}"
    least, most = (dict(w.partition(":")[::2] for w in some.split()) for some in listed)
    if not isinstance(data, dict) or not least.keys() <= data.keys() <= most.keys():
        raise Fault(f"{field}: has not the keys {', '.join(least)}")
    for key, value in data.items():
        if most[key] not in ("", type(value).__name__):
            raise Fault(f"{field}.{key}: is not of the type {most[key]}")


def opened(text, noun, field, version=None):
    """The body inside an envelope: JSON without floats or repeated keys, and with the right hash."""

    def once(pairs):
        if len(dict(pairs)) != len(pairs):
            raise Fault(f"{field}: a key appears twice")
        return dict(pairs)

    def refuse(literal):
        raise Fault(f"{field}: {literal[:24]} is a number that is not whole")

    try:
        data = json.loads(text, object_pairs_hook=once, parse_float=refuse, parse_constant=refuse)
    except (ValueError, RecursionError) as reason:
        raise Fault(f"{field}: is not JSON ({reason})") from None
    keys(field, data, "format version body sha256")
    rest = {key: data[key] for key in ("format", "version", "body")}
    told = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    same(f"{field}, sha256", data["sha256"], hashlib.sha256(told.encode()).hexdigest())
    same(f"{field}, format", data["format"], f"dprivacy.{noun}")
    same(f"{field}, version", data["version"], version or {"card": 3, "mechanism": 1}[noun])
    return data["body"]


def same(field, said, follows):
    """Require a field to be what follows."""
    if json.dumps(said, sort_keys=True) != json.dumps(follows, sort_keys=True):  # True is not 1
        raise Fault(f"{field}: the card says {said!r}, and {follows!r} follows"[:300])


def in_hex(value, field):
    """Whole numbers that are written like 0x1f."""
    if isinstance(value, list):
        return [in_hex(item, field) for item in value]
    if not re.fullmatch("0x[0-9a-f]{1,20000}", value):
        raise Fault(f"{field}: {value[:20]!r} is not a whole number in hexadecimal")
    return int(value, 16)


def check_channel(field, channel, spec, values, apart, eps, delta, left):
    """That every row is a distribution, and keeps eps; the rows, and whether some ratio needs eps."""
    keys(f"{field}.channel", channel, "inputs:list outputs:list matrix:dict")
    keys(f"{field}.channel.matrix", channel["matrix"], "denominator:str weights:list")
    same(f"{field}.channel.inputs", channel["inputs"], values)
    outputs, n = channel["outputs"], len(values)
    extra = ["⊥"] if spec.get("mechanism") == "any_metric" else []
    whole = "blocks" not in spec or apart[0] == "hung"
    released = [y for block in ([values] if whole else spec["blocks"]) for y in block]
    told = [y for y in outputs if y not in extra] + [y for y in outputs if y in extra]
    if spec["type"] != "stored":
        same(f"{field}.channel.outputs", told, [*released, *extra])
    labels = [y["tuple"] if spec["type"] == "joint" else [y] for y in outputs]
    plain_ones = all(plain_label(y) for label in labels for y in label)
    if not plain_ones or any(y in outputs[:k] for k, y in enumerate(outputs)):
        raise Fault(f"{field}.channel.outputs: an answer is listed twice, or is none")
    den, rows = (in_hex(channel["matrix"][key], field) for key in ("denominator", "weights"))
    if len(rows) != n or any(len(row) != len(outputs) or sum(row) != den for row in rows):
        raise Fault(f"{field}.channel.matrix: a row is not a distribution")
    codes = apart[1][3] if apart[0] == "hung" else 0
    left[0] -= n * len(outputs) * (n if delta or apart[0] == "table" else 1 + codes)
    if left[0] < 0:
        raise Fault(f"{field}: with {n} values the card is too large to be proved here")
    if delta or apart[0] == "table":
        table = table_of(apart, n)
        pairs = [(table[i][j], rows[i], rows[j]) for i in range(n) for j in range(n) if i != j]
    elif apart[0] == "line":  # a ratio of far values is the product of those between neighbours
        pairs = [(apart[1], a, b) for a, b in pairwise(rows)]
        pairs += [(d, b, a) for d, a, b in pairs]
    elif apart[0] == "hung":  # as on the line; and a code is as far from a number as by the anchor
        step, anchor, away, _ = apart[1]
        line, beside = rows[: n - codes], rows[n - codes :]
        pairs = [(step, a, b) for a, b in pairwise(line)]
        pairs += [(away, rows[anchor], c) for c in beside]
        pairs += [(away, c, e) for k, c in enumerate(beside) for e in beside[:k]]
        pairs += [(d, b, a) for d, a, b in pairs]
    else:  # at equal distances only the largest and the smallest chance of each answer count
        columns = list(zip(*rows))
        pairs = [(apart[1], list(map(max, columns)), list(map(min, columns)))]
    known, tight = {inf: None}, False
    for d, top, bottom in pairs:
        if d not in known:  # beyond 2*den the factor says only that nothing may become impossible
            x = min(eps * d >> BITS, (den.bit_length() + 1) * LN2)
            m, s = e_to(x)
            known[d] = m + (m >> 250), m - (m * x >> (BITS + 40)), max(0, -s), max(0, s)
        if d == inf:
            continue
        most, near, up, down = known[d]  # near is e^x for an eps that is less by a part in 2^40
        both = list(zip(top, bottom))
        over = sum((p << up) - (most * q << down) for p, q in both if p << up > most * q << down)
        if over * delta.denominator > (delta.numerator * den << up):
            raise Fault(f"{field}.eps: an answer is more telling than eps and delta say")
        tight = tight or any(p and p << up >= near * q << down for p, q in both)
    at = [outputs.index(y) for y in values if y in outputs]
    return [[row[y] for y in at] for row in rows], tight


def check_column(name, spec, entry, left):
    """One column against its plan; the level between its two most different values, or None."""
    field, plan, kind = f"mechanisms.{name}", f"plan.columns.{name}", spec["type"]
    if kind == "text" and spec.get("keep", "bag" if "length" in spec else "topic") != "topic":
        return check_words(field, plan, name, spec, entry, left)
    fitting, settings = KINDS[kind]
    keys(plan, spec, "type" if kind == "stored" else "type epsilon", f"{ANY} {settings}")
    told = "type:str family:str columns:list eps:str delta:str most:str nulls:str channel"
    settings = ("low", "high", "grid", "anchor", "code_distance", "bits")
    keys(field, entry, told, f"{':str '.join(settings)}:str reports:dict")
    same(f"{field}.type", entry["type"], kind)
    same(f"{field}.columns", entry["columns"], columns_of(name, spec))
    wide = len(spec["members"]) if kind == "joint" else 2 if kind == "place" else 1
    same(f"{plan}.columns, how many", len(entry["columns"]), wide)
    for key in settings:
        said = spec.get(key)
        said = float(said) if isinstance(said, Fraction) else said
        same(f"{field}.{key}", entry.get(key), None if said is None else str(said))
    values, apart, far = space(plan, spec)
    hung = apart is not None and apart[0] == "hung"
    nulls, family = spec.get("nulls", "refuse"), spec.get("mechanism", fitting.split()[hung])
    if kind in ("numbers", "dates", "ordered") and hung != (family == "coded_laplace"):
        raise Fault(f"{plan}.mechanism: {family!r} is not for values with codes, or only for them")
    if ("delta" in spec and kind == "dates") or (
        "blocks" in spec and kind == "numbers" and not hung
    ):
        raise Fault(f"{plan}: has a delta or blocks where none can be")
    if isinstance(nulls, dict) and [*nulls] == ["replace"]:
        pointed = kind == "dates" or (kind == "numbers" and hung)
        if kind not in ("numbers", "dates", "place", "bits") and nulls["replace"] not in values:
            raise Fault(f"{plan}.nulls: replaces by what is not a value")
        if pointed and not stands(nulls["replace"], spec):
            raise Fault(f"{plan}.nulls: replaces by what is not a value")
        nulls = "replace"
    if nulls not in (
        "refuse",
        "empty" if kind == "text" else "category",
        "replace",
    ) or nulls == "replace" == spec.get("nulls"):
        raise Fault(f"{plan}.nulls: is not a rule for missing values")
    same(f"{field}.nulls", entry["nulls"], nulls)
    if spec.get("source", "declared") not in ("declared", "data", "data, acknowledged"):
        raise Fault(f"{plan}.source: is not a known one")
    if family not in fitting.split() or ("delta" in spec and family not in WITH_DELTA):
        raise Fault(f"{plan}.mechanism: {family!r} is not for {kind}, or not with a delta")
    asked, delta = spec.get("epsilon"), Fraction(str(spec.get("delta", 0)))
    if kind == "stored":
        inner = opened(spec["stored"], "mechanism", f"{plan}.stored")
        same(f"{field}.channel", entry["channel"], inner["channel"])
        if any(y not in values for y in inner["channel"]["outputs"]):
            raise Fault(f"{field}.channel.outputs: are not among the values")
        if "epsilon" in spec and level(entry["eps"], field) > given(asked, plan) + CLOSE:
            raise Fault(f"{plan}.epsilon: is less than the stored mechanism has")
        family, delta = inner["family"], Fraction(inner["guarantee"]["delta"])
        asked = inner["guarantee"]["eps"]
    same(f"{field}.family", entry["family"], "within_blocks" if "blocks" in spec else family)
    same(f"{field}.delta", entry["delta"], str(delta))
    eps = level(entry["eps"], f"{field}.eps")
    if eps <= 0 or not 0 <= delta < 1 or isinstance(far, bool) or (far is not None and far <= 0):
        raise Fault(f"{field}: eps or the farthest distance is not above 0, or delta no chance")
    listed, tight = values is not None and entry["channel"] != {"points": len(values)}, False
    if family in SETS.split() or "reports" in entry or any(key in spec for key in OWN):
        strange = [key for key in OWN if key in spec and family not in OWN[key].split()]
        if strange or "blocks" in spec:
            raise Fault(f"{plan}: has a setting of another mechanism")
        same(f"{field}.channel", entry["channel"], None)
        if not check_reports(field, spec, entry, values, family, eps, left):
            left.append(name)
        listed = False
    elif listed:
        rows, tight = check_channel(field, entry["channel"], spec, values, apart, eps, delta, left)
    else:
        formula = family in BY_FORMULA and not delta and "blocks" not in spec
        if entry["channel"] is not None if values is None else not formula:
            raise Fault(f"{field}.channel: should be on the card, or should not")
        left.append(name)
    plain_line = not delta and "blocks" not in spec
    if family == "exponential" and kind != "stored":
        if not tight:
            raise Fault(f"{field}.eps: is not the level that the channel has")
        check_exponential(plan, rows, table_of(apart, len(rows)), given(asked, plan) / ONE)
    elif not equal(eps, given(asked, f"{plan}.epsilon")):
        raise Fault(f"{field}.eps: the card says {entry['eps']}, and its plan {asked}")
    elif listed and family == "coded_laplace":
        check_hung(plan, rows, apart[1], eps / ONE)
    elif listed and kind != "stored" and family in (BY_FORMULA if plain_line else BY_FORMULA[:1]):
        check_formula(plan, family, rows, table_of(apart, len(rows)), eps / ONE, float(delta))
    if far is None:
        same(f"{field}.most", entry["most"], "")
        return None
    most = eps * Fraction(far).numerator // Fraction(far).denominator
    if family == "randomised_response" and "blocks" not in spec and values is not None:
        most = eps * nearest(apart, len(values)) // ONE  # to which all other values are alike
    if not equal(most, level(entry["most"], f"{field}.most")):
        raise Fault(f"{field}.most: is not eps times the farthest distance")
    return most


def check_words(field, plan, name, spec, entry, left):
    """A column of texts whose words are noised: its level from the figures of its vocabulary."""
    keys(plan, spec, "type length:int", f"{ANY} epsilon {WORDED}")
    told = "type:str family:str columns:list eps:str delta:str most:str nulls:str channel"
    keys(field, entry, f"{told} length:str diameter:str")
    for key, follows in (
        ("type", "text"), ("family", "words"), ("columns", spec.get("columns", [name])), ("delta", "0"),
        ("channel", None), ("nulls", spec.get("nulls", "refuse")), ("length", str(spec["length"])),
    ):  # fmt: skip
        same(f"{field}.{key}", entry[key], follows)
    if spec.get("keep", "bag") not in ("bag", "text") or ("level" in spec) == ("epsilon" in spec):
        raise Fault(f"{plan}: keeps neither bag nor text, or has not one of epsilon and level")
    eps, wide, length = level(entry["eps"], field), Fraction(entry["diameter"]), spec["length"]
    figures = spec.get("measured", {})
    if eps <= 0 or wide <= 0 or not 1 <= length <= 2000:
        raise Fault(f"{field}: eps, diameter or length is out of range")
    if figures and wide < Fraction(figures["diameter"]):
        raise Fault(f"{field}.diameter: is less than that of the vocabulary")
    far = eps * wide.numerator // wide.denominator
    asked = given(spec.get("epsilon", spec.get("level")), plan)
    if not equal(eps if "epsilon" in spec else far * length, asked):
        raise Fault(f"{field}.eps: does not follow from the plan")
    most = min(far, 40 * given("ln 2", field)) * length
    if not equal(most, level(entry["most"], f"{field}.most")):
        raise Fault(f"{field}.most: is not the level of a whole text")
    left.append(name)
    return most


def check_reports(field, spec, entry, values, family, eps, left):
    """A column of reports; whether its sets could be listed, or only their numbers be computed."""
    told = entry["reports"]
    keys(f"{field}.reports", told, "cells:str p:str q:str mechanism:dict")
    body = opened(json.dumps(told["mechanism"]), "mechanism", f"{field}.reports", 2)
    numbers, sets, cells = check_sets(f"{field}.reports", body)
    same(f"{field}.reports, labels", body["labels"], values)
    same(f"{field}.reports, family", body["family"], family)
    same(f"{field}.reports, eps", body["eps"], entry["eps"])
    a, total, single, pair = numbers
    chosen = {**usual(family, len(values), a, spec), **{k: spec[k] for k in OWN if k in spec}}
    same(f"{field}.reports, parameters", body["parameters"], chosen)
    if ("t" in spec and "q" not in spec) or chosen.get("q", 1) ** chosen.get("t", 1) > 2**27:
        raise Fault(f"{field}.reports: t stands without q, or nobody could decode the reports")
    half = body["parameters"].get("kind") == "symmetric"
    if not (is_power(root_of(a), eps // 2) if half else is_power(a, eps)):
        raise Fault(f"{field}.reports, factor: is not e^eps, or what is just below it")
    whole = a * single + total - single
    follows = {"p": a * single / whole, "q": (a * pair + single - pair) / whole}
    for key, value in {**{k: str(v) for k, v in follows.items()}, "cells": cells}.items():
        same(f"{field}.reports.{key}", told[key], value)
    return listed_sets(f"{field}.reports", numbers, sets, len(values), left)


def usual(family, k, a, spec):
    """What a plan means that says nothing of it: optimised bits, or sets with the smallest error."""

    def error(numbers):
        total, single, pair = map(Fraction, numbers)
        p, q = a * single, a * pair + single - pair
        whole = p + total - single
        return (p * (whole - p) + (k - 1) * q * (whole - q)) / (p - q) ** 2, total

    if family == "unary_response":
        return {"kind": "optimised"}
    if family == "subset_response":
        near = int(k / (1 + a))
        sizes = (
            {spec["size"]}
            if "size" in spec
            else {min(max(near + i, 1), k - 1) for i in range(-1, 3)}
        )
        return {"size": min(sorted(sizes), key=lambda d: error(sizes_of(k, d))[0])}
    made = {}
    for q in [spec["q"]] if "q" in spec else range(2, min(int(4 * (a + 2)), 256) + 1):
        t = next(t for t in range(2, 50) if room(family, q, t) >= k)
        if prime(q) and q**t <= 2**27:
            made[q] = t
    best = min(made, key=lambda q: error(geometry(family, q, made[q])))
    return {"q": best, "t": made[best]}


def sizes_of(k, d):
    """How many sets of d values there are, with a given one, with two given ones."""
    return comb(k, d), comb(k - 1, d - 1), comb(k - 2, d - 2) if d > 1 else 0


def room(family, q, t):
    """How many values there can be."""
    return q ** (t - 1) if family == "hashed_response" else (q**t - 1) // (q - 1)


def geometry(family, q, t):
    """The same for the sets over a finite field: of a hash function's values, or hyperplanes."""
    if family == "hashed_response":
        v = q ** (t - 1)
        return q * (v - 1), v - 1, v // q - 1
    return tuple((q**i - 1) // (q - 1) for i in (t, t - 1, t - 2))


def is_power(a, x):
    """Whether a is e^x, or where that is no fraction the multiple of 2^-128 that is just below it.

    Beyond e^40 a part in 2^128 below is near enough.
    """
    m, s = e_to(x)
    value = Fraction(m) * Fraction(2) ** s
    bits = 128
    while x << (bits - 128) < ONE:  # a small level needs as many more
        bits += 1
    near = (
        value - a < value / 2**bits
        if x > 40 * ONE
        else a == Fraction(int(value * 2**bits), 2**bits)
    )
    return abs(a - value) * ONE < value * CLOSE or (near and a < value)


def root_of(a):
    """The square root of a fraction, or 0."""
    root = Fraction(isqrt(a.numerator), isqrt(a.denominator))
    return root if root * root == a else 0


def check_sets(field, body):
    """Of reports that are sets: a and what all sets weigh, those with one value, those with two; then
    what lists the sets (or nothing), and how they are written as cells.
    """
    keys(field, body, "family:str labels:list factor:list eps:str parameters:dict")
    top, bottom = in_hex(body["factor"], field)
    a, k, more = Fraction(top, bottom), len(body["labels"]), body["parameters"]
    most = given(body["eps"], f"{field}, eps")
    if most > 5000 * ONE:
        raise Fault(f"{field}, eps: is above 5000, where no such mechanism is made")
    m, s = e_to(most)
    if not 1 < a <= Fraction(m + (m >> 250)) * Fraction(2) ** s or a.denominator != bottom:
        raise Fault(f"{field}, factor: is not above 1, not in lowest terms, or more than e^eps")
    every = {json.dumps(x, sort_keys=True) for x in body["labels"]}
    if not 2 <= k <= 2**20 or len(every) < k or not all(map(plain_label, body["labels"])):
        raise Fault(f"{field}, labels: should be two or more, each of them once")
    wanted = {"subset_response": "size:int", "unary_response": "kind:str"}.get(body["family"])
    keys(f"{field}, parameters", more, wanted or "q:int t:int")
    if body["family"] == "subset_response" and 1 <= more["size"] < k:
        d, form = more["size"], "the positions of the set's labels, from 0, rising"
        return (a, *map(Fraction, sizes_of(k, d))), lambda: subsets(k, d), form
    if body["family"] == "unary_response" and more["kind"] in ("optimised", "symmetric"):
        root = a if more["kind"] == "optimised" else root_of(a)
        if not root:
            raise Fault(f"{field}, factor: is not a square, as of symmetric bits")
        tau = 1 / (root + 1)
        form = (
            "x and a bit for each label in hexadecimal, the first label in the lowest bit of the first "
            "byte"
        )
        return (a, Fraction(1), tau, tau**2), lambda: free_sets(k, tau), form
    q, t, family = more.get("q", 0), more.get("t", 0), body["family"]
    good = 2 <= q <= 256 and 2 <= t <= 48 and q**t <= 2**48 and prime(q)
    if family in OWN["q"].split() and good and room(family, q, t) >= k:
        sets = hashes if family == "hashed_response" else planes
        found = map(Fraction, geometry(family, q, t))
        return (a, *found), q <= 32 and (lambda: sets(q, t, k)), "the number of the report"
    raise Fault(f"{field}: there are no such sets of {k} values")


def listed_sets(field, numbers, sets, k, left):
    """Whether the sets can be listed; each value must be in sets of the same weight, as each pair."""
    _, total, single, pair = numbers
    if not sets or total * k > FEW or (total == 1 and k > 12):
        return False
    one, two, whole, n = [Fraction(0)] * k, {}, Fraction(0), 0
    for weight, held in sets():
        whole, n = whole + weight, n + 1
        for x in held:
            one[x] += weight
            for z in (z for z in held if z < x and k <= 40):
                two[z, x] = two.get((z, x), 0) + weight
    left[0] -= n * k
    pairs = k * (k - 1) // 2 if k <= 40 else 0
    if whole != total or {*one} != {single} or ({*two.values()} | {pair}) != {pair}:
        raise Fault(f"{field}: the sets do not weigh what their numbers say")
    if left[0] < 0 or (pair and len(two) != pairs):
        raise Fault(f"{field}: the sets do not hold every pair, or are too many to be proved here")
    return True


def subsets(k, d):
    """All sets of d values."""
    return ((1, held) for held in combinations(range(k), d))


def free_sets(k, tau):
    """All sets, each value in it with weight tau."""
    for held in product((0, 1), repeat=k):
        yield tau ** sum(held) * (1 - tau) ** (k - sum(held)), [x for x in range(k) if held[x]]


def hashes(q, t, k):
    """Of every hash function x -> <h, x> that is not 0, the values that meet in one place."""
    vectors = list(product(range(q), repeat=t - 1))
    for h in vectors[1:]:
        places = [dot(q, h, x) for x in vectors[:k]]
        yield from ((1, [x for x, y in enumerate(places) if y == place]) for place in range(q))


def planes(q, t, k):
    """The points of a projective geometry on each hyperplane; by free coordinates, then digits."""
    points = [
        (*[0] * (t - 1 - f), 1, *tail) for f in range(t) for tail in product(range(q), repeat=f)
    ]
    return ((1, [x for x in range(k) if not dot(q, points[x], y)]) for y in points)


def prime(q):
    """p with q = p^e, or nothing."""
    p = next(i for i in range(2, q + 1) if q % i == 0)
    return p if q in {p**e for e in range(1, 9)} else None


@cache
def field_of(q):
    """Sums and products: digits in base p are polynomials, modulo the first that gives a field."""
    p = prime(q)
    e = next(e for e in range(1, 9) if p**e == q)
    elements = [[x // p**i % p for i in range(e)] for x in range(q)]
    number = {tuple(x): i for i, x in enumerate(elements)}

    def reduced(long, f):  # z^e is f
        long = list(long)
        for i in range(len(long) - 1, e - 1, -1):
            for j, c in enumerate(f):
                long[i - e + j] += long[i] * c
        return tuple(c % p for c in long[:e])

    def added(x, y):
        return tuple((a + b) % p for a, b in zip(x, y))

    def times(x, y, f):
        long = [0] * (2 * e - 1)
        for i, a in enumerate(x):
            for j, b in enumerate(y):
                long[i + j] += a * b
        return number[reduced(long, f)]

    for f in elements:
        table = [[times(x, y, f) for y in elements] for x in elements]
        if all(1 in row for row in table[1:]):
            plus = [
                [number[tuple((a + b) % p for a, b in zip(x, y))] for y in elements]
                for x in elements
            ]
            return plus, table
    raise Fault("there is a field of every prime power")


def dot(q, u, v):
    """The scalar product of two vectors over the field of q elements."""
    plus, times = field_of(q)
    total = 0
    for a, b in zip(u, v):
        total = plus[total][times[a][b]]
    return total


def check_exponential(plan, rows, near, eps):
    """That each block falls off like e^(-k/32*eps*d), for the largest k up to 32 that keeps eps."""
    for block in blocks(near):
        far = [[near[i][j] / ONE for j in block] for i in block]
        true = [[rows[i][j] / sum(rows[i]) for j in block] for i in block]
        k = round(32 * log(true[0][0] / true[0][1]) / (eps * far[0][1]))
        both = [pair for rows in zip(law(far, k * eps), true) for pair in zip(*rows)]
        if not 16 <= k <= 32 or max(abs(exp(w) - p) for w, p in both) > 1e-8:
            raise Fault(f"{plan}.epsilon: the channel is not the one that it gives")
        kept, lost = rate(far, k * eps) <= eps * (1 + 1e-9), rate(far, (k + 1) * eps) > eps
        if not (kept or k == 16) or not (lost or k == 32):
            raise Fault(f"{plan}.epsilon: is not kept, or by a channel that falls off faster, too")


def blocks(near):
    """The groups of two or more values that are at finite distances."""
    every = {tuple(j for j, d in enumerate(row) if d != inf) for row in near}
    return [block for block in every if len(block) > 1]


def check_formula(plan, family, rows, near, eps, delta):
    """That randomised response and the geometric mechanism have the chances of their formulas."""
    for block in blocks(near):
        n, step = len(block), min(d for i in block for d in near[i] if 0 < d < inf) / ONE
        low = exp(-eps * step)
        for a, i in enumerate(block):
            total = sum(rows[i])
            for b, j in enumerate(block):
                if family == "randomised_response":
                    true = low * (1 - delta) if i != j else 1 + (n - 1) * delta * low
                    true /= 1 + (n - 1) * low
                else:
                    true = low ** abs(a - b) * (1 if b in (0, n - 1) else 1 - low) / (1 + low)
                if abs(rows[i][j] / total - true) > 1e-8:
                    raise Fault(f"{plan}.mechanism: the channel is not the one of its formula")


def check_hung(plan, rows, apart, eps):
    """That numbers with codes have their class by randomised response, and clamped noise."""
    step, anchor, away, codes = apart
    n, low, odds = len(rows) - codes, exp(-eps * step / ONE), exp(-eps * away / ONE)
    right, wrong = 1 / (1 + codes * odds), odds / (1 + codes * odds)
    for i, row in enumerate(rows):
        centre, total = i if i < n else anchor, sum(row)
        for j, weight in enumerate(row):
            true = right if i == j or max(i, j) < n else wrong
            if j < n:
                true *= low ** abs(centre - j) * (1 if j in (0, n - 1) else 1 - low) / (1 + low)
            if abs(weight / total - true) > 1e-8:
                raise Fault(f"{plan}.mechanism: the channel is not the one of its formula")


def law(far, strength):
    """The logarithms of the chances of an exponential mechanism."""
    rows = [[-strength / 32 * d for d in row] for row in far]
    return [[w - log(sum(map(exp, row))) for w in row] for row in rows]


def rate(far, strength):
    """The level of that mechanism."""
    logs = law(far, strength)
    return max(
        max(a - b for a, b in zip(p, q)) / d
        for p, row in zip(logs, far) for q, d in zip(logs, row) if d
    )  # fmt: skip


def plain_label(y):
    """Whether something can be an answer."""
    return y is None or isinstance(y, (str, int)) or (isinstance(y, dict) and [*y] == ["fraction"])


def check_mechanism(text):
    """A mechanism in a file of its own: its table keeps what it claims, on the distances it states."""
    if re.search(r'"version":\s*2\b', text[:200]):
        body = opened(text, "mechanism", "the file", 2)
        numbers, sets, _ = check_sets("the file", body)
        how = "its sets, listed"
        if not listed_sets("the file", numbers, sets, len(body["labels"]), [WORK]):
            how = "the numbers of its family; its sets are too many to list"
        return f"{body['family']} keeps eps = {body['eps']}, by {how}."
    body = opened(text, "mechanism", "the file")
    keys("the file", body, "family:str channel:dict space:dict guarantee:dict parameters:dict")
    keys("space", body["space"], "labels:list distances:list codes:list")
    keys("guarantee", body["guarantee"], "eps:str delta:str because:str unit:str")
    eps, delta = given(body["guarantee"]["eps"], "eps"), Fraction(body["guarantee"]["delta"])
    if eps <= 0 or not 0 <= delta <= 1:
        raise Fault("guarantee: eps is not above 0, or delta no chance")
    if any(not isinstance(value, (str, int)) for value in body["parameters"].values()):
        raise Fault("parameters: are not texts or whole numbers")
    spec = {"type": "stored", "stored": text}
    values, apart, _ = space("space", spec)
    check_channel("the file", body["channel"], spec, values, apart, eps, delta, [WORK])
    return f"{body['family']} keeps eps = {body['guarantee']['eps']}, delta = {delta}."


def check_table(body):
    """Every field of a table's card; the names of columns that only their formula vouches for."""
    keys("the card", body, f"{CARD} library:str", MORE)
    keys("guarantee", body["guarantee"], "eps:str delta:str because:str unit:str sentence:str")
    plan, entries, stated = plain(body["plan"]), body["mechanisms"], body["guarantee"]
    keys("plan", plan, "columns:dict", f"{PLAN} {BOUNDS}")
    split, output = plan.get("table", {}), body.get("output", {"name": "", "sha256": "0" * 64})
    keys("plan.table", split, "", "delimiter:str encoding:str header:bool sheet:str")
    keys("output", output, "name:str sha256:str", "source:dict files:list")
    for entry in output.get("files", []):
        keys("output.files", entry, "name:str rows:int bytes:int sha256:str")
    if "receipt" in body:
        keys("receipt", body["receipt"], "ledger:str sequence:int head:str nonce:str")
    if body["count"] < 0 or not re.fullmatch("[0-9a-f]{64}", output["sha256"]):
        raise Fault("count, output.sha256: are not a number of rows and a hash")
    "".encode(split.get("encoding", "ascii"))
    if not re.fullmatch(SPLIT, split.get("delimiter", ",")):
        raise Fault("plan.table.delimiter: nothing can stand between cells so")
    same("mechanisms", list(entries), list(plan["columns"]))
    rows, values = (plan.get(key, 1) for key in ("rows_per_person", "values_per_person"))
    if min(rows, values) < 1 or (values > 1 and not body.get("permanent")):
        raise Fault("plan: a bound is below 1, or values_per_person without permanent answers")
    times, unit = rows * values, plan.get("unit", "row")
    total, delta, left = 0, Fraction(0), [WORK]
    for name, spec in plan["columns"].items():
        most = check_column(name, spec, entries[name], left)
        delta += Fraction(entries[name]["delta"])
        total = None if most is None or total is None else total + most
    total, delta = total if total is None else total * times, min(Fraction(1), delta * times)
    if total is None:
        same("guarantee.eps", stated["eps"], "")
    elif not equal(total, level(stated["eps"], "guarantee.eps")):
        raise Fault("guarantee.eps: is not what the columns add up to")
    if "budget" in plan:
        row = given(plan["budget"]["row"], "plan.budget.row")
        if total is None or total > row + CLOSE:
            raise Fault("plan.budget: is less than the columns add up to")
    through, drop = plan.get("pass_through", []), plan.get("drop", [])
    protected = [c for name, spec in plan["columns"].items() for c in columns_of(name, spec)]
    if len({*protected, *through, *drop}) != len([*protected, *through, *drop]):
        raise Fault("plan: a column is named more than once")
    alike = through or any("blocks" in spec for spec in plan["columns"].values())
    void = [
        f"the list of values for {name} was taken from the data"
        for name, spec in plan["columns"].items() if not is_declared(spec)
    ]  # fmt: skip
    void += [] if body["secure"] else ["the noise came from a seed and can be guessed"]
    wide = " and ".join(name for name in entries if not entries[name]["most"])
    kept = unit in ("row", *through, *protected, *drop)
    for field, said, follows in (
        ("guarantee.delta", stated["delta"], str(delta)),
        ("guarantee.because", stated["because"], "the levels of all columns add up"),
        ("guarantee.unit", stated["unit"], "record"),
        ("guarantee.sentence", stated["sentence"], sentence(total, delta, alike, wide)),
        ("title", body.get("title", ""), plan.get("title", "")),
        ("pass_through", body.get("pass_through", []), through),
        ("dropped", body.get("dropped", []), drop if kept else [*drop, unit]),
        ("void", body["void"], void),
        ("holds", body["holds"], not void),
    ):
        same(field, said, follows)
    if "shuffled" in body:
        check_shuffled(body, plan, total, delta, [*protected, *through])
    return left[1:]


# ---- a shuffled release: rows sorted, and what that adds

BLOCK = "eps:str delta:str n:int smallest_group:int method:str sentence:str"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
CELL = re.compile(r'(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))')
STEPS = 1 << 15  # products of fractions for one bound


def check_shuffled(body, plan, total, slack, released):
    """That a plan may be shuffled, and that the block says what follows from its numbers."""
    block, through = body["shuffled"], plan.get("pass_through", [])
    keys("shuffled", block, BLOCK, "pair:list lower_bound:str by_level:list per_distance:list")
    rows, n, delta = body["count"], block["smallest_group"], Fraction(block["delta"])
    strange = [
        name for name, spec in plan["columns"].items()
        if "blocks" in spec or spec.get("source", "declared") != "declared"
    ]  # fmt: skip
    if body.get("permanent") or plan.get("unit", "row") in released or strange:
        raise Fault("shuffled: answers are permanent, or rows are named, or values not declared")
    if not 0 < delta < 1 or not 2 <= n <= rows or (not through and n < rows):
        raise Fault("shuffled: delta is no chance, or the smallest group is too small or too large")
    same("shuffled.n", block["n"], rows)
    if block["method"] == "none":
        return
    a = Fraction(re.fullmatch(r"(?:ln\()?(\d+(?:/\d+)?)\)?", block["eps"])[1]) or Fraction(1)
    if total is None or a < 1 or level(block["eps"], "shuffled.eps") > total:
        raise Fault("shuffled.eps: is not a level below that of a single row")
    if "lower_bound" in block and level(block["lower_bound"], "shuffled") > level(block["eps"], ""):
        raise Fault("shuffled.lower_bound: is above eps")
    if any(name not in plan["columns"] for name in block.get("by_level", [])):
        raise Fault("shuffled.by_level: names what is not a column of the plan")
    for distance, eps in block.get("per_distance", []):
        if level(distance, "shuffled") <= 0 or level(eps, "shuffled") > level(block["eps"], ""):
            raise Fault("shuffled.per_distance: a distance is not above 0, or a level above eps")
    most = plan.get("rows_per_person", 1)
    told = [
        "Whoever sees only this table: the odds between any two records of one person change by at "
        f"most a factor {near_one(a)}, except with δ = {small(delta)}."
    ]
    if through:
        told.append(
            f"Rows hide among rows with the same {', '.join(through)}; the smallest such group has "
            f"{n:,} of the {rows:,} rows."
        )
    told.append(
        f"Whoever also sees who sent which row: a factor {factor(total)}"
        f"{f', plus δ = {small(slack)}' if slack else ''}. This needs: rows sorted and no "
        "identifiers (checked on the file by verify), "
        f"{'one row' if most == 1 else f'at most {most:,} rows'} a person (stated by the plan), a "
        "public number of rows, and nothing else released of these rows."
    )
    same("shuffled.sentence", block["sentence"], " ".join(told))


def near_one(a):
    """A factor with two digits of what it exceeds 1 by, rounded up."""
    if a == 1:
        return "1"
    if a >= 2:
        return factor(level(f"ln({a})", "shuffled.eps"))
    places = 1
    while (a - 1) * 10**places < 1:
        places += 1
    scaled = ceil(a * 10 ** (places + 1))
    return f"{scaled // 10 ** (places + 1)}.{scaled % 10 ** (places + 1):0{places + 1}d}".rstrip(
        "0."
    )


def small(delta):
    """A probability, a power of ten as one."""
    size = len(str(delta.denominator)) - 1
    if delta == Fraction(1, 10**size) and size > 1:
        return f"10{f'-{size}'.translate(RAISED)}"
    return str(delta)


def check_bound(body):
    """The bound once more, in fractions, where one column of few values and few rows allow it."""
    block, plan, entries = body["shuffled"], body["plan"], list(body["mechanisms"].values())
    channel, given_up = entries[0]["channel"], "Its ε was not computed again here: "
    if block["method"] == "none" or plan.get("rows_per_person", 1) != 1:
        return given_up + "nothing is claimed beyond one row, or a person has several."
    if len(entries) > 1 or not channel or "matrix" not in channel:
        return given_up + "it is of several columns, or of one without a table of chances."
    a, delta = Fraction(block["eps"][3:-1] or 1), Fraction(block["delta"])
    den, rows = (in_hex(channel["matrix"][key], "shuffled") for key in ("denominator", "weights"))
    rows = [[Fraction(w, den) for w in row] for row in rows]
    bound = two_outputs if len(rows[0]) == 2 else blanket
    worst = Fraction(0)
    for p in rows:
        for q in rows:
            found = Fraction(0) if p is q else bound(rows, p, q, a, block["smallest_group"])
            if found is None:
                return given_up + "that takes too long for so many rows."
            worst = max(worst, found)
    if worst > delta:
        raise Fault("shuffled.eps: at this level delta is larger than stated")
    return "Its ε was computed again in fractions."


def blanket(rows, p, q, a, n):
    """E[(B1 L1 + ... + Bn Ln)+]/(g n), and what only p gives: see the theory of shuffled reports."""
    least = [min(column) for column in zip(*rows)]
    share = sum(least)
    told = sum((max(x - a * z, 0) for x, z, w in zip(p, q, least) if not w), Fraction(0))
    if not share:
        return Fraction(1)
    atoms, law, steps = {Fraction(0): 1 - share}, {Fraction(0): Fraction(1)}, 0
    for x, z, w in zip(p, q, least):
        if w:
            at = (x - a * z) * share / w
            atoms[at] = atoms.get(at, 0) + w
    for _ in range(n):
        longer = {}
        steps += len(law) * len(atoms)
        if steps * len(rows) ** 2 > STEPS:
            return None
        for at, mass in law.items():
            for step, weight in atoms.items():
                longer[at + step] = longer.get(at + step, 0) + mass * weight
        law = longer
    return sum((at * mass for at, mass in law.items() if at > 0), Fraction(0)) / (share * n) + told


def two_outputs(rows, p, q, a, n):
    """The largest delta over all tables of the others, who may be taken at the two extreme rows."""
    if n**3 * len(rows) ** 2 > STEPS:
        return None
    low, high, worst = min(row[1] for row in rows), max(row[1] for row in rows), Fraction(0)
    for above in range(n):
        law = [Fraction(1)]
        for chance in [high] * above + [low] * (n - 1 - above):
            law = [x * (1 - chance) + z * chance for x, z in zip([*law, 0], [0, *law])]
        sides = ([x * r[0] + z * r[1] for x, z in zip([*law, 0], [0, *law])] for r in (p, q))
        worst = max(worst, sum(max(x - a * z, Fraction(0)) for x, z in zip(*sides)))
    return worst


def check_rows(body, file):
    """The order of the rows of a .csv file, its columns, and its smallest group."""
    if file is None or not str(file).lower().endswith(".csv"):
        return "The order of its rows was not looked at: that needs a FILE, and one that is .csv."
    through, order = body["plan"].get("pass_through", []), {}
    for entry in body["mechanisms"].values():
        for column in entry["columns"]:
            order[column] = reader_of(entry)
    groups, before, count = {}, None, 0
    with open(file, encoding="utf-8", newline="") as data:
        lines = records(data)
        names = next(lines)
        same("shuffled, columns", sorted(names), sorted([*order, *through]))
        for cells in lines:
            if len(cells) != len(names):
                raise Fault(f"shuffled: row {count} of {file} has not a cell for every column")
            now = [
                order[c](cell) if c in order else (cell is not None, cell or "")
                for c, cell in zip(names, cells)
            ]
            if before is not None and now < before:
                raise Fault(f"shuffled: row {count} of {file} should come before the one above it")
            group = tuple(cell for c, cell in zip(names, cells) if c in through)
            groups[group], before, count = groups.get(group, 0) + 1, now, count + 1
    same("count", body["count"], count)
    same("shuffled.smallest_group", body["shuffled"]["smallest_group"], min(groups.values()))
    return "Its rows are sorted, and its groups are as large as stated."


def reader_of(entry):
    """How the cells of a protected column sort: by the card's list, as numbers, or as texts."""
    outputs = (entry["channel"] or {}).get("outputs")
    if outputs is None:
        report = entry.get("reports", {}).get("cells", "")
        return Fraction if entry["type"] in ("numbers", "place") or "number" in report else str
    if any(isinstance(y, dict) for y in outputs):
        points = {Fraction(y["fraction"]): at for at, y in enumerate(outputs)}
        return lambda cell: points[Fraction(cell)]
    return {None if y is None else str(y): at for at, y in enumerate(outputs)}.__getitem__


def records(data):
    """The rows of a .csv file; an empty cell without quotes is None, as a missing value is written."""
    held = ""
    for line in data:
        held += line
        if held.count('"') % 2 == 0:  # no line ends within a cell
            cells = CELL.finditer(held.rstrip("\r\n"))
            yield [m[2] or None if m[1] is None else m[1].replace('""', '"') for m in cells]
            held = ""


def sentence(total, delta, published, wide):
    """What holds for a whole record, as the card words it."""
    alike = ", alike in the published columns," if published else ""
    if total is None:
        return (
            f"No factor bounds the whole record: {wide} can differ without limit, and records that "
            "are far apart there are not hidden from each other."
        )
    if delta:
        return (
            f"For any two possible records of one person{alike} any set of released tables is at "
            f"most {factor(total)} times as likely for one as for the other, plus {delta}, whatever "
            "is known about everyone else."
        )
    return (
        "Anyone who sees the released table can change their odds between any two possible records "
        f"of one person{alike} by a factor of at most {factor(total)}, whatever they know about "
        "everyone else."
    )


def factor(total):
    """e^level with three digits, rounded up (where an error of 2^-250 does not decide)."""
    m, s = e_to(min(total, 30 * ONE))
    value = Fraction(m - (m >> 200)) * Fraction(2) ** s
    if value >= 10**9:
        return f"e^{-((CLOSE - total) // ONE)}"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    scaled = -(-value.numerator * 10**digits // value.denominator)
    if value >= 1000:
        return f"{scaled:,}"
    return f"{scaled / 10**digits:.{digits}f}".rstrip("0").rstrip(".") if digits else str(scaled)


def hash_of(file, output):
    """The hash of a file, or of the files that the card lists of a folder, as they are there."""
    if not os.path.isdir(file):
        with open(file, "rb") as data:
            return hashlib.file_digest(data, "sha256").hexdigest()
    lines, names = [], [entry["name"] for entry in output.get("files", [])]
    for name in names:
        if {"", ".", ".."} & set(name.split("/")) or "\\" in name:
            raise Fault("output.files: names a file outside its folder")
        path = os.path.join(file, name)
        lines.append(f"{hash_of(path, {})} {os.path.getsize(path)} {name}")
    there = (
        os.path.relpath(os.path.join(at, name), file).replace(os.sep, "/")
        for at, _, some in os.walk(file) for name in some
    )  # fmt: skip
    for name in sorted(set(there) - set(names)):
        if not name.startswith(("_", ".")):
            raise Fault(f"output.files: {name} is in the folder and not on the card")
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def main(card, file=None):
    """Print what was found; the exit code."""
    try:
        with open(card, encoding="utf-8") as data:
            text = data.read()
        if re.match(r'\s*\{\s*"format":\s*"dprivacy\.mechanism"', text):
            print(f"Yes: {check_mechanism(text)}".encode("unicode_escape").decode())
            return 0
        body = opened(text, "card", "the card")
        if body["what"] != "table":
            print(
                f"this is a card of {body['what']}; only tables are checked from their card alone"
            )
            return 1
        formulas, notes = check_table(body), []
        if file is not None:
            same("output.sha256", body["output"]["sha256"], hash_of(file, body["output"]))
        if "shuffled" in body:
            notes = [body["shuffled"]["sentence"], check_bound(body), check_rows(body, file)]
    except Fault as fault:
        print(f"No: {fault}".encode("unicode_escape").decode())
        return 3
    except OSError as reason:
        print(f"{reason.filename}: cannot be read ({reason.strerror})")
        return 1
    except STRANGE as reason:
        print(f"No: the card is not of a known form ({type(reason).__name__}: {reason})")
        return 3
    print(f"Yes: {body['guarantee']['sentence']}")
    if formulas:
        print(f"By its formula, since no table of chances is on the card: {formulas}.")
    for note in notes:
        print(note)
    return 0


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit("usage: python check_card.py CARD [FILE]")
    sys.exit(main(*sys.argv[1:]))
