"""Makes packs: rates files, chooses what is shown of them within the budget, writes it, and gives a reason for each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paragone.domain.content import Content
from paragone.domain.text import factor
from paragone.errors import InvalidConfig, NotFound
from paragone.memory.index import FileReader, Index
from paragone.memory.index.globs import gitignore
from paragone.memory.notes import Notes
from paragone.memory.packing import by_tier
from paragone.memory.packing.by_symbol import BySymbol, PackPlan, UnitHits, file_form, packed_units
from paragone.memory.packing.need import Uses, chance, expected, recent_uses, useful
from paragone.memory.packing.pack import LAYOUTS, Pack, Packed, PackedUnit, PackFormat, Rated, Written, too_small
from paragone.ratings.usefulness import trust
from paragone.wire.pack import PackForm, PackLayout, PackMode

if TYPE_CHECKING:
    from paragone.memory.index import FileEntry
    from paragone.memory.packing.query_match import QueryMatch
    from paragone.memory.scores import Scores
    from paragone.memory.store import Store

_MIN_TOKENS = 8
"""Fewest tokens of any form: a bound on the number of files in a pack by tier, and so on those that are read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Made:
    """A written pack, the rows of files that might be in it, and why others cannot be, by path."""

    written: Written
    rows: Mapping[str, Packed]
    refused: Mapping[str, str]


class Packer:
    """Packs what an index holds."""

    def __init__(self, store: "Store", index: Index, scores: "Scores") -> None:
        self._store, self._index, self._scores = store, index, scores

    def pack(
        self,
        *,
        tokens: int | None = None,
        mode: PackMode | None = None,
        form: PackLayout = "markdown",
        query: str | None = None,
        generated: bool | None = None,
        as_of: float | None = None,
    ) -> Pack:
        """Pack the most useful content; arguments are those of ``Memory.pack``.

        The same files, ratings and arguments give the same bytes. All pinned files are in it; no excluded ones or
        secrets.

        Raises:
            InvalidConfig: If the budget cannot hold the pinned files, or an argument has an invalid value.
            NotFound: If nothing is indexed yet.
        """
        config = self._store.config.pack
        chosen = config.mode if mode is None else mode
        _refuse_unknown("mode", chosen, ("budget", "tiers"))
        _refuse_unknown("form", form, tuple(LAYOUTS))
        budget = config.tokens if tokens is None and chosen == "budget" else tokens
        if self._index.updated() is None:
            raise NotFound("nothing is indexed yet; begin with: paragone memory index")
        now, entries = self._store.moment(as_of), self._index.files()
        refused = self._refused(entries, now, with_generated=config.generated if generated is None else generated)
        by_elo = self._store.config.pack.order == "elo"
        uses = Uses() if by_elo and chosen == "tiers" else recent_uses(self._store)
        files = self._rated(entries, now, None if by_elo else uses.needs())
        packable = [file for file in files if file.entry.path not in refused]
        query_text = (query or "").strip()
        if chosen == "budget":
            packed = self._by_symbol(packable, LAYOUTS[form], budget, query_text, uses.hits())
        else:
            packed = self._by_tiers(packable, LAYOUTS[form], budget)
        refused |= packed.refused
        excluded = [_excluded(file, refused[path]) for file in files if (path := file.entry.path) in refused]
        order = {path: number for number, path in enumerate(packed.written.pieces)}
        rows = [*packed.rows.values(), *excluded]
        return Pack(
            text=packed.written.text,
            manifest=tuple(sorted(rows, key=lambda row: (order.get(row.path, len(order)), row.path))),
            tokens=packed.written.tokens,
            full_tokens=sum(file.entry.tokens for file in files if file.entry.path not in refused),
            budget=budget,
            mode=chosen,
            layout=form,
            as_of=now,
            query=query_text,
        )

    def _refused(self, entries: "Sequence[FileEntry]", now: float, *, with_generated: bool) -> dict[str, str]:
        """Why files may not be packed, by path; what may not be read at all is found when it is read."""
        patterns = self._store.config.pack.exclude
        exclude = gitignore(patterns) if patterns else None
        doubts = Notes(self._store, self._index).doubts(now)
        refused = {}
        for entry in entries:
            if exclude is not None and exclude.match_file(entry.path):
                refused[entry.path] = "excluded by pack.exclude"
            elif why := doubts.get(entry.path, ""):
                refused[entry.path] = f"a note, {why}"
            elif entry.generated and not with_generated:
                refused[entry.path] = f"{entry.generated}, left out unless asked for (--generated, pack.generated)"
        return refused

    def _rated(self, entries: "Sequence[FileEntry]", now: float, needs: Mapping[str, float] | None) -> list[Rated]:
        """Files with the chance that they are needed, highest first; reports of errors and a low R lower it.

        Without needs the chance is that of the running Elo.
        """
        contents = [Content.file(entry.path) for entry in entries]
        since = {entry.path: entry.first_seen for entry in entries}
        ratings = self._scores.ratings(contents, as_of=now, since=since)
        files = []
        for entry, content in zip(entries, contents, strict=True):
            rating = ratings[content]
            if needs is None:
                needed = expected(rating.elo)
            else:
                needed = chance(needs.get(entry.path, 0.0) * trust(rating.evidence))
            files.append(Rated(entry=entry, rating=rating, chance=useful(needed, rating.evidence)))
        return sorted(files, key=lambda file: (-round(file.chance, _DECIMALS), file.entry.path))

    def _by_symbol(
        self, files: Sequence[Rated], layout: PackFormat, budget: int | None, query: str, hits: UnitHits
    ) -> _Made:
        paths = [file.entry.path for file in files]
        job = BySymbol(self._index, FileReader(self._store), layout, files, hits, self._match(query, paths))
        plan = job.plan(budget)
        rows = {path: _by_symbol_row(job, plan, number) for number, path in enumerate(paths) if path not in job.refused}
        return _Made(written=plan.written, rows=rows, refused=job.refused)

    def _match(self, query: str, paths: Sequence[str]) -> "QueryMatch | None":
        if not query:
            return None  # and nothing that searches is loaded
        from paragone.memory.packing.query_match import QueryMatch

        return QueryMatch(self._store, self._index, query, paths)

    def _by_tiers(self, files: Sequence[Rated], layout: PackFormat, budget: int | None) -> _Made:
        reader = by_tier.Sources(self._index, FileReader(self._store), layout)
        most = len(files) if budget is None else budget // _MIN_TOKENS
        sources: dict[str, by_tier.Source] = {}
        refused: dict[str, str] = {}
        for file in files:
            source = reader.of(file) if len(sources) < most or file.rating.pinned else None
            if isinstance(source, by_tier.Source):
                sources[file.entry.path] = source
            elif source is not None:
                refused[file.entry.path] = source
        forms, written = _planned(sources, layout, budget)
        rows = {
            path: _by_tier_row(file, sources.get(path), forms.get(path, PackForm.EXCLUDED), written.pieces.get(path, 0))
            for file in files
            if (path := file.entry.path) not in refused
        }
        return _Made(written=written, rows=rows, refused=refused)


_DECIMALS = 12
"""Of the chances by which files are ordered: processors differ in their last bits."""


def _by_symbol_row(job: BySymbol, plan: PackPlan, number: int) -> Packed:
    file = job.files[number]
    path = file.entry.path
    opened = job.opened.get(path) if plan.selection.listed[number] else None
    units = () if opened is None else packed_units(job, plan, number)
    return Packed(
        path=path,
        sha256=file.entry.sha256 if opened is None else opened.source.sha256,
        tier=file.rating.tier,
        form=PackForm.EXCLUDED if opened is None else file_form(opened.units, plan.forms(number)),
        tokens=plan.written.pieces.get(path, 0),
        reason="; ".join(_file_reason(job, plan, number, units)),
        units=units,
    )


def _file_reason(job: BySymbol, plan: PackPlan, number: int, units: Sequence[PackedUnit]) -> Iterator[str]:
    file = job.files[number]
    yield "pinned by tiers.high" if file.rating.pinned else f"chance {factor(100.0 * file.chance)}%"
    if file.is_closed:
        yield f"{file.doubt}: signatures at most"
    if answer := plan.answer(number):
        yield f"answers the query at {answer:.2f}"
    if not plan.selection.listed[number]:
        yield "no room"
        return
    if job.opened[file.entry.path].changed:
        yield "changed since it was indexed"
    if units:
        yield f"{sum(unit.form is PackForm.FULL for unit in units)} of {len(units)} bodies"


def _by_tier_row(file: Rated, source: by_tier.Source | None, form: PackForm, tokens: int) -> Packed:
    return Packed(
        path=file.entry.path,
        sha256=file.entry.sha256 if source is None else source.sha256,
        tier=file.rating.elo_tier,
        form=form,
        tokens=tokens,
        reason="; ".join(by_tier.reason(source, file, form)),
    )


def _excluded(file: Rated, why: str) -> Packed:
    return Packed(
        path=file.entry.path,
        sha256=file.entry.sha256,
        tier=file.rating.tier,
        form=PackForm.EXCLUDED,
        tokens=0,
        reason=why,
    )


def _planned(
    sources: Mapping[str, by_tier.Source], layout: PackFormat, budget: int | None
) -> tuple[dict[str, PackForm], Written]:
    """The form of each file, by path, and the text. If the text exceeds the budget, the next try has that much less."""
    candidates = [source.candidate for source in sources.values()]
    frame = by_tier.write({}, sources, layout).tokens
    tokens_left = None if budget is None else budget - frame
    while True:
        needed = by_tier.minimum_tokens(candidates)
        if tokens_left is not None and tokens_left < needed:
            pinned = sum(candidate.pinned for candidate in candidates)
            raise InvalidConfig(too_small(budget, pinned, frame + needed), key="pack.tokens")
        forms = by_tier.by_tiers(candidates, tokens_left)
        written = by_tier.write(forms, sources, layout)
        if budget is None or tokens_left is None or written.tokens <= budget:
            return forms, written
        tokens_left -= written.tokens - budget


def _refuse_unknown(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise InvalidConfig(f"{name} is {' or '.join(allowed)}, not {value!r}", key=f"pack.{name}")
