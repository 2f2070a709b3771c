"""Read a model's probabilities off the token where it names its answer."""

import math
import re
from collections.abc import Sequence

from paragone.llm.client import Token


def probability_between(tokens: Sequence[Token], key: str, yes: str, no: str) -> float | None:
    """Probability of one label against another at the place where a JSON answer names one.

    Everything else that might have stood there, other labels included, is left out of the count. A label that is not
    among the alternatives listed is given the least probability listed: it has no more, so the result errs towards a
    half.

    Args:
        tokens: The answer's tokens, with their alternatives.
        key: The answer's key whose value is the label, such as ``verdict``.
        yes: The label whose probability is wanted.
        no: The label against it; begins with another letter.

    Returns:
        The probability in [0, 1]; None where the tokens do not tell.
    """
    found = _alternatives(tokens, key)
    masses = {label: _mass(found, label) for label in (yes, no)}
    if not any(masses.values()):
        return None
    least = min(math.exp(logprob) for _, logprob in found)
    first, second = (masses[label] or least for label in (yes, no))
    return first / (first + second)


def _alternatives(tokens: Sequence[Token], key: str) -> list[tuple[str, float]]:
    """What might have stood as the key's value: beginnings of values, with log-probabilities."""
    text = b"".join(token.text for token in tokens)
    opening = re.search(rb'"%s"\s*:\s*"' % re.escape(key.encode()), text)
    if opening is None:
        return []
    begin = 0
    for token in tokens:
        if begin + len(token.text) > opening.end():
            lead = token.text[: opening.end() - begin]
            return [
                (other[len(lead) :].decode("utf-8", "replace"), logprob)
                for other, logprob in token.alternatives
                if other.startswith(lead) and not math.isnan(logprob)
            ]
        begin += len(token.text)
    return []


def _mass(alternatives: Sequence[tuple[str, float]], label: str) -> float:
    """Probability of the tokens that begin a label, or hold it whole."""
    return sum(
        math.exp(logprob)
        for text, logprob in alternatives
        if text.strip() and (label.startswith(text.lower()) or text.lower().startswith(label))
    )
