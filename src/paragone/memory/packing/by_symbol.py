"""Packs by symbol: signatures of all files, and the bodies of the definitions most likely to be needed."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paragone.domain.text import factor
from paragone.errors import InvalidConfig, ParagoneError
from paragone.memory.index import FileReader, Index, SourceText, count_tokens
from paragone.memory.index.symbols import symbols_of
from paragone.memory.index.units import REST, Unit, outline_line, owner_of, units_of
from paragone.memory.packing.need import leaf
from paragone.memory.packing.pack import ELLIPSIS, PackedUnit, PackFormat, QuotedFile, Rated, Written, too_small
from paragone.memory.packing.selection import BODY, NOTHING, SIGNATURE, Choices, Floats, PackSelection, minimum, select
from paragone.wire.pack import PackForm

if TYPE_CHECKING:
    from paragone.memory.packing.query_match import QueryMatch

_UNHIT, _REST_HITS = 0.3, 0.1
"""Hits of a unit that was never changed; and the share of a file's uses that change the lines outside definitions."""
_SIZE = 0.7
"""Power of its tokens by which a unit is likelier to be needed. Measured: ``benchmarks/memory_pack.py``."""
_MAX_ROUNDS = 50
"""Rounds of reading and planning: each fits the text better into the budget."""

UnitHits = Mapping[str, Mapping[str, float]]
UnitRow = tuple[int, str, int, int]
"""Number of the file, name, tokens, and tokens of the signature of a unit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """A file that was read for a pack.

    Attributes:
        source: Its text as it is now.
        units: Its units as they are now.
        changed: Whether it has changed since it was indexed.
    """

    source: SourceText
    units: Sequence[Unit]
    changed: bool


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class PackPlan:
    """What goes into a pack by symbol.

    Attributes:
        selection: What was chosen.
        first: The first unit of each file in the selection, and the number of all, shape (files + 1).
        match: How well each unit answers the query, in [0, 1], shape (units).
        share: Its share of its file's chance, shape (units).
        written: The text.
    """

    selection: PackSelection
    first: Sequence[int]
    match: Floats
    share: Floats
    written: Written

    def answer(self, file: int) -> float:
        """How well the best unit of a file answers the query, in [0, 1]."""
        return float(self.match[self.first[file] : self.first[file + 1]].max(initial=0.0))

    def forms(self, file: int) -> list[int]:
        """The forms of a file's units."""
        return [int(form) for form in self.selection.forms[self.first[file] : self.first[file + 1]]]


def choices_of(costs: Sequence[tuple[int, int]], rows: Sequence[UnitRow], hits: Floats) -> Choices:
    """What may be chosen of some files, none of which is likelier than another.

    Args:
        costs: Tokens of the path and of the frame around bodies, of each file.
        rows: Their units, by file.
        hits: How often each unit was changed, shape (rows).
    """
    file = np.array([row[0] for row in rows], np.int64)
    body = np.array([row[2] for row in rows], np.int64)
    weight = (_UNHIT + hits) * body.astype(np.float64) ** _SIZE
    total = np.bincount(file, weights=weight, minlength=len(costs))
    no = np.zeros(len(costs), np.bool_)
    return Choices(
        chance=np.ones(len(costs)),
        path=np.array([path for path, _ in costs], np.int64),
        section=np.array([section for _, section in costs], np.int64),
        pinned=no,
        closed=no,
        absent=no,
        file=file,
        signature=np.array([row[3] for row in rows], np.int64),
        body=body,
        share=weight / np.maximum(total[file], 1e-12) if rows else weight,
        match=np.zeros(len(rows)),
    )


def rows_of(paths: Sequence[str], sizes: Iterable[tuple[str, str, int, int]]) -> list[UnitRow]:
    """The units of some files, by file."""
    numbers = {path: number for number, path in enumerate(paths)}
    rows = [(numbers[path], name, tokens, cost) for path, name, tokens, cost in sizes if path in numbers]
    return sorted(rows, key=lambda row: row[0])  # stable: within a file they stay in order


def file_forms(choices: Choices, selection: PackSelection) -> list[PackForm]:
    """The form of each file."""
    counts = np.bincount(choices.file, weights=choices.body > 0, minlength=len(choices.chance))
    bodies = np.bincount(choices.file, weights=selection.forms == BODY, minlength=len(choices.chance))
    signed = np.bincount(choices.file, weights=selection.forms == SIGNATURE, minlength=len(choices.chance))
    return [
        _form(listed, number, own, signatures)
        for listed, number, own, signatures in zip(selection.listed, counts, bodies, signed, strict=True)
    ]


def _form(listed: bool, units: float, bodies: float, signatures: float) -> PackForm:
    if not listed:
        return PackForm.EXCLUDED
    if bodies:
        return PackForm.FULL if bodies == units else PackForm.PARTIAL
    return PackForm.SIGNATURES if signatures else PackForm.POINTER


class BySymbol:
    """Plans and writes one pack.

    Attributes:
        opened: Files that were read, by path.
        refused: Why files that were to be read cannot be packed, by path.

    Args:
        index: Units of the files.
        reader: Reads them.
        layout: Of the text.
        files: Those that may be packed, the most needed first.
        hits: How often their definitions were changed.
        query: What the query finds, if there is one.
    """

    def __init__(
        self,
        index: Index,
        reader: FileReader,
        layout: PackFormat,
        files: Sequence[Rated],
        hits: UnitHits,
        query: "QueryMatch | None",
    ) -> None:
        self._index, self._reader, self._layout = index, reader, layout
        self.files, self.hits, self._query = files, hits, query
        self.opened: dict[str, Opened] = {}
        self.refused: dict[str, str] = {}
        self._rows = rows_of([file.entry.path for file in files], index.unit_sizes())
        self._frames: dict[str, int] = {}
        self._costs = [self._cost(file) for file in files]

    def plan(self, budget: int | None) -> PackPlan:
        """What fits a budget; all of it without one.

        Raises:
            InvalidConfig: If it cannot hold the pinned files.
        """
        tokens_left = math.inf if budget is None else float(budget - count_tokens(self._frame()))
        for _ in range(_MAX_ROUNDS):
            choices = self._choices()
            if tokens_left < max(minimum(choices), 0):
                pinned = [file for file in self.files if file.rating.pinned]
                needed = count_tokens(self._frame()) + minimum(choices)
                raise InvalidConfig(too_small(budget, len(pinned), needed), key="pack.tokens")
            selection = select(choices, tokens_left)
            if self._read(selection):
                continue
            plan = self._written(choices, selection)
            if budget is None or plan.written.tokens <= budget:
                return plan
            tokens_left -= plan.written.tokens - budget
        raise InvalidConfig(f"no pack fits {budget} tokens: give it more (--tokens, pack.tokens)", key="pack.tokens")

    def _frame(self) -> str:
        counts = dict.fromkeys(PackForm, len(self.files))
        return self._layout.opening(counts) + self._layout.outlines("") + self._layout.closing()

    def _choices(self) -> Choices:
        is_gone = np.array([file.entry.path in self.refused for file in self.files], np.bool_)
        return replace(
            choices_of(self._costs, self._rows, self._unit_hits()),
            chance=np.array([file.chance for file in self.files]),
            pinned=np.array([file.rating.pinned for file in self.files], np.bool_) & ~is_gone,
            closed=np.array([file.is_closed for file in self.files], np.bool_),
            absent=is_gone,
            match=self._matches(),
        )

    def _cost(self, file: Rated) -> tuple[int, int]:
        """Tokens of a path, and about those of the frame around its bodies."""
        language, path = file.entry.language, count_tokens(f"{file.entry.path}\n")
        if language not in self._frames:
            bare = QuotedFile(path="a", language=language, lines=0, tokens=0)
            # Neither the path there nor the line end of the path counts twice.
            self._frames[language] = count_tokens(self._layout.section(PackForm.PARTIAL, bare)) - 2
        return path, path + self._frames[language]

    def _unit_hits(self) -> Floats:
        hits = np.zeros(len(self._rows))
        own = [self.hits.get(file.entry.path) for file in self.files]
        for at, (number, name, _, _) in enumerate(self._rows):
            if (of_file := own[number]) is not None:
                hits[at] = _REST_HITS * of_file.get("", 0.0) if name == REST else _hits_of(name, of_file)
        return hits

    def _matches(self) -> Floats:
        match = np.zeros(len(self._rows))
        if self._query is None or not (highest := self._query.highest()):
            return match
        starts = self._firsts()
        for at, (number, *_) in enumerate(self._rows):
            path = self.files[number].entry.path
            own = self._query.units.get((path, at - starts[number]), 0.0)
            match[at] = (own + self._query.paths.get(path, 0.0)) / highest
        return match

    def _firsts(self) -> list[int]:
        counts = np.bincount([row[0] for row in self._rows], minlength=len(self.files))
        return [0, *np.cumsum(counts).tolist()]

    def _read(self, selection: PackSelection) -> bool:
        """Read the files of a selection; whether any is not as the index has it, so that another must be made."""
        is_other = False
        unread = [
            number for number in np.flatnonzero(selection.listed).tolist() if self._path(number) not in self.opened
        ]
        indexed = self._index.units([self._path(number) for number in unread])
        for number in unread:
            file = self.files[number]
            path = file.entry.path
            try:
                source = self._reader.read(path)
            except ParagoneError as error:
                self.refused[path] = str(error)
                is_other = True
                continue
            changed = source.sha256 != file.entry.sha256
            units = units_of(path, source.text, symbols_of(path, source.text)) if changed else indexed[path]
            self.opened[path] = Opened(source=source, units=units, changed=changed)
            if changed:
                fresh: list[UnitRow] = [(number, unit.name, unit.tokens, unit.cost) for unit in units]
                self._rows = sorted([row for row in self._rows if row[0] != number] + fresh, key=lambda row: row[0])
                is_other = True
        return is_other

    def _written(self, choices: Choices, selection: PackSelection) -> PackPlan:
        first = self._firsts()
        forms = {
            number: [int(form) for form in selection.forms[first[number] : first[number + 1]]]
            for number in np.flatnonzero(selection.listed).tolist()
        }
        return PackPlan(
            selection=selection, first=first, match=choices.match, share=choices.share, written=self._text(forms)
        )

    def _text(self, forms: Mapping[int, list[int]]) -> Written:
        """The pinned files, then the outlines by path, then the other files with bodies, the most needed first."""
        form_of = {number: file_form(self.opened[self._path(number)].units, some) for number, some in forms.items()}
        counts = {form: sum(own is form for own in form_of.values()) for form in PackForm}
        counts[PackForm.EXCLUDED] = len(self.files) - len(forms)
        sections = [number for number in sorted(forms) if form_of[number] in {PackForm.FULL, PackForm.PARTIAL}]
        pinned = [number for number in sections if self.files[number].rating.pinned]
        outlined = sorted(set(forms) - set(sections), key=self._path)
        outlines = {self._path(number): self._outline(number, forms[number]) for number in outlined}
        parts, pieces = [self._layout.opening(counts)], dict[str, int]()
        self._add(pinned, forms, form_of, parts, pieces)
        if outlines:
            parts.append(self._layout.outlines("".join(outlines.values())))
            pieces.update({path: count_tokens(text) for path, text in outlines.items()})
        self._add([number for number in sections if number not in set(pinned)], forms, form_of, parts, pieces)
        text = "".join([*parts, self._layout.closing()])
        return Written(text=text, tokens=count_tokens(text), pieces=pieces)

    def _add(
        self,
        numbers: Sequence[int],
        forms: Mapping[int, list[int]],
        form_of: Mapping[int, PackForm],
        parts: list[str],
        pieces: dict[str, int],
    ) -> None:
        for number in numbers:
            entry, opened = self.files[number].entry, self.opened[self._path(number)]
            is_full = form_of[number] is PackForm.FULL
            text = opened.source.text if is_full else folded(opened.source.text, opened.units, forms[number])
            quote = QuotedFile(path=entry.path, language=entry.language, lines=opened.source.lines, tokens=0, text=text)
            parts.append(self._layout.section(form_of[number], quote))
            pieces[entry.path] = count_tokens(parts[-1])

    def _outline(self, number: int, forms: Sequence[int]) -> str:
        path = self._path(number)
        lines = [
            outline_line(unit.signature, unit.depth)
            for unit, form in zip(self.opened[path].units, forms, strict=True)
            if form == SIGNATURE
        ]
        return "".join([f"{path}\n", *lines])

    def _path(self, number: int) -> str:
        return self.files[number].entry.path


def _hits_of(name: str, hits: Mapping[str, float]) -> float:
    """Hits of a unit by the last part of its name; a heading may have dots of its own."""
    own = hits.get(leaf(name))
    if own is not None:
        return own
    return next((times for changed, times in hits.items() if "." in changed and name.endswith(changed)), 0.0)


def file_form(units: Sequence[Unit], forms: list[int]) -> PackForm:
    """The form of a file in the pack whose units have some forms."""
    filled = sum(unit.tokens > 0 for unit in units)
    return _form(True, filled, forms.count(BODY), forms.count(SIGNATURE))


def folded(text: str, units: Sequence[Unit], forms: Sequence[int]) -> str:
    """The lines of the bodies as they are, and signatures in their places; the definitions around a body are signed."""
    lines = text.split("\n")
    owners = owner_of(len(lines), [(unit.start, unit.end) for unit in units[1:]])
    signed = {units[number].start - 1: units[number] for number in _signed(units, forms)}
    return "".join(_folded(lines, owners, forms, signed)).strip("\n") + "\n"


def _folded(
    lines: Sequence[str], owners: Sequence[int], forms: Sequence[int], signed: Mapping[int, Unit]
) -> Iterator[str]:
    for row, line in enumerate(lines):
        if row in signed:
            yield f"{line[: len(line) - len(line.lstrip())]}{signed[row].signature}{ELLIPSIS}\n"
        elif forms[owners[row]] == BODY:
            yield f"{line}\n"


def _signed(units: Sequence[Unit], forms: Sequence[int]) -> list[int]:
    """The units whose signature is shown: as chosen, and where a unit inside has its body."""
    around: list[int] = []
    signed: set[int] = set()
    for number, unit in enumerate(units[1:], 1):
        while around and not (units[around[-1]].start <= unit.start and unit.end <= units[around[-1]].end):
            around.pop()
        if forms[number] == BODY:
            signed.update(outer for outer in around if forms[outer] == NOTHING)
        elif forms[number] == SIGNATURE:
            signed.add(number)
        around.append(number)
    return sorted(signed)


_UNIT_FORMS = {NOTHING: PackForm.EXCLUDED, SIGNATURE: PackForm.SIGNATURES, BODY: PackForm.FULL}


def packed_units(job: BySymbol, plan: PackPlan, number: int) -> tuple[PackedUnit, ...]:
    """The units of a file in a pack, each with its reason."""
    opened = job.opened[job.files[number].entry.path]
    forms = plan.forms(number)
    return tuple(
        PackedUnit(
            name=unit.name,
            kind=unit.kind,
            start=unit.start,
            end=unit.end,
            form=_UNIT_FORMS[form],
            tokens={NOTHING: 0, SIGNATURE: unit.cost, BODY: unit.tokens}[form],
            reason="; ".join(_unit_reason(job, plan, number, plan.first[number] + at)),
        )
        for at, (unit, form) in enumerate(zip(opened.units, forms, strict=True))
        if unit.tokens
    )


def _unit_reason(job: BySymbol, plan: PackPlan, number: int, at: int) -> Iterator[str]:
    file = job.files[number]
    unit = job.opened[file.entry.path].units[at - plan.first[number]]
    yield f"chance {factor(100.0 * file.chance * plan.share[at])}%"
    if unit.name != REST and _hits_of(unit.name, job.hits.get(file.entry.path, {})):
        yield "changed lately"
    if plan.match[at] > 0.0:
        yield f"answers the query at {plan.match[at]:.2f}"
    if plan.selection.forms[at] != BODY:
        yield f"{file.doubt}: no body" if file.is_closed else f"body of {unit.tokens:,} tokens: no room"
