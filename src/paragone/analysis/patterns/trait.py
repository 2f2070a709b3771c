"""Traits of a text that anybody can check by reading it: its length, its numbers, its hedges."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log, log1p


@dataclass(frozen=True, kw_only=True, slots=True)
class Trait:
    """One readable trait.

    Attributes:
        name: What there is more of, such as ``numbers with units``.
        advice: How to have more of it.
        restraint: How to have less of it.
        measure: How much of it a text has, given the text and the number of its words.
    """

    name: str
    advice: str
    restraint: str
    measure: Callable[[str, int], float]


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE = re.compile(r"[.!?]+(?:\s|$)")
_PER = 100.0


def words(text: str) -> int:
    """Words in a text, numbers left out."""
    return sum(1 for _ in _WORD.finditer(text))


def _rate(pattern: str) -> Callable[[str, int], float]:
    """Occurrences a hundred words, on a logarithmic scale: the second one counts less than the first."""
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda text, count: log1p(_PER * sum(1 for _ in compiled.finditer(text)) / max(count, 1))


def _any_of(*terms: str) -> str:
    return rf"\b(?:{'|'.join(terms)})\b"


_NUMBER = r"(?<![\w.])\d+(?:[.,]\d+)*"
_UNIT = (
    r"\s?(?:%|percent|fold|[munpµ]?[gmlMs]\b|k[gm]\b|mg/\w+|[mµn]M\b|°C|Hz\b|kDa\b|days?\b|weeks?\b|months?\b|years?\b"
    r"|hours?\b|minutes?\b|seconds?\b|patients?\b|samples?\b|mice\b)"
)
_CITATION = r"\[\d+(?:\s?[,;–-]\s?\d+)*\]|\bet al\b|\(\w[^()]{0,60}\b(?:19|20)\d\d[a-z]?\)|\bdoi\b|https?://"
_HEDGE = _any_of(
    "may", "might", "could", "possibly", "perhaps", "potentially", "presumably", "seems?", "appears?", "suggests?",
    "likely", "somewhat", "arguably", "conceivably", "speculate[ds]?",
)  # fmt: skip
_BOAST = _any_of(
    "groundbreaking", "revolutionary", "revolutioni[sz]e", "unprecedented", "transformative", "paradigm",
    "cutting-edge", "state-of-the-art", "clearly", "obviously", "undoubtedly", "dramatically",
)  # fmt: skip
_METHOD = _any_of(
    "protocols?", "experiments?", "assays?", "trials?", "controls?", "randomi[sz]ed", "blinded", "cohorts?",
    "baselines?", "benchmarks?", "measure[ds]?", "measurements?", "quantif(?:y|ied|ies)", "samples?", "datasets?",
    "replicat(?:e|es|ed|ion)", "in vitro", "in vivo", "procedure", "metrics?",
)  # fmt: skip
_CAUSE = _any_of(
    "because", "therefore", "thus", "hence", "leads? to", "causes?", "due to", "mechanisms?", "mediate[ds]?",
    "inhibit(?:s|ed|ion)?", "activat(?:e|es|ed|ion)", "consequently",
)  # fmt: skip
_COMPARISON = _any_of("than", "compared", "versus", "vs", "relative to", "outperforms?", "unlike", "whereas")
_FAILURE = _any_of(
    "falsif(?:y|ied|iable)", "refute[ds]?", "disprove[ds]?", "rule[ds]? out", "limitations?", "risks?", "caveats?",
    "confound(?:s|ed|er|ers|ing)?", "alternative explanations?", "null hypothesis",
)  # fmt: skip
_LIST = r"(?m)^\s*(?:[-*•]|\d+[.)])\s+|^\s*#+\s"

TRAITS: tuple[Trait, ...] = (
    Trait(
        name="long texts",
        advice="write longer texts",
        restraint="write shorter texts",
        measure=lambda _, count: log(max(count, 1)),
    ),
    Trait(
        name="long sentences",
        advice="let sentences run longer",
        restraint="write shorter sentences",
        measure=lambda text, count: count / max(sum(1 for _ in _SENTENCE.finditer(text)), 1),
    ),
    Trait(name="numbers", advice="give numbers", restraint="use fewer numbers", measure=_rate(_NUMBER)),
    Trait(
        name="numbers with units",
        advice="give quantities with their units",
        restraint="use fewer quantities with units",
        measure=_rate(_NUMBER + _UNIT),
    ),
    Trait(name="citations", advice="cite evidence", restraint="lean less on citations", measure=_rate(_CITATION)),
    Trait(
        name="hedging words",
        advice="say where things are uncertain",
        restraint="hedge less (may, might, could)",
        measure=_rate(_HEDGE),
    ),
    Trait(
        name="boasting words",
        advice="say plainly what is new",
        restraint="avoid boasts (groundbreaking, unprecedented)",
        measure=_rate(_BOAST),
    ),
    Trait(
        name="words about methods and protocols",
        advice="spell out methods, controls and measurements",
        restraint="spend fewer words on methods",
        measure=_rate(_METHOD),
    ),
    Trait(
        name="words about causes and mechanisms",
        advice="name causes and mechanisms",
        restraint="spend fewer words on mechanisms",
        measure=_rate(_CAUSE),
    ),
    Trait(
        name="comparisons",
        advice="compare with alternatives",
        restraint="compare less with alternatives",
        measure=_rate(_COMPARISON),
    ),
    Trait(
        name="limits and ways to be refuted",
        advice="say what would refute it and where its limits are",
        restraint="spend fewer words on limits",
        measure=_rate(_FAILURE),
    ),
    Trait(name="question marks", advice="ask questions", restraint="ask fewer questions", measure=_rate(r"\?")),
    Trait(
        name="lists and headings", advice="use lists and headings", restraint="use fewer lists", measure=_rate(_LIST)
    ),
)
"""All traits, in the order in which they are looked at."""


def traits_of(text: str) -> list[float]:
    """How much a text has of each trait."""
    count = words(text)
    return [trait.measure(text, count) for trait in TRAITS]


BY_NAME: Mapping[str, Trait] = {trait.name: trait for trait in TRAITS}
