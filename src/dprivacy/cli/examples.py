"""Built-in matrices, to try a command before having one of your own."""

from dprivacy.errors import Malformed
from dprivacy.model import Channel

# name: (metric, input labels, rows); outputs are the inputs.
_EXAMPLES = {
    "geometric": (
        "line",
        ["0", "1", "2"],
        ["2/3 1/6 1/6", "1/3 1/3 1/3", "1/6 1/6 2/3"],
    ),
    "response": (
        "discrete",
        ["nurse", "pilot", "cook", "clerk"],
        ["2/5 1/5 1/5 1/5", "1/5 2/5 1/5 1/5", "1/5 1/5 2/5 1/5", "1/5 1/5 1/5 2/5"],
    ),
    "broken": (
        "discrete",
        ["yes", "no", "refused"],
        ["9/10 1/10 0", "1/10 9/10 0", "1/20 1/20 9/10"],
    ),
}
NAMES = sorted(_EXAMPLES)


def example(name: str) -> tuple[str, Channel]:
    """The metric and the channel of a built-in example."""
    if name not in _EXAMPLES:
        raise Malformed(f"there is no example {name!r}; choose {', '.join(NAMES)}")
    metric, labels, rows = _EXAMPLES[name]
    return metric, Channel(labels, labels, [row.split() for row in rows])
