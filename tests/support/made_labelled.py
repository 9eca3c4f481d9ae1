"""Small files of SPSS and Stata, with labels and codes for no answer."""

import pytest

ROWS = {
    "sex": [1, 2, 2, 9, 1, 2],
    "age": [30, 41.5, 99, 28, None, 77],
    "name": ["ann", "bob", "cleo", "dan", "", "eve"],
    "wt": [1.5, 2, 2, 2, 1, 1],
}
LABELS = {"sex": "Sex", "age": "Age in years", "name": "", "wt": "Design weight"}
VALUES = {"sex": {1: "male", 2: "female", 9: "refused"}, "age": {99: "not stated"}}


def written(folder, kind):
    """A file of a kind, "sav", "zsav" or "dta"; skipped where the library is missing."""
    library = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed (extra files)")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed (extra dev)")
    frame, path = pandas.DataFrame(ROWS), folder / f"survey.{kind}"
    if kind == "dta":
        values = {"sex": VALUES["sex"]}
        library.write_dta(frame, path, column_labels=LABELS, variable_value_labels=values)
        return path
    library.write_sav(
        frame,
        path,
        column_labels=LABELS,
        variable_value_labels=VALUES,
        missing_ranges={"sex": [9], "age": [{"lo": 97, "hi": 99}]},
        variable_measure={"sex": "nominal", "age": "scale"},
        compress=kind == "zsav",
    )
    return path
