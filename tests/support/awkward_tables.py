"""Tables as people send them, made by code, with what is true of each; every cell carries a canary."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

TOWNS = ("Zürich", "Genève", "Málaga", "København")
CANARY = "Qx7"  # inside every text cell of a record; no header and no message has it


@dataclass(frozen=True)
class Awkward:
    """A file and the truth: `header` None where nobody could know, `encoding` None for must ask."""

    name: str
    data: bytes
    encoding: str | None = "utf-8"
    delimiter: str | None = ","
    header: bool | None = True


def people(
    n: int = 60, sep: str = ",", decimal: str = ".", header: bool = True, quote: bool = False,
    towns: tuple[str, ...] = TOWNS, words: bool = False, seed: int = 7,
) -> str:  # fmt: skip
    """A table of towns, sexes, ages, incomes and days of birth; or of words alone."""
    rng = random.Random(seed)
    names = ["town", "sex", "smokes"] if words else ["town", "sex", "age", "income", "born"]
    rows = [names] if header else []
    for _ in range(n):
        row = [rng.choice(towns) + CANARY, CANARY + rng.choice("fm")]
        if words:
            row.append(CANARY + rng.choice(["yes", "no"]))
        else:
            income = f"{rng.gauss(3000, 900):.2f}".replace(".", decimal)
            born = f"{rng.randint(1930, 2005)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
            row += [str(rng.randint(0, 99)), income, born]
        rows.append(row)
    cells = [[f'"{cell}"' if quote else cell for cell in row] for row in rows]
    return "\r\n".join(map(sep.join, cells)) + "\r\n"


def _codes(n: int, sep: str, *most: int) -> str:
    rng = random.Random(11)
    return "".join(sep.join(str(rng.randint(0, m)) for m in most) + "\n" for _ in range(n))


def awkward_tables() -> Iterator[Awkward]:
    """All of them."""
    yield Awkward("comma", people().encode())
    yield Awkward("semicolon", people(sep=";").encode(), delimiter=";")
    yield Awkward("decimal comma", people(sep=";", decimal=",").encode(), delimiter=";")
    yield Awkward("tab", people(sep="\t").encode(), delimiter="\t")
    yield Awkward("bar", people(sep="|").encode(), delimiter="|")
    yield Awkward("latin-1", people(sep=";", decimal=",").encode("latin-1"), "cp1252", ";")
    euro = people(sep=";").replace("income", "income €")
    yield Awkward("cp1252 with a euro", euro.encode("cp1252"), "cp1252", ";")
    yield Awkward("utf-8 with a mark", people(sep=";").encode("utf-8-sig"), "utf-8-sig", ";")
    yield Awkward("utf-16 with a mark", people(sep="\t").encode("utf-16"), "utf-16", "\t")
    yield Awkward("utf-16-le", people(sep=";").encode("utf-16-le"), "utf-16-le", ";")
    yield Awkward("utf-16-be", people().encode("utf-16-be"), "utf-16-be", ",")
    yield Awkward("utf-32 with a mark", people().encode("utf-32"), "utf-32", ",")
    yield Awkward("no header", people(header=False).encode(), header=False)
    bare = people(sep=";", decimal=",", header=False).encode("latin-1")
    yield Awkward("no header, semicolon, latin-1", bare, "cp1252", ";", False)
    yield Awkward("words", people(words=True).encode())
    yield Awkward("words, no header", people(words=True, header=False).encode(), header=False)
    yield Awkward("words, three rows", people(3, words=True).encode(), header=None)
    yield Awkward("all quoted", people(quote=True).encode())
    yield Awkward("all quoted, semicolon", people(quote=True, sep=";").encode(), delimiter=";")
    remark = f'"says ""so, {CANARY}""; then\nleaves"'
    quoted = "".join(f"{i},{remark},{20 + i % 50}\r\n" for i in range(50))
    yield Awkward("quoted commas and line ends", f"id,remark,age\r\n{quoted}".encode())
    streets = "".join(f"{CANARY}{i};Street {i}, Town {i % 7}, Land;{i}\r\n" for i in range(50))
    yield Awkward("addresses", f"name;address;n\r\n{streets}".encode(), delimiter=";")
    places = "".join(f"{47 + i / 97:.4f};{8 + i / 89:.4f}\r\n" for i in range(50))
    yield Awkward("places", f"lat;lon\r\n{places}".replace(".", ",").encode(), delimiter=";")
    yield Awkward("codes, no header", _codes(80, ";", 6, 9, 1).encode(), delimiter=";", header=None)
    years = f"2017,2018,2019\n{_codes(80, ',', 600, 900, 100)}"
    yield Awkward("years as names", years.encode(), header=None)
    yield Awkward("one column", f"age\n{_codes(50, ',', 99)}".encode(), delimiter=None, header=None)
    times = "".join(f"12:{i:02}:00;{i},5\n" for i in range(60))
    yield Awkward("times", f"when;value\n{times}".encode(), delimiter=";")
    irish = "".join(f"O'Neil {CANARY} {i},{i}\n" for i in range(60))
    yield Awkward("apostrophes", f"name,n\n{irish}".encode())
    gaps = "".join(f"{i},,{'NA' if i % 3 else i}\n" for i in range(60))
    yield Awkward("missing cells", f"a,b,c\n{gaps}".encode())
    polish = people(sep=";", towns=("Łódź", "Kraków", "Wrocław")).encode("cp1250")
    yield Awkward("polish cp1250", polish, "cp1250", ";")
    noise = random.Random(3).randbytes(3000)
    yield Awkward("noise", noise, None, None, None)
    census = "".join(f"{20 + i % 60}, {CANARY}, {1000 + i}, Bachelors\n" for i in range(60))
    yield Awkward("spaces after commas, no header", census.encode(), header=False)
    carriage = people().replace("\r\n", "\r")
    yield Awkward("line ends of old", carriage.encode())
    rng = random.Random(5)
    spaced = "".join(f"{CANARY} {rng.choice('fm')} {rng.randint(0, 99)}\n" for _ in range(60))
    yield Awkward("cells between spaces", f"name sex age\n{spaced}".encode(), delimiter=None)
    colons = "".join(f"{CANARY}{i}:{i % 2}:{i % 9}\n" for i in range(60))
    yield Awkward("cells between colons", f"name:sex:age\n{colons}".encode(), delimiter=None)
