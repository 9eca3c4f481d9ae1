"""Scenarios: what a release betrays of a secret, beside how well it serves its purpose."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.flow.gains.gain_shapes import block_table
from dprivacy.flow.inferring.correlated_values import Inference, coordinates_seen, inference
from dprivacy.flow.inferring.noisy_counts import local_count, oblivious_count
from dprivacy.model import Answer, Channel, Dist, Gain, Pictured, about, as_channel, plain
from dprivacy.numbers import Mat
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, GainLike, Label, LevelLike


@dataclass(frozen=True)
class Scenario(Pictured, Answer):
    """The two sides of one release.

    Attributes
    ----------
    secret
        What is learned of the secret.
    useful
        What is learned of the useful value.

    Examples
    --------
    >>> from dprivacy.model import joint
    >>> smokes = joint(["smokes", "does not"], ["ill", "well"], [[2, 1], [1, 6]])
    >>> found = scenario({"ill": {"ill": 1}, "well": {"well": 1}}, smokes)
    >>> print(found)
    Probability of guessing the secret: 7/10 without the release and 4/5 with it, a privacy loss of \
8/7 ≈ 1.143.
    Probability of inferring the useful value: 7/10 without the release and 1 with it.
    >>> print(found.privacy_loss, found.utility)
    8/7 1
    """

    secret: Inference
    useful: Inference

    @property
    def privacy_loss(self) -> Any:
        """How much the release multiplies the chance of guessing the secret; 1 is none."""
        return self.secret.multiplicative

    @property
    def utility(self) -> Any:
        """The chance of inferring the useful value from the release."""
        return self.useful.after

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact."""
        return self.secret.strategy.exact and self.useful.strategy.exact

    def explain(self) -> str:
        """The scenario in words."""
        return (
            f"Probability of guessing the secret: {about(self.secret.before)} without the release and "
            f"{about(self.secret.after)} with it, a privacy loss of {about(self.privacy_loss)}.\n"
            f"Probability of inferring the useful value: {about(self.useful.before)} without the "
            f"release and {about(self.utility)} with it."
        )

    def to_dict(self) -> dict[str, Any]:
        """The scenario as plain data."""
        return {
            **self._told("privacy_loss", "utility"),
            "secret_before": plain(self.secret.before),
            "secret_after": plain(self.secret.after),
            "useful_before": plain(self.useful.before),
            "exact": self.exact,
        }


@result("T", "Def 5.4.1", "Def 5.4.2")
def scenario(
    C: ChannelLike,
    correlation: Dist,
    *,
    on: Literal["secret", "useful"] | None = None,
    secret: GainLike = "bayes",
    useful: GainLike = "bayes",
) -> Scenario:
    """Privacy loss V_S[Π ▷ M]/V_S[Π] and accuracy V_U[Π ▷ M] of a release.

    Parameters
    ----------
    C
        The release: a channel on the secrets (secrecy-focussed), on the useful values
        (utility-focussed), or on the pairs.
    correlation
        A joint distribution on pairs (secret, useful value).
    on
        "secret" or "useful": which of the two the channel sees, where its inputs do not tell.
    secret, useful
        What is to be guessed of each; the exact value by default.

    Examples
    --------
    >>> from dprivacy.model import joint
    >>> smokes = joint(["smokes", "does not"], ["ill", "well"], [[2, 1], [1, 6]])
    >>> coin = {"ill": {0: "3/4", 1: "1/4"}, "well": {0: "1/4", 1: "3/4"}}
    >>> found = scenario(coin, smokes)
    >>> print(found.privacy_loss, found.utility)
    1 3/4
    """
    channel = as_channel(C)
    first, second, _ = coordinates_seen(correlation, channel)
    if on not in (None, "secret", "useful"):
        raise UnknownName.among("on", on, ("secret", "useful"))
    if on is None and first and second:
        raise NotApplicable(
            f"secrets and useful values have the same names ({channel.rows[0]!r}, …); say which the "
            'channel sees, on="secret" or on="useful"'
        )
    sees = int(on == "useful") if on else int(second) if first or second else None
    return Scenario(
        inference(channel, correlation, sees=sees, about=0, gain=secret),
        inference(channel, correlation, sees=sees, about=1, gain=useful),
    )


@result("T", "§5.6")
def count_scenario(
    correlation: Dist,
    *,
    counted: Iterable[Label],
    rows: Mapping[Label, int],
    oblivious: LevelLike | None = None,
    local: ChannelLike | None = None,
) -> Scenario:
    """A person joins a data set that is known, and a noisy count is published.

    The adversary wants the new person's secret; the analyst wants the true count.

    Parameters
    ----------
    correlation
        What both believe of the new row: a joint distribution on pairs (secret, useful value).
    counted
        The useful values that the query counts.
    rows
        How many of the known rows have each useful value.
    oblivious
        ε of a truncated geometric mechanism on the true count.
    local
        A channel on the useful values, applied to every row before they are counted. Give one of the
        two.

    Returns
    -------
    Scenario
        Exact for `oblivious` when e^ε is rational. A local count of many rows is computed in doubles,
        by convolution and not by sampling.

    Examples
    --------
    >>> from dprivacy.model import joint
    >>> smokes = joint(["smokes", "does not"], ["ill", "well"], [[2, 1], [1, 6]])
    >>> found = count_scenario(smokes, counted=["ill"], rows={"ill": 3, "well": 7}, oblivious="ln 3")
    >>> print(found.privacy_loss, found.utility)
    1 3/4
    """
    if (oblivious is None) == (local is None):
        raise NotApplicable(
            f"give one of oblivious=ε and local=channel, not {'neither' if local is None else 'both'}"
        )
    chosen = tuple(counted)
    if oblivious is not None:
        channel = oblivious_count(rows, counted=chosen, eps=oblivious)
    else:
        assert local is not None
        channel = local_count(rows, counted=chosen, noise=local)
    belief = correlation
    if belief.exact and not channel.exact:
        belief = Dist(belief.labels, Mat(belief.matrix.floats))
    elif channel.exact and not belief.exact:
        channel = Channel(channel.rows, channel.columns, channel.matrix.floats)
    values = belief.marginal(1).support
    blocks = [[v for v in values if v in chosen], [v for v in values if v not in chosen]]
    question = Gain(*block_table([block for block in blocks if block]))
    return scenario(channel, belief, on="useful", useful=question)
