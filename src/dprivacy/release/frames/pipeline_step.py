"""A scikit-learn style transformer: protect columns inside a pipeline."""

from typing import Any

from dprivacy.errors import UnknownName
from dprivacy.release.columns.sanitiser import Sanitiser
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.sanitising import sanitise
from dprivacy.sampling import choose_source
from dprivacy.typing import PlanLike


class ProtectColumns:
    """Sanitises a data frame by a plan, with the methods that scikit-learn's pipelines expect.

    Nothing is learned from the data: `fit` only checks that the columns are there. Every call of
    `transform` draws new noise and so spends ε again; transform once and keep the result.

    Parameters
    ----------
    plan
        A Plan, the path of a plan file, or the mapping such a file gives.

    Examples
    --------
    >>> import pandas
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> step = ProtectColumns(plan)
    >>> noisy = step.fit_transform(pandas.DataFrame({"tea": ["yes", "no", "no"]}))
    >>> list(noisy.columns), len(noisy)
    (['tea'], 3)
    """

    def __init__(self, plan: PlanLike) -> None:
        self.plan = plan

    def fit(self, X: Any, y: Any = None) -> "ProtectColumns":
        """Check the plan against the table's columns."""
        self.feature_names_in_ = [str(name) for name in X.columns]
        Sanitiser(Plan.read(self.plan), choose_source()).output_names(self.feature_names_in_)
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    def transform(self, X: Any) -> Any:
        """A protected copy of the table."""
        return sanitise(X, Plan.read(self.plan)).data

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """`fit`, then `transform`."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> list[str]:
        """The columns that come out."""
        plan = Plan.read(self.plan)
        names = input_features if input_features is not None else self.feature_names_in_
        return [name for name in names if name in plan.protected or name in plan.pass_through]

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
