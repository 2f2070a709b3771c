"""What models cost."""

import math
from dataclasses import dataclass

from paragone.errors import InvalidConfig

_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """What a model costs, in US dollars a million tokens."""

    input_per_million: float
    output_per_million: float

    def __post_init__(self) -> None:
        for name in ("input_per_million", "output_per_million"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise InvalidConfig(f"{name} must be a number of dollars, zero or more, not {value}")

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Cost of a call in US dollars. Tokens that the provider had cached cost as much as any other."""
        return (input_tokens * self.input_per_million + output_tokens * self.output_per_million) / _MILLION


def known_price(model: str, *, provider: str | None = None, url: str | None = None) -> Price | None:
    """The list price of a model; None where it is not known.

    The prices are those that the installed ``genai-prices`` carries; nothing is looked up over a network. Discounts
    for cached input, and prices that rise with the length of the prompt, are left out.

    Args:
        model: The model's name.
        provider: Whose model it is, such as ``anthropic``; or
        url: where calls go. The same model may cost something else elsewhere, so one of the two is needed.
    """
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None

    def of(usage: Usage) -> float:
        if provider is not None:
            return float(calc_price(usage, model, provider_id=provider).total_price)
        return float(calc_price(usage, model, provider_api_url=url or "").total_price)

    try:
        inward, outward = of(Usage(input_tokens=_SAMPLE)), of(Usage(output_tokens=_SAMPLE))
    except LookupError:
        return None
    return Price(input_per_million=inward * _MILLION / _SAMPLE, output_per_million=outward * _MILLION / _SAMPLE)


_SAMPLE = 1000
"""Tokens in the call whose price is asked: few, since some models cost more beyond a length."""
