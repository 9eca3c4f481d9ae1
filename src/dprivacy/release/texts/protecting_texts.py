"""One document protected: the noisy text with its card, and what a ledger is charged for it."""

from collections.abc import Iterable

from dprivacy.release.files.released_data import Released, write_text
from dprivacy.release.ledger.charged_metric import Charge
from dprivacy.release.ledger.charging import charged, per_unit
from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.plans.release_card import Card, StatedGuarantee
from dprivacy.text import (
    Embedding,
    Layout,
    Noise,
    ProtectedText,
    StopWords,
    TextMechanism,
    Unknown,
    require_text,
    text_mechanism,
    without_names,
)
from dprivacy.typing import Label, LedgerLike, LevelLike


def protect_text(
    text: str,
    *,
    eps: LevelLike,
    embedding: Embedding | None = None,
    noise: Noise = "exponential",
    layout: Layout = "bag",
    unknown: Unknown = "replace",
    stop_words: StopWords = "protect",
    length: int | None = None,
    unprotected: Iterable[str] = (),
    person: Label = None,
    ledger: LedgerLike = None,
    again: str | None = None,
    insecure_seed: int | None = None,
) -> Released[str]:
    """A noisy version of one document.

    Parameters
    ----------
    text
        The document.
    eps, embedding, noise, layout, unknown, stop_words, length, unprotected
        As for `text_mechanism`.
    person
        Whose document it is, for an account of persons; what is charged of several documents adds up.
    ledger, again
        As for `sanitise`: what is charged before anything is drawn, and why once more. It is charged
        the level of one word per unit of distance.
    insecure_seed
        For tests only: makes the noise repeatable, and so guessable. It warns.

    Returns
    -------
    Released
        Its `data` is the noisy text; `save` writes it as a text file. For the counts that only the
        owner of the document may see, use `text_mechanism(…).protect(text)`.

    Examples
    --------
    >>> noisy = protect_text("we saw the river and the old bridge", eps=8)
    >>> len(noisy.data.split()), noisy.card.holds
    (8, True)
    """
    mechanism = text_mechanism(
        without_names(embedding),
        eps=eps,
        noise=noise,
        layout=layout,
        unknown=unknown,
        stop_words=stop_words,
        length=length,
        unprotected=unprotected,
    )
    require_text(text)
    secret = text.encode("utf-8", "surrogatepass")
    people = None if person is None else [person]
    with charged(
        ledger,
        charge_of(mechanism),
        secret,
        people=people,
        published=mechanism.policy.published,
        again=again,
        note="text",
    ) as receipt:
        return released_document(mechanism.protect(text, insecure_seed=insecure_seed), receipt)


def charge_of(mechanism: TextMechanism) -> Charge:
    """The level of one word, per unit of distance in its embedding."""
    embedding = mechanism.words.embedding
    return per_unit(
        "document",
        f"words of {embedding.sha256 or embedding.name}",
        "per word and unit of distance",
        mechanism.guarantee.eps,
    )


def released_document(noisy: ProtectedText, receipt: Receipt | None = None) -> Released[str]:
    """A noisy document with its card; the counts for its owner stay behind.

    Parameters
    ----------
    noisy
        The noisy document.
    receipt
        What a ledger gave.
    """
    told = {key: value for key, value in noisy.to_dict().items() if key not in ("text", "secure")}
    card = Card.of(
        "text",
        StatedGuarantee.of(noisy.guarantee, unit="word", sentence=noisy.sentence()),
        count=len(noisy.words),
        secure=noisy.secure,
        mechanisms={"": told},
        receipt=receipt,
    )
    return Released(f"{noisy.text}\n", card, write_text, receipt=receipt)
