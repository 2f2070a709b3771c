"""Packs by tier, as they are specified: a file is whole, its signatures, a pointer, or left out, by its rating."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from paragone.domain.content import ContentTier
from paragone.errors import ParagoneError
from paragone.memory.index import FileEntry, FileReader, Index, SourceText, count_tokens
from paragone.memory.index.symbols import signatures
from paragone.memory.packing.pack import PackFormat, QuotedFile, Rated, Written
from paragone.wire.pack import PackForm

FORM_OF_TIER = {
    ContentTier.HIGH: PackForm.FULL,
    ContentTier.MEDIUM: PackForm.SIGNATURES,
    ContentTier.LOW: PackForm.POINTER,
    ContentTier.VERY_LOW: PackForm.EXCLUDED,
}
"""Source: the memory specification, "ELO Tier Thresholds"."""

_FORMS = (PackForm.FULL, PackForm.SIGNATURES, PackForm.POINTER, PackForm.EXCLUDED)


@dataclass(frozen=True, kw_only=True, slots=True)
class CandidateFile:
    """A file that may be packed.

    Attributes:
        path: Its id, which breaks ties.
        worth: How likely it is needed.
        prices: Tokens of each form that it has.
        tier: By its rating.
        pinned: Always in and first, as much of it as fits.
        is_low: Whether its R is known to be low.
    """

    path: str
    worth: float
    prices: Mapping[PackForm, int]
    tier: ContentTier
    pinned: bool = False
    is_low: bool = False


@dataclass(slots=True)
class Allotment:
    """The forms given out, and the tokens left.

    Attributes:
        remaining: Tokens; infinite without a budget.
        forms: By path.
    """

    remaining: float
    forms: dict[str, PackForm] = field(default_factory=dict)

    def take(self, candidate: CandidateFile, form: PackForm) -> bool:
        """Give a file this form instead of the one it has, if there is room."""
        now = self.forms.get(candidate.path)
        more = candidate.prices[form] - (candidate.prices[now] if now is not None else 0)
        if more > self.remaining:
            return False
        self.forms[candidate.path] = form
        self.remaining -= more
        return True

    def take_most(self, candidate: CandidateFile, forms: Iterable[PackForm]) -> None:
        """Give a file the first of these forms that fits and is more than it has."""
        now = self.forms.get(candidate.path, PackForm.EXCLUDED)
        for form in forms:
            if form in candidate.prices and _FORMS.index(form) < _FORMS.index(now) and self.take(candidate, form):
                return


def minimum_tokens(candidates: Iterable[CandidateFile]) -> int:
    """Tokens that the pinned files take at least."""
    return sum(min(candidate.prices.values()) for candidate in candidates if candidate.pinned)


def by_tiers(candidates: Sequence[CandidateFile], budget: int | None) -> dict[str, PackForm]:
    """Forms by path by the specified thresholds: whole, signatures, pointer, nothing; low R is one form down.

    Args:
        candidates: Files, in any order.
        budget: Tokens for all of them, at least ``minimum_tokens(candidates)``: what does not fit gets a smaller form.
            No limit if None.
    """
    allotment = Allotment(math.inf if budget is None else budget)
    pinned = sorted((candidate for candidate in candidates if candidate.pinned), key=_by_worth)
    for candidate in pinned:
        allotment.take(candidate, min(candidate.prices, key=lambda form: candidate.prices[form]))
    for candidate in pinned:
        allotment.take_most(candidate, _FORMS)
    for candidate in sorted((candidate for candidate in candidates if not candidate.pinned), key=_by_worth):
        allotment.take_most(candidate, _FORMS[_FORMS.index(tier_form(candidate)) : -1])
    return allotment.forms


def tier_form(candidate: CandidateFile) -> PackForm:
    """The form for the tier of a file, given its R."""
    if candidate.pinned:
        return PackForm.FULL
    form = FORM_OF_TIER[candidate.tier]
    return _FORMS[min(_FORMS.index(form) + candidate.is_low, len(_FORMS) - 1)]


def _by_worth(candidate: CandidateFile) -> tuple[float, str]:
    return -candidate.worth, candidate.path


_DECORATOR = re.compile(r"(?P<kept>\s*@[\w.]+\()")
_CONSTANT = re.compile(r"(?P<kept>\s*[A-Za-z_][\w.]*(?:: [^=]+)? = )")
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


def condensed(outline: str) -> str:
    """An outline with ``...`` for the value of each decorator or constant that takes several lines.

    Definitions stay whole. A value ends at the next line with the indentation of its first line that begins with the
    closing bracket; without such a line it stays too.
    """
    return "".join(_condensed(outline.splitlines(keepends=True)))


def _condensed(lines: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        end = _end(lines, at) if lines[at].rstrip().endswith(_OPENING) or _DECORATOR.match(lines[at]) else None
        if end is None:
            yield lines[at]
            at += 1
        else:
            yield _head(lines[at]) or "".join(lines[at : end + 1])
            at = end + 1


def _head(line: str) -> str | None:
    """The shortened first line of a value on several lines."""
    opened = line.rstrip()
    if match := _DECORATOR.match(line):
        return f"{match['kept']}...)\n" if opened.count("(") > opened.count(")") else None
    match = _CONSTANT.match(line)
    return f"{match['kept']}...\n" if match and opened.endswith(_OPENING) else None


def _end(lines: Sequence[str], at: int) -> int | None:
    """The line on which the value ends that begins on a line."""
    indent = _indent(lines[at])
    for number in range(at + 1, len(lines)):
        line = lines[number].strip()
        if line and _indent(lines[number]) <= indent:
            return number if _indent(lines[number]) == indent and line[0] in _CLOSING else None
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A file that may be packed.

    Attributes:
        rated: The file and its rating.
        candidate: The price of each form.
        sha256: Of the bytes that were read.
        quotes: The quotation in each form.
        changed: Whether the file has changed since it was indexed.
    """

    rated: Rated
    candidate: CandidateFile
    sha256: str
    quotes: Mapping[PackForm, QuotedFile]
    changed: bool


class Sources:
    """Reads files for a pack by tier."""

    def __init__(self, index: Index, reader: FileReader, layout: PackFormat) -> None:
        self._index, self._reader, self._layout = index, reader, layout

    def of(self, rated: Rated) -> Source | str:
        """A file as it is now, or why it cannot be packed."""
        try:
            read = self._reader.read(rated.entry.path)
        except ParagoneError as error:
            return str(error)
        changed = read.sha256 != rated.entry.sha256
        quotes = self._quotes(rated.entry, read, changed=changed)
        prices = {form: self._price(form, quote) for form, quote in quotes.items()}
        candidate = CandidateFile(
            path=rated.entry.path,
            worth=rated.chance,
            prices=prices,
            tier=rated.rating.elo_tier,
            pinned=rated.rating.pinned,
            is_low=rated.rating.is_high is False,
        )
        return Source(rated=rated, candidate=candidate, sha256=read.sha256, quotes=quotes, changed=changed)

    def _quotes(self, entry: FileEntry, read: SourceText, *, changed: bool) -> dict[PackForm, QuotedFile]:
        tokens = count_tokens(read.text) if changed else entry.tokens
        outline = condensed(signatures(entry.path, read.text) if changed else self._index.signatures(entry))
        texts = {PackForm.FULL: read.text, PackForm.SIGNATURES: outline, PackForm.POINTER: ""}
        return {
            form: QuotedFile(path=entry.path, language=entry.language, lines=read.lines, tokens=tokens, text=text)
            for form, text in texts.items()
            if text or form is not PackForm.SIGNATURES
        }

    def _price(self, form: PackForm, quote: QuotedFile) -> int:
        """Tokens of a form. Those of the heading and the text of a whole file add up, except for its fences."""
        if form is PackForm.FULL:
            bare = QuotedFile(path=quote.path, language=quote.language, lines=quote.lines, tokens=quote.tokens)
            return quote.tokens + count_tokens(self._layout.section(PackForm.FULL, bare))
        return count_tokens(_quoted(self._layout, form, quote))


def _quoted(layout: PackFormat, form: PackForm, quote: QuotedFile) -> str:
    return layout.pointer(quote) if form is PackForm.POINTER else layout.section(form, quote)


def write(forms: Mapping[str, PackForm], sources: Mapping[str, Source], layout: PackFormat) -> Written:
    """The text: whole files, signatures, pointers; in each part pinned files first, then by worth."""
    counts = {form: sum(file_form is form for file_form in forms.values()) for form in PackForm}
    parts, pieces = [layout.opening(counts)], dict[str, int]()
    for form in _FORMS[:-1]:
        if form is PackForm.POINTER and counts[form]:
            parts.append(layout.before_pointers())
        for source in sorted((sources[path] for path, file_form in forms.items() if file_form is form), key=_place):
            parts.append(_quoted(layout, form, source.quotes[form]))
            pieces[source.candidate.path] = count_tokens(parts[-1])
    text = "".join([*parts, layout.closing()])
    return Written(text=text, tokens=count_tokens(text), pieces=pieces)


def _place(source: Source) -> tuple[bool, float, str]:
    return not source.candidate.pinned, -source.candidate.worth, source.candidate.path


def reason(source: Source | None, file: Rated, form: PackForm) -> Iterator[str]:
    """The parts of the reason for the form of a file. One without a source was not read."""
    state = f"{file.rating.elo_tier} tier at {file.rating.elo:.0f}"
    yield "pinned by tiers.high" if file.rating.pinned else state
    if file.rating.is_high is False and not file.rating.pinned:
        yield "R is low: one form down"
    if source is None:
        yield "no room"
        return
    if source.changed:
        yield "changed since it was indexed"
    missed = _FORMS[_FORMS.index(tier_form(source.candidate)) : _FORMS.index(form)]
    if PackForm.SIGNATURES in missed and PackForm.SIGNATURES not in source.candidate.prices:
        yield "no signatures"
    if any(lost_form in source.candidate.prices for lost_form in missed):
        yield "no room for more"
