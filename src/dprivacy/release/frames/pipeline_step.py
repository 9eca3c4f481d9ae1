"""A transformer for scikit-learn: protect columns inside a pipeline, each row once."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable, UnknownName, WrongKind, WrongShape
from dprivacy.extras import arrow
from dprivacy.model import counted
from dprivacy.release.columns.sanitiser import Sanitiser
from dprivacy.release.frames.drawn_rows import DrawnRows
from dprivacy.release.frames.frames_in_hand import arrow_columns
from dprivacy.release.plans.joint_promise import joint_guarantee
from dprivacy.release.plans.table_plan import Plan
from dprivacy.sampling import choose_source
from dprivacy.typing import PlanLike

_CONTAINERS = ("default", "pandas", "polars")


class ProtectColumns:
    """A scikit-learn transformer that sanitises a table by a plan, and draws each row's noise once.

    Nothing is learned from the data: `fit` checks the columns and says the level. Where the plan's
    `unit` is a column that identifies a person, and a person has one row, `transform` draws the rows it
    has not seen and gives the others as they were drawn. This holds for the clones that a
    cross-validation makes too: they share what was drawn. Without such a column one table is drawn, and
    any other is refused, for it could hold the same people. A copy in another process draws nothing:
    call `transform` on all rows before using several processes.

    Parameters
    ----------
    plan
        A Plan, the path of a plan file, or the mapping such a file gives. The columns of a NumPy array
        are called x0, x1 and so on.

    Attributes
    ----------
    guarantee_
        What a row's columns together protect, after `fit`; its `total` is the level in all.
    feature_names_in_, n_features_in_
        The columns that `fit` saw, their names only where they had any.

    Examples
    --------
    >>> import pandas
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> step = ProtectColumns({"unit": "who", "drop": ["who"], "columns": {"tea": tea}})
    >>> frame = pandas.DataFrame({"who": [1, 2, 3], "tea": ["yes", "no", "no"]})
    >>> noisy = step.fit_transform(frame)
    >>> step.transform(frame[1:])["tea"].tolist() == noisy["tea"].tolist()[1:]
    True
    >>> step
    ProtectColumns(1 column, ε = ln(3) a person in all, 3 rows drawn)
    >>> step.fit(frame).get_feature_names_out().tolist(), step.get_params()["plan"]["unit"]
    (['tea'], 'who')
    >>> step.set_output(transform="pandas") is step.set_params()
    True
    """

    def __init__(self, plan: PlanLike) -> None:
        self.plan = plan

    def fit(self, X: Any, y: Any = None) -> "ProtectColumns":
        """Check the plan against the table's columns, and say the level in all."""
        plan, columns = Plan.read(self.plan), _columns(X)
        Sanitiser(plan, choose_source()).output_names(list(columns))
        self._plan, self._names = plan, tuple(columns)
        self.guarantee_ = joint_guarantee(plan)
        self.n_features_in_ = len(columns)
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(type(X), "columns"):
            self.feature_names_in_ = np.array(self._names, dtype=object)
        self._memory()
        return self

    def transform(self, X: Any) -> Any:
        """The protected table, of the kind that came or that `set_output` chose."""
        self._require_fitted()
        columns = _columns(X)
        if len(columns) != self.n_features_in_:
            raise WrongShape(
                f"X has {len(columns)} features, but ProtectColumns is expecting "
                f"{self.n_features_in_} features as input"
            )
        named = hasattr(self, "feature_names_in_") and hasattr(type(X), "columns")
        if named and tuple(columns) != self._names:
            raise UnknownName(
                "The feature names should match those that were passed during fit: "
                f"{', '.join(self._names)}, in this order"
            )
        table = arrow().table(list(columns.values()), names=list(self._names))
        return _contained(self._memory().released(table, self._plan), self._container(X))

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """`fit`, then `transform`."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The columns that come out; `input_features` are names for those of an array."""
        self._require_fitted()
        given = self._names if input_features is None else tuple(map(str, input_features))
        if len(given) != len(self._names):
            raise WrongShape(
                "input_features should have length equal to number of features "
                f"({len(self._names)}), got {len(given)}"
            )
        if hasattr(self, "feature_names_in_") and given != self._names:
            raise UnknownName("input_features is not equal to feature_names_in_")
        published = {*self._plan.protected, *self._plan.pass_through}
        kept = (new for name, new in zip(self._names, given, strict=True) if name in published)
        return np.array(list(kept), dtype=object)

    def set_output(self, *, transform: str | None = None) -> "ProtectColumns":
        """Choose what `transform` gives: "pandas", "polars", or "default", the kind that came."""
        if transform is not None and transform not in _CONTAINERS:
            raise UnknownName(f"the output is one of {', '.join(_CONTAINERS)}, not {transform!r}")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, for scikit-learn."""
        return {"plan": self.plan}

    def set_params(self, **parameters: Any) -> "ProtectColumns":
        """Set parameters, for scikit-learn."""
        strange = sorted(set(parameters) - {"plan"})
        if strange:
            raise UnknownName(f"ProtectColumns has no parameter {', '.join(strange)}; it has plan")
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self) -> "ProtectColumns":
        """An unfitted step that shares what was drawn."""
        other = type(self)(self.plan)
        other._drawn = self._memory()
        if hasattr(self, "_sklearn_output_config"):
            other._sklearn_output_config = dict(self._sklearn_output_config)
        return other

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(string=True, categorical=True, allow_nan=True),
            requires_fit=True,
        )

    def __repr__(self) -> str:
        if not hasattr(self, "_plan"):
            return "ProtectColumns(not fitted)"
        total = self.guarantee_.total
        whose = "row" if self._plan.unit == "row" else "person"
        level = "no bound on ε" if total is None else f"ε = {total}"
        columns = counted(len(self._plan.protected), "column")
        drawn = counted(len(self._memory()), "row")
        return f"ProtectColumns({columns}, {level} a {whose} in all, {drawn} drawn)"

    def _memory(self) -> DrawnRows:
        if not hasattr(self, "_drawn"):
            self._drawn = DrawnRows()
        return self._drawn

    def _require_fitted(self) -> None:
        if hasattr(self, "_plan"):
            return
        text = "This ProtectColumns is not fitted yet; call fit with a table first"
        try:
            from sklearn.exceptions import NotFittedError
        except ImportError:
            raise NotApplicable(text) from None
        raise NotFittedError(text)

    def _container(self, X: Any) -> str:
        from narwhals import dependencies as kinds

        chosen = getattr(self, "_sklearn_output_config", {}).get("transform")
        if chosen is None:
            chosen = _configured()
        if chosen != "default":
            return str(chosen)
        if kinds.is_pandas_dataframe(X):
            return "pandas"
        return "polars" if kinds.is_polars_dataframe(X) else "numpy"


def _configured() -> str:
    """What scikit-learn's own configuration asks for, where it is installed."""
    try:
        from sklearn import get_config
    except ImportError:
        return "default"
    return str(get_config()["transform_output"])


def _columns(X: Any) -> Mapping[str, Any]:
    """The columns of a frame or an array as Arrow arrays, by name."""
    if hasattr(type(X), "columns"):
        return arrow_columns(X)
    if hasattr(X, "tocsr"):
        raise WrongKind("Sparse data is not supported, since every cell is drawn; use X.toarray()")
    cells = np.asarray(X)
    if np.iscomplexobj(cells):
        raise WrongKind("Complex data not supported: cells are texts or real numbers")
    if cells.ndim != 2:
        raise WrongShape(
            f"a table has two dimensions, not {cells.ndim}. Reshape your data: X.reshape(-1, 1) for "
            "one column, X.reshape(1, -1) for one row"
        )
    if not cells.shape[1]:
        raise WrongShape(f"0 feature(s) (shape={cells.shape}) while a minimum of 1 is required.")
    if not len(cells):
        raise WrongShape(f"0 sample(s) (shape={cells.shape}) while a minimum of 1 is required.")
    pa, found = arrow(), {}
    for k in range(cells.shape[1]):
        try:
            found[f"x{k}"] = pa.array(cells[:, k].tolist(), from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):  # it may quote a cell
            raise WrongKind(
                f"column x{k} should hold texts or numbers of one kind, but mixes kinds or holds "
                "something else; convert it first"
            ) from None
    return found


def _contained(table: Any, container: str) -> Any:
    if container == "pandas":
        return table.to_pandas()
    if container == "polars":
        import polars

        return polars.from_arrow(table)
    columns = [np.array(column.to_pylist()) for column in table.columns]
    kinds = {column.dtype.kind in "iufb" for column in columns}
    return np.column_stack(columns if kinds == {True} else [c.astype(object) for c in columns])
