#!/usr/bin/env python3
"""Check the card of a released table from the definitions alone: python check_card.py CARD [FILE].

Standard library only, and not one line of dprivacy. It decides, in whole numbers and fractions:

1. that the card is intact: its form, and the hash over it;
2. of each protected column, that every row of its channel is a distribution, and that for any two
   true values x and z and every released value y
       P(y | x) <= e^(eps * d(x, z)) * P(y | z),
   where d is the distance that the plan on the card states; with a delta, that all by which the left
   side exceeds the right adds up to at most delta;
3. that the level of a whole record is the sum over the columns, times the rows that a person may have,
   and that the sentence on the card is the one that follows from these numbers;
4. that what is published, left out and void is what the plan says, and that FILE is the card's file.

Exit code 0: all of this holds. 3: it does not, and each line names a field that does not follow.
1: this is no card of a table.
"""

import hashlib
import json
import re
import sys
from fractions import Fraction
from math import ceil, exp, gcd, inf, isqrt, log

ONE = 1 << 320  # logarithms and roots are enclosed by two multiples of 1/ONE
CLOSE = Fraction(1, 1 << 250)  # levels nearer than this are equal


class Fault(Exception):
    """A field that does not follow, and why."""


# ---- levels: sums of r, r*ln(q), r*sqrt(k) and r*sqrt(k)*ln(q), as {(k, q): r}

NUMBER = r"\d{1,4000}(?:/[1-9]\d{0,3999})?"
TERM = re.compile(rf"(?:({NUMBER})(?:\*|$))?(?:sqrt\((\d{{1,9}})\)(?:\*|$))?(?:ln\(({NUMBER})\))?")


def level(text, field):
    """Read a level as the card writes it: 3/2, ln(3), 1/2*ln(7), 5/2 + ln(12), sqrt(2)."""
    found = {}
    for part in text.replace(" - ", " + -").split(" + ") if text != "0" else []:
        sign, rest = (-1, part[1:]) if part.startswith("-") else (1, part)
        match = TERM.fullmatch(rest)
        if not rest or not match or rest.endswith("*"):
            raise Fault(f"{field}: {text[:60]!r} is not a level")
        q = Fraction(match[3]) if match[3] else None
        if q is not None and q <= 0:
            raise Fault(f"{field}: {text[:60]!r} has a logarithm of nothing")
        key, whole = squarefree(int(match[2] or 1))
        found[key, q] = found.get((key, q), 0) + sign * whole * Fraction(match[1] or 1)
    return {key: r for key, r in found.items() if r and key[1] != 1}


def squarefree(k):
    """(m, w) with sqrt(k) = w * sqrt(m)."""
    whole = 1
    for p in range(2, isqrt(k) + 1):
        while p * p <= k and k % (p * p) == 0:
            k, whole = k // (p * p), whole * p
        if p > 1000:
            break
    return k, whole


def times(terms, factor):
    """A level times a distance: a fraction, or a level of its own that has no logarithm."""
    factor = factor if isinstance(factor, dict) else {(1, None): Fraction(factor)}
    found = {}
    for (k, q), r in terms.items():
        for (other, base), s in factor.items():
            if q is not None and base is not None:
                raise Fault("a distance with a logarithm cannot be multiplied by a level with one")
            key, whole = squarefree(k * other)
            key = key, q if base is None else base
            found[key] = found.get(key, 0) + r * s * whole
    return {key: r for key, r in found.items() if r}


def plus(*levels):
    """The sum of levels."""
    found = {}
    for terms in levels:
        for key, r in terms.items():
            found[key] = found.get(key, 0) + r
    return {key: r for key, r in found.items() if r}


def bounds(terms):
    """Two fractions that enclose a level."""
    low = high = Fraction(0)
    for (k, q), r in terms.items():
        root = (ONE, ONE) if k == 1 else (isqrt(k * ONE * ONE), isqrt(k * ONE * ONE) + 1)
        logs = (ONE, ONE) if q is None else log_bounds(q)
        ends = sorted(r * Fraction(a * b, ONE * ONE) for a in root for b in logs)
        low, high = low + ends[0], high + ends[-1]
    return low, high


def log_bounds(q):
    """ln(q) between two multiples of 1/ONE: powers of 2 are taken out, the rest is 2*artanh(t)."""
    shift = q.numerator.bit_length() - q.denominator.bit_length()
    low, high = _artanh(q / Fraction(2) ** shift)
    two = _artanh(Fraction(2))
    ends = sorted((shift * two[0], shift * two[1]))
    return low + ends[0], high + ends[1]


def _artanh(q):
    """ln(q) = 2 * (t + t^3/3 + t^5/5 + ...) with t = (q-1)/(q+1), for q between 1/2 and 2."""
    t = (q - 1) / (q + 1)
    size = abs(t)
    down, total, n = size.numerator * ONE // size.denominator, 0, 1
    while down:
        total += down // n
        down = down * size.numerator**2 // size.denominator**2
        n += 2
    low, high = (
        2 * total,
        2 * total + 4 * n,
    )  # each of n/2 terms was cut by less than 2, and so is the rest
    return (low, high) if t >= 0 else (-high, -low)


def power(terms):
    """(b, n) with (e^level)^n = b, both exact, where a level is made of logarithms alone; else None."""
    if any(k != 1 or q is None for k, q in terms):
        return None
    n = 1
    for r in terms.values():
        n = n * r.denominator // gcd(n, r.denominator)
    b = Fraction(1)
    for (_, q), r in terms.items():
        b *= q ** int(r * n)
    return b, n


def exp_bounds(terms):
    """Two fractions that enclose e^level; the same one twice where it is rational."""
    exact = power(terms)
    if exact is not None and exact[1] == 1:
        return exact[0], exact[0]
    two = log_bounds(Fraction(2))
    ends = []
    for value, up in zip(bounds(terms), (0, 1), strict=True):
        scaled = (
            -(-value.numerator * ONE // value.denominator)
            if up
            else value.numerator * ONE // value.denominator
        )
        k = scaled // two[0]
        rest = scaled - k * (two[0] if (k > 0) == bool(up) else two[1])  # between 0 and about ln 2
        total, term, n = ONE, ONE, 1
        while abs(term) > 1:
            term = term * rest // ONE // n
            total, n = total + term, n + 1
        total += 2 * n if up else -2 * n
        ends.append(Fraction(total, ONE) * Fraction(2) ** k)
    return ends[0], ends[1]


def equal(one, other):
    """Whether two levels are the same number, as far as 2^-250 tells."""
    low, high = bounds(plus(one, times(other, -1)))
    return low > -CLOSE and high < CLOSE


# ---- the plan on the card: true values and the distances between them


def plain(value):
    """Plan data with doubles as the decimals they print as: {"double": "0x1.0p-1"} is 0.5."""
    if isinstance(value, dict) and list(value) == ["double"]:
        return Fraction(repr(float.fromhex(value["double"])))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def given(value, field):
    """A level as people write it in a plan: 2, 0.5, "ln 2", "1/2 ln 3", "ln(16/7)"."""
    if isinstance(value, (int, Fraction)):
        return {(1, None): Fraction(value)} if value else {}
    text = re.sub(r"\d+(\.\d+)?(e[-+]?\d{1,3})?", lambda m: str(Fraction(m[0])), str(value).strip())
    text = re.sub(r"\bln\s*\(?\s*([\d/]+)\s*\)?", r"ln(\1)", text)
    return level(re.sub(r"(?<=[\d)])\s*\*?\s*(?=ln|sqrt)", "*", text), field)


def distances(name, spec):
    """The true values of a listed column and a function for the distance between two of them."""
    kind, values = spec["type"], spec.get("values", [])
    if kind == "stored":
        inner = opened(spec["stored"], "mechanism", f"plan.columns.{name}.stored")["space"]
        table = [
            inf if text == "inf" else level(text, f"plan.columns.{name}")
            for text in inner["distances"]
        ]
        values, codes = inner["labels"], inner["codes"]
        near = {(i, j): table[codes[i][j]] for i in range(len(values)) for j in range(len(values))}
    elif kind == "categories":
        values = [*values, None] if spec.get("nulls") == "category" else values
        near = {(i, j): int(i != j) for i in range(len(values)) for j in range(len(values))}
    elif kind == "ordered":
        near = {(i, j): abs(i - j) for i in range(len(values)) for j in range(len(values))}
    elif kind == "numbers":
        low, high, grid = (Fraction(str(spec[key])) for key in ("low", "high", "grid"))
        points = [low + k * grid for k in range(int((high - low) / grid) + 1)]
        values = [{"fraction": str(point)} for point in points]
        near = {(i, j): abs(i - j) * grid for i in range(len(points)) for j in range(len(points))}
    elif kind == "distances":
        rows = [
            [given(v, f"plan.columns.{name}.distances") for v in row] for row in spec["distances"]
        ]
        if {len(row) for row in rows} != {len(values)} or len(rows) != len(values):
            raise Fault(f"plan.columns.{name}.distances: is not a square table")
        near = {(i, j): rows[i][j] for i in range(len(values)) for j in range(len(values))}
    else:
        edges = spec["edges"] if kind == "graph" else list(branches(spec["tree"], ("root",)))
        near, values = shortest(edges, values if kind == "graph" else [])
    for one in range(len(values) if "blocks" in spec else 0):
        for other in range(len(values)):
            if not any(values[one] in block and values[other] in block for block in spec["blocks"]):
                near[one, other] = inf
    return values, near


def branches(tree, at):
    """The edges of a tree, half a unit each; leaves are its lists' entries."""
    if not tree or len({str(name) for name in tree}) < len(tree):
        raise Fault("plan: a branch of a tree is empty, or names a leaf twice")
    for name in tree:
        if isinstance(tree, dict):
            below = (*at, name)
            yield at, below, Fraction(1, 2)
            yield from branches(tree[name], below)
        else:
            yield at, name, Fraction(1, 2)


def shortest(edges, first):
    """The lengths of shortest paths between the values, by trying every value as a stop on the way."""
    ends = [end for edge in edges for end in edge[:2]]
    nodes = list(dict.fromkeys([*first, *ends]))
    at = {node: k for k, node in enumerate(nodes)}
    far = {
        (i, j): Fraction(0) if i == j else inf for i in range(len(nodes)) for j in range(len(nodes))
    }
    for u, v, *length in edges:
        if len(length) > 1:
            raise Fault("plan: an edge has two ends and a length")
        size = Fraction(str(length[0])) if length else Fraction(1)
        for pair in ((at[u], at[v]), (at[v], at[u])):
            far[pair] = min(far[pair], size)
    for k in range(len(nodes)):
        for i in range(len(nodes)):
            for j in range(len(nodes)):
                far[i, j] = min(far[i, j], far[i, k] + far[k, j])
    leaves = [k for k, node in enumerate(nodes) if not isinstance(node, tuple)]
    near = {(a, b): far[i, j] for a, i in enumerate(leaves) for b, j in enumerate(leaves)}
    return near, [nodes[k] for k in leaves]


# ---- the checks

LISTED = "blocks mechanism delta"
KINDS = {  # the usual mechanism of each type of column, and what a plan may say of it
    "categories": ("randomised_response", f"values {LISTED}"),
    "ordered": ("geometric", f"values {LISTED}"),
    "distances": ("exponential", f"values distances {LISTED}"),
    "tree": ("exponential", f"tree {LISTED}"),
    "graph": ("exponential", f"edges values {LISTED}"),
    "numbers": ("laplace", "low high grid delta mechanism"),
    "place": ("planar_laplace", "grid mechanism"),
    "bits": ("bitwise_response", "bits mechanism"),
    "stored": ("", "stored"),
}
ANY = "type epsilon columns nulls source note"


def keys(field, data, needed, optional=""):
    """Require an object with these keys and no others."""
    least, most = set(needed.split()), {*needed.split(), *optional.split()}
    if not isinstance(data, dict) or not least <= set(data) <= most:
        raise Fault(f"{field}: has not the keys {needed}")


def opened(text, noun, field):
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
    if not isinstance(data, dict) or set(data) != {"format", "version", "body", "sha256"}:
        raise Fault(f"{field}: has not the four keys format, version, body, sha256")
    rest = {key: data[key] for key in ("format", "version", "body")}
    told = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    if hashlib.sha256(told.encode()).hexdigest() != data["sha256"]:
        raise Fault(f"{field}: sha256 is not the hash of the rest")
    if data["format"] != f"dprivacy.{noun}":
        raise Fault(f"{field}: format is {data['format']!r}, not dprivacy.{noun}")
    return data["body"]


def same(field, said, follows):
    """Require a field to be what follows."""
    if said != follows or type(said) is not type(follows):
        raise Fault(f"{field}: the card says {said!r}, and {follows!r} follows"[:300])


def in_hex(value, field):
    """Whole numbers that are written like 0x1f."""
    if isinstance(value, list):
        return [in_hex(item, field) for item in value]
    if not re.fullmatch("0x[0-9a-f]{1,20000}", value):
        raise Fault(f"{field}: {value[:20]!r} is not a whole number in hexadecimal")
    return int(value, 16)


def check_channel(field, entry, name, spec):
    """That the channel keeps the column's level, between any two true values."""
    channel = entry["channel"]
    keys(f"{field}.channel", channel, "inputs outputs matrix")
    keys(f"{field}.channel.matrix", channel["matrix"], "denominator weights")
    values, near = distances(name, spec)
    same(f"{field}.channel.inputs", channel["inputs"], values)
    outputs = channel["outputs"]
    if spec["type"] != "stored":
        released = [y for block in spec["blocks"] for y in block] if "blocks" in spec else values
        extra = ["⊥"] if spec.get("mechanism") == "any_metric" else []
        told = [y for y in outputs if y not in extra] + [y for y in outputs if y in extra]
        same(f"{field}.channel.outputs", told, [*released, *extra])
    matrix = channel["matrix"]
    den, rows = (in_hex(matrix[key], f"{field}.channel") for key in ("denominator", "weights"))
    if den <= 0 or len(rows) != len(values):
        raise Fault(f"{field}.channel.matrix: has not one row for every value")
    for x, row in zip(values, rows, strict=True):
        if len(row) != len(outputs) or min(row) < 0 or sum(row) != den:
            raise Fault(f"{field}.channel.matrix: the row of {x!r} is not a distribution")
    eps, delta = level(entry["eps"], f"{field}.eps"), Fraction(entry["delta"])
    known, tight = {}, False
    for i, j in pairs(spec, near, rows, delta):
        apart = near[i, j]
        if apart == inf or i == j:
            continue
        key = repr(apart)
        if key not in known:
            exponent = times(eps, apart)
            known[key] = exp_bounds(exponent), power(exponent)
        (least, _), exact = known[key]
        if delta:
            over = (p - least * q for p, q in zip(rows[i], rows[j], strict=True))
            if sum((p for p in over if p > 0), Fraction(0)) > delta * den:
                raise Fault(f"{field}: from {values[i]!r} to {values[j]!r} more than delta escapes")
            continue
        for y, p, q in zip(outputs, rows[i], rows[j], strict=True):
            if p <= least * q and not (exact and p):
                continue
            if exact and q:  # decided exactly: (p/q)^n against b
                held = p ** exact[1] * exact[0].denominator <= exact[0].numerator * q ** exact[1]
                tight |= p ** exact[1] * exact[0].denominator == exact[0].numerator * q ** exact[1]
            else:
                held = p <= least * q
            if not held:
                who = f"{values[i]!r} and {values[j]!r}"
                raise Fault(f"{field}.eps: for {who}, the released value {y!r} is too telling")
    return rows, near, tight


def pairs(spec, near, rows, delta):
    """The pairs of true values that decide: all, or those that imply the others."""
    n = len(rows)
    line = spec["type"] in ("numbers", "ordered") and "blocks" not in spec and not delta
    if line:  # a ratio between far values is the product of those between neighbours
        return [pair for k in range(n - 1) for pair in ((k, k + 1), (k + 1, k))]
    if spec["type"] == "categories" and "blocks" not in spec and not delta:  # all at distance 1
        found = set()
        for column in zip(*rows, strict=True):
            found.add((column.index(max(column)), column.index(min(column))))
        return sorted(found)
    return [(i, j) for i in range(n) for j in range(n)]


def check_column(name, spec, entry):
    """One column against its plan; the level between its two most different values."""
    field, kind = f"mechanisms.{name}", spec["type"]
    usual, settings = KINDS[kind]
    needed = "type" if kind == "stored" else "type epsilon"
    keys(f"plan.columns.{name}", spec, needed, f"{ANY} {settings}")
    keys(field, entry, "type family columns eps delta most nulls channel", "low high grid bits")
    same(f"{field}.type", entry["type"], kind)
    same(f"{field}.columns", entry["columns"], spec.get("columns", [name]))
    nulls = spec.get("nulls", "refuse")
    same(f"{field}.nulls", entry["nulls"], nulls if isinstance(nulls, str) else "replace")
    for key in ("low", "high", "grid", "bits"):
        said, follows = entry.get(key), spec.get(key)
        same(f"{field}.{key}", said, None if follows is None else _written(follows))
    eps = level(entry["eps"], f"{field}.eps")
    family, asked = spec.get("mechanism", usual), spec.get("epsilon")
    delta = Fraction(str(spec.get("delta", 0)))
    if kind == "stored":
        inner = opened(spec["stored"], "mechanism", f"plan.columns.{name}.stored")
        family, asked = inner["family"], inner["guarantee"]["eps"]
        delta = Fraction(inner["guarantee"]["delta"])
        same(f"{field}.channel", entry["channel"], inner["channel"])
    same(f"{field}.family", entry["family"], "within_blocks" if "blocks" in spec else family)
    same(f"{field}.delta", entry["delta"], str(delta))
    if entry["channel"] is not None:
        rows, near, tight = check_channel(field, entry, name, spec)
        far = max((d for d in near.values() if d != inf), key=lambda d: bounds(times(eps, d))[1])
    else:
        far = spec.get("bits")
        if kind == "numbers":
            far = Fraction(str(spec["high"])) - Fraction(str(spec["low"]))
    if family == "exponential" and "blocks" not in spec:
        if not tight:
            raise Fault(f"{field}.eps: is not the level that the channel has")
        check_exponential(name, rows, near, given(asked, field))
    elif not equal(eps, given(asked, f"plan.columns.{name}.epsilon")):
        raise Fault(f"{field}.eps: the card says {entry['eps']}, and its plan {asked}")
    if far is None:
        same(f"{field}.most", entry["most"], "")
        return None
    most = times(eps, far)
    if not equal(most, level(entry["most"], f"{field}.most")):
        raise Fault(f"{field}.most: is not eps times the farthest distance")
    return most


def check_exponential(name, rows, near, asked):
    """That a channel falls off like e^(-k/32*epsilon*d), for the largest k that keeps epsilon."""
    eps, n = float(bounds(asked)[1]), len(rows)
    far = {pair: float(bounds(d)[1] if isinstance(d, dict) else d) for pair, d in near.items()}
    for k in range(32, 15, -1):
        law = [[exp(-k / 32 * eps * far[i, j]) for j in range(n)] for i in range(n)]
        law = [[p / sum(row) for p in row] for row in law]
        rates = (
            log(law[i][y] / law[j][y]) / far[i, j]
            for i in range(n) for j in range(n) for y in range(n)
            if 0 < far[i, j] < inf and law[i][y] > 0 and law[j][y] > 0
        )  # fmt: skip
        if k == 16 or max(rates, default=0) <= eps * (1 + 1e-9):
            break
    for row, true in zip(rows, law, strict=True):
        if any(abs(p / sum(row) - q) > 1e-6 for p, q in zip(row, true, strict=True)):
            raise Fault(f"plan.columns.{name}.epsilon: the channel is not the one that it gives")


def _written(value):
    return str(float(value)) if isinstance(value, Fraction) else str(value)


def check_table(body):
    """Every field of a table's card; the faults that were found."""
    optional = "title plan pass_through dropped permanent receipt output"
    keys("the card", body, "what guarantee holds void secure count mechanisms library", optional)
    keys("guarantee", body["guarantee"], "eps delta because unit sentence")
    plan, entries = plain(body["plan"]), body["mechanisms"]
    if type(body["count"]) is not int or body["count"] < 0:
        raise Fault("count: is not a number of rows")
    if "output" in body:
        keys("output", body["output"], "name sha256", "source")
        if not re.fullmatch("[0-9a-f]{64}", body["output"]["sha256"]):
            raise Fault("output.sha256: is not a hash")
    bounds = "rows_per_person values_per_person"
    keys("plan", plan, "columns", f"title drop pass_through unit {bounds} table")
    same("mechanisms", list(entries), list(plan["columns"]))
    total, delta = {}, Fraction(0)
    for name, spec in plan["columns"].items():
        most = check_column(name, spec, entries[name])
        delta += Fraction(entries[name]["delta"])
        total = None if most is None or total is None else plus(total, most)
    rows, stated = plan.get("rows_per_person", 1), body["guarantee"]
    rows *= plan.get("values_per_person", 1)
    delta = min(Fraction(1), delta * rows)
    if total is None:
        same("guarantee.eps", stated["eps"], "")
    elif not equal(times(total, rows), level(stated["eps"], "guarantee.eps")):
        raise Fault("guarantee.eps: is not what the columns add up to")
    same("guarantee.delta", stated["delta"], str(delta))
    same("guarantee.because", stated["because"], "the levels of all columns add up")
    same("guarantee.unit", stated["unit"], "record")
    blocks = any("blocks" in spec for spec in plan["columns"].values())
    through = plan.get("pass_through", [])
    if total is None:
        wide = " and ".join(name for name in entries if not entries[name]["most"])
        words = (
            f"No factor bounds the whole record: {wide} can differ without limit, and records that "
            "are far apart there are not hidden from each other."
        )
    else:
        words = sentence(times(total, rows), delta, through or blocks)
    same("guarantee.sentence", stated["sentence"], words)
    protected = [c for name, spec in plan["columns"].items() for c in spec.get("columns", [name])]
    unit, drop = plan.get("unit", "row"), plan.get("drop", [])
    kept = unit in ("row", *through, *protected, *drop)
    same("title", body.get("title", ""), plan.get("title", ""))
    same("pass_through", body.get("pass_through", []), through)
    same("dropped", body.get("dropped", []), drop if kept else [*drop, unit])
    void = [
        f"the list of values for {name} was taken from the data"
        for name, spec in plan["columns"].items()
        if spec.get("source", "declared") != "declared"
    ]
    void += [] if body["secure"] is True else ["the noise came from a seed and can be guessed"]
    same("void", body["void"], void)
    same("holds", body["holds"], not void)


def sentence(total, delta, published):
    """What holds for a whole record, as the card words it."""
    alike = ", alike in the published columns," if published else ""
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
    """e^level with three digits, rounded up."""
    value = exp_bounds(total)[1]
    if value >= 10**9:
        return f"e^{ceil(bounds(total)[1])}"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    scaled = ceil(value * 10**digits)
    if value >= 1000:
        return f"{scaled:,}"
    return f"{scaled / 10**digits:.{digits}f}".rstrip("0").rstrip(".") if digits else str(scaled)


def main(card, file=None):
    """Print what was found; the exit code."""
    try:
        with open(card, encoding="utf-8") as text:
            body = opened(text.read(), "card", "the card")
        if body["what"] != "table":
            print(
                f"this is a card of {body['what']}; only tables can be checked from their card alone"
            )
            return 1
        check_table(body)
        if file is not None:
            with open(file, "rb") as data:
                same(
                    "output.sha256",
                    hashlib.file_digest(data, "sha256").hexdigest(),
                    body["output"]["sha256"],
                )
    except Fault as fault:
        print(f"No: {fault}")
        return 3
    except OSError as reason:
        print(f"{reason.filename}: cannot be read ({reason.strerror})")
        return 1
    except (
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        IndexError,
        ZeroDivisionError,
    ) as reason:
        print(f"No: the card is not of a known form ({type(reason).__name__}: {reason})")
        return 3
    print(f"Yes: {body['guarantee']['sentence'] or 'every column keeps its level.'}")
    return 0


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit("usage: python check_card.py CARD [FILE]")
    sys.exit(main(*sys.argv[1:]))
