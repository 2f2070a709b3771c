"""Sentences that may contradict each other: alike but for a number or a negation.

The rule is cheap and finds most contradictions that were made on purpose, but among sentences of real documents its
alarms are mostly wrong: two options with different defaults, two examples. So an alarm is a question for a judge, and
never a verdict.

Source: M.-C. de Marneffe, A. N. Rafferty and C. D. Manning, "Finding Contradictions in Text", 2008, for the features.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

LEAST_ALIKE = {"number": 0.6, "negation": 0.7}
"""Likeness of the other words from which on a differing number or negation is an alarm."""
_NEGATIONS = frozenset({"not", "no", "never", "without", "cannot", "none", "neither", "nor"})
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:n't|n’t)?|_")
_END = re.compile(r"(?<=[.!?;])\s+(?=[A-Z0-9`\"'(*])|\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
_MARKUP = re.compile(r"^\s*(?:[#>*+-]+|\d+[.)])\s*|[`*_|]+")
_FENCES = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"^(?: {4}|\t).*$", re.MULTILINE)
_MIN_WORDS, _MAX_WORDS = 4, 60
_KEYS = 4
"""Rarest words by which a sentence is looked up: sentences that are much alike share one."""
_MAX_SAME = 60
"""Sentences with the same rare word; with more, it is not rare."""

AlarmKind = Literal["number", "negation"]


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence of a document.

    Attributes:
        path: The file, or a note's.
        line: Its first line, from 1.
        text: On one line.
    """

    path: str
    line: int
    text: str

    @cached_property
    def tokens(self) -> list[str]:
        """Its words and numbers, in order, in lower case."""
        return [token.replace("’", "'").casefold() for token in _TOKEN.findall(self.text)]

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words without numbers and negations."""
        return frozenset(token for token in self.tokens if not token[0].isdigit() and not _negates(token))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Its numbers."""
        return frozenset(token for token in self.tokens if token[0].isdigit())

    @cached_property
    def is_negative(self) -> bool:
        """Whether it holds an odd number of negations."""
        return sum(_negates(token) for token in self.tokens) % 2 == 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Alarm:
    """Two sentences that may contradict each other.

    Attributes:
        first: One of them.
        second: The other.
        kind: Whether a number or a negation differs.
        alike: How alike their other words are, in [0, 1].
    """

    first: Sentence
    second: Sentence
    kind: AlarmKind
    alike: float


def _negates(token: str) -> bool:
    return token in _NEGATIONS or token.endswith("n't")


def statements(path: str, text: str) -> list[Sentence]:
    """The sentences of a text that are long enough to say something; none of fenced or indented code."""
    blank = _INDENTED.sub("", _FENCES.sub(lambda match: "\n" * match.group().count("\n"), text))
    sentences, at = [], 0
    for piece in _split(blank):
        line = blank.count("\n", 0, at + len(piece) - len(piece.lstrip())) + 1
        at += len(piece)
        sentence = " ".join(_MARKUP.sub(" ", row) for row in piece.split("\n"))
        statement = Sentence(path=path, line=line, text=" ".join(sentence.split()))
        if _MIN_WORDS <= len(statement.words) <= _MAX_WORDS:
            sentences.append(statement)
    return sentences


def _split(text: str) -> Iterator[str]:
    """Pieces of a text that add up to it."""
    at = 0
    for match in _END.finditer(text):
        yield text[at : match.end()]
        at = match.end()
    yield text[at:]


def rarity(all_statements: Sequence[Sentence]) -> Mapping[str, float]:
    """The weight of each word, from the share of sentences that contain it."""
    counts = Counter(word for statement in all_statements for word in statement.words)
    return {word: math.log(1.0 + len(all_statements) / number) for word, number in counts.items()}


def likeness(first: Sentence, second: Sentence, weights: Mapping[str, float]) -> float:
    """The weighted share of words that two sentences have in common, in [0, 1]; unknown words weigh 1."""

    def total(words: Iterable[str]) -> float:
        return math.fsum(weights.get(word, 1.0) for word in words)

    either = total(first.words | second.words)
    return total(first.words & second.words) / either if either else 0.0


def alarm(first: Sentence, second: Sentence, weights: Mapping[str, float]) -> Alarm | None:
    """Whether two sentences may contradict each other by the rule.

    A number alarms if one beside the same word differs and neither occurs in the other sentence; a negation, if one
    sentence is negative and the other is not.
    """
    alike = likeness(first, second, weights)
    if alike >= LEAST_ALIKE["number"] and _numbers_differ(first, second):
        return Alarm(first=first, second=second, kind="number", alike=alike)
    if alike >= LEAST_ALIKE["negation"] and first.is_negative is not second.is_negative:
        return Alarm(first=first, second=second, kind="negation", alike=alike)
    return None


def _numbers_differ(first: Sentence, second: Sentence) -> bool:
    other = _beside(second)
    return any(
        (side, word) in other and number not in second.numbers and not other[side, word] & first.numbers
        for (side, word), numbers in _beside(first).items()
        for number in numbers
    )


def _beside(statement: Sentence) -> dict[tuple[str, str], set[str]]:
    """The numbers beside each word, by the side on which the word stands."""
    beside: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for at, token in enumerate(statement.tokens):
        if token[0].isdigit():
            if at > 0:
                beside["left", statement.tokens[at - 1]].add(token)
            if at + 1 < len(statement.tokens):
                beside["right", statement.tokens[at + 1]].add(token)
    return beside


def alarms(all_statements: Sequence[Sentence]) -> list[Alarm]:
    """The alarms among some sentences of different files, most alike first; each pair of files and texts once."""
    weights = rarity(all_statements)
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for number, statement in enumerate(all_statements):
        for word in sorted(statement.words, key=lambda word: (-weights[word], word))[:_KEYS]:
            by_word[word].append(number)
    pairs = {
        (first, second)
        for numbers in by_word.values()
        if len(numbers) <= _MAX_SAME
        for at, first in enumerate(numbers)
        for second in numbers[at + 1 :]
        if all_statements[first].path != all_statements[second].path
    }
    rung = {
        (raised.first.path, raised.first.text, raised.second.path, raised.second.text): raised
        for first, second in sorted(pairs)
        if (raised := alarm(all_statements[first], all_statements[second], weights)) is not None
    }
    return sorted(rung.values(), key=lambda raised: (-round(raised.alike, 9), raised.first.path, raised.first.line))
