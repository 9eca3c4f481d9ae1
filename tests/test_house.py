"""The rules of the house: doors, cycles, sizes and names, read off the source."""

import ast
from collections import Counter, defaultdict

from support.source_code import SRC, trees

MOST_FILES = 15  # in a folder
# Who imports by a computed name; only the first looks upwards, and only when a picture is wanted.
COMPUTED = {
    "dprivacy.model.answers": ".plot() looks for its picture",
    "dprivacy": "the façade",
    "dprivacy.cli.verb_table": "a verb loads when it is called",
    "dprivacy.design.problems.machine_limits": "NumPy's and SciPy's own libraries",
    "dprivacy.extras": "libraries that may be missing",
    "dprivacy.release.spark.spark_session": "PySpark's errors",
    "dprivacy.reproduce.items.catalogue_items": "chapters, in their order",
    "dprivacy.sources.statement_page": "every module, for the table of statements",
}

FILES = {
    ".".join(("dprivacy", *path.removesuffix(".py").split("/"))).removesuffix(".__init__"): SRC
    / path
    for path in trees()
}


def room(module):
    return module.split(".")[1] if "." in module else ""


def own_imports():
    """(importing module, module named in the import, name), wherever in the file the import stands."""
    for module, tree in zip(FILES, trees().values(), strict=True):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "dprivacy":
                yield from ((module, node.module, alias.name) for alias in node.names)


IMPORTS = list(own_imports())


def is_door(module):
    return FILES[module].name == "__init__.py"


def rings(graph):
    """The cycles that a depth-first walk closes."""
    found, state, stack = [], {}, []

    def visit(v):
        state[v] = "open"
        stack.append(v)
        for w in sorted(graph[v]):
            if state.get(w) == "open":
                found.append([*stack[stack.index(w) :], w])
            elif w not in state:
                visit(w)
        stack.pop()
        state[v] = "done"

    for v in list(graph):
        if v not in state:
            visit(v)
    return found


def test_other_rooms_are_entered_by_their_door():
    past = [
        f"{here}: {there}.{name}"
        for here, there, name in IMPORTS
        if here != "dprivacy" and room(here) != room(there) and there.count(".") > 1
    ]
    assert past == []


def test_no_room_enters_by_its_own_door():
    own = [
        f"{here}: {there}.{name}"
        for here, there, name in IMPORTS
        if here.count(".") >= 2
        and there == f"dprivacy.{room(here)}"
        and f"{there}.{name}" not in FILES
    ]
    assert own == []


def test_no_cycles_even_inside_functions():
    graph = defaultdict(set)
    for here, there, name in IMPORTS:
        target = f"{there}.{name}" if f"{there}.{name}" in FILES else there
        if here != "dprivacy" and not is_door(here) and target in FILES and not is_door(target):
            graph[here].add(target)
    found = rings(graph)
    assert not found, "; ".join(" → ".join(ring) for ring in found)


def test_modules_imported_by_a_computed_name_are_few_and_known():
    users = {m for m, path in FILES.items() if "import_module(" in path.read_text(encoding="utf-8")}
    assert users <= set(COMPUTED)


def test_a_folder_has_at_most_fifteen_files():
    counts = Counter(path.parent.relative_to(SRC).as_posix() for path in FILES.values())
    assert {folder: n for folder, n in counts.items() if n > MOST_FILES} == {}


def test_no_two_files_share_a_name():
    names = Counter(p.stem for p in FILES.values() if p.stem not in ("__init__", "__main__"))
    assert [name for name, n in names.items() if n > 1] == []


def test_no_file_or_folder_is_named_like_an_export_of_its_room():
    wrong = []
    for module, path in FILES.items():
        if module.count(".") == 1 and path.name == "__init__.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            exports = {
                alias.asname or alias.name
                for node in tree.body
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
            }
            inside = {p.stem for p in path.parent.rglob("*.py")}
            inside |= {p.name for p in path.parent.rglob("*") if p.is_dir()}
            wrong += [f"{module}.{name}" for name in sorted(exports & inside)]
    assert wrong == []


def test_no_file_looks_like_a_test_to_pytest():
    looks = [m for m, p in FILES.items() if p.stem.endswith("_test") or p.stem.startswith("test_")]
    assert looks == []
