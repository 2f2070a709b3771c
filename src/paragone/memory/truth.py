"""R of content from all sources: each finding is a line of the truth log, and the last one of a source applies.

Agreement is not truth: what several sources say independently is more probably right than what one says five times, and
still may be wrong. A supplied R has priority, then the checks of its author's claims, then agreement.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from paragone.analysis.content import Agreement, Calibration, Checked, agreement, calibrate, verification
from paragone.domain import ItemKind, VerificationResult
from paragone.domain.content import Content, ContentKind, TruthSource
from paragone.errors import InvalidConfig, InvalidEvidence, InvalidRecord, NotFound
from paragone.intake.text_file import read_text
from paragone.ledger import Ledger, without_password
from paragone.ledger.databases.dialects import is_url
from paragone.memory.index import FileReader, Index
from paragone.memory.index.file_reader import gitignore
from paragone.memory.scores import ContentRating, Scores
from paragone.memory.store import Store, TruthLine
from paragone.memory.store.config import change, setting
from paragone.similarity import Embedder, open_embedder
from paragone.similarity.embedders import Vectors
from paragone.similarity.vectors import unit

Row = Mapping[str, object]


def objects(path: Path) -> Iterator[tuple[str, Row]]:
    """Each JSON object of a file with its position, as ``FILE:LINE``; empty lines are skipped.

    Raises:
        UnreadableFile: If the file is missing or not UTF-8.
        InvalidRecord: If a line is not a JSON object.
    """
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", _object(line, f"{path}:{number}")


def text_in(row: Row, name: str, where: str, *, default: str | None = None) -> str:
    """A text of an object.

    Raises:
        InvalidRecord: If it is missing without a default, or not a text.
    """
    value = row.get(name, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise InvalidRecord(f'{where}: "{name}" must be a text')
    return value


def _object(line: str, where: str) -> Row:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InvalidRecord(f"{where} is not valid JSON: {error}") from error
    except RecursionError as error:
        raise InvalidRecord(f"{where} is nested too deeply") from error
    if not isinstance(row, dict):
        raise InvalidRecord(f"{where} is not a JSON object")
    return row


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A text about content.

    Attributes:
        text: The text.
        source: Where it comes from, such as an agent, a document or an address; texts of one source count once. Empty
            if unknown.
    """

    text: str
    source: str = ""


def read_evidence(path: Path) -> Mapping[str, Sequence[Evidence]]:
    """Evidence by the name of its content, from JSON lines ``{"content", "text", "source"}``.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidRecord: If a line is not evidence, naming it.
    """
    by_subject: dict[str, list[Evidence]] = {}
    for where, row in objects(path):
        about = text_in(row, "content", where)
        by_subject.setdefault(about, []).append(evidence_of(row, where))
    return by_subject


def evidence_of(row: Mapping[str, object], where: str) -> Evidence:
    """A JSON object as evidence.

    Raises:
        InvalidRecord: If its text or source is not a text.
    """
    return Evidence(text=text_in(row, "text", where), source=text_in(row, "source", where, default=""))


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    """Content known to be true or false, with its R or the evidence to find it.

    Attributes:
        true: The label.
        r: R; None if it must be found.
        text: The text that the evidence is about; may be empty.
        evidence: For R by agreement.
    """

    true: bool
    r: float | None = None
    text: str = ""
    evidence: tuple[Evidence, ...] = ()


def read_pairs(path: Path) -> tuple[Labelled, ...]:
    """Labelled content, from JSON lines ``{"r", "true"}`` or ``{"text", "evidence": [{"text", "source"}], "true"}``.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidRecord: If a line is invalid, naming it.
    """
    return tuple(_labelled(row, where) for where, row in objects(path))


def _labelled(row: Row, where: str) -> Labelled:
    true, r, evidence = row.get("true"), row.get("r"), row.get("evidence")
    if not isinstance(true, bool):
        raise InvalidRecord(f'{where}: "true" must be true or false')
    if evidence is None:
        if isinstance(r, bool) or not isinstance(r, int | float) or not math.isfinite(r):
            raise InvalidRecord(f'{where}: give "r", a finite number, or "evidence", a list')
        return Labelled(true=true, r=float(r))
    if not isinstance(evidence, list) or not all(isinstance(entry, dict) for entry in evidence):
        raise InvalidRecord(f'{where}: "evidence" must be a list of objects with "text" and "source"')
    pieces = tuple(evidence_of(entry, where) for entry in evidence)
    return Labelled(true=true, text=text_in(row, "text", where, default=""), evidence=pieces)


def own_texts(content: Content, index: Index, reader: FileReader) -> list[str]:
    """The text of content in pieces for an embedder; empty if the index does not hold it.

    Raises:
        ParagoneError: If a symbol's file cannot be read.
    """
    if content.kind is ContentKind.VECTOR:
        return [chunk.text for chunk in index.places(content.id)][:1]
    if content.kind is ContentKind.SYMBOL:
        return [_lines(reader, symbol.path, symbol.start, symbol.end) for symbol in index.symbol(content.id)][:1]
    path = content.path
    if content.kind is ContentKind.ADR:
        decision = index.decision(content.id)
        path = "" if decision is None else decision.path
    return [chunk.text for chunk in index.chunks(path)] if path else []


def _lines(reader: FileReader, path: str, start: int, end: int) -> str:
    return "\n".join(reader.read(path).text.split("\n")[start - 1 : end])


def meaning(texts: list[str], embedder: Embedder) -> Vectors | None:
    """The mean direction of some texts, shape (dimensions,); None without texts."""
    if not texts:
        return None
    vectors = unit(embedder.embed(texts))
    together: Vectors = unit(np.mean(vectors, axis=0, keepdims=True))[0]
    return together


def checked_claims(ledger: str) -> dict[str, Checked]:
    """Proven and disproven claims by agent, summed over all pools of agents of a ledger, which is only read.

    Args:
        ledger: A file or URL.

    Raises:
        NotFound: If there is no such ledger.
    """
    try:
        opened = Ledger.open(ledger, create=False)
    except NotFound:
        url = without_password(ledger)
        raise NotFound(f"there is no ledger in {url}; name one in memory.toml: [truth] ledger") from None
    checked: dict[str, Checked] = {}
    with opened:
        for pool in opened.pools.all():
            if pool.kind is ItemKind.AGENT:
                for test in opened.agents.tests(pool.id):
                    _count(checked, test.test)
    return checked


def _count(checked: dict[str, Checked], test: object) -> None:
    if isinstance(test, VerificationResult):
        claim = Checked(verified=test.verified, disproven=test.disproven)
        checked[test.item] = checked.get(test.item, Checked()) + claim


def authors_of(paths: Iterable[str], authors: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each path with the agent who wrote it, by the first pattern that matches; other paths are left out.

    Args:
        paths: Below the root, with slashes.
        authors: The agent, by pattern of path as in .gitignore files.
    """
    patterns = [(gitignore([pattern]), agent) for pattern, agent in authors.items()]
    for path in paths:
        agent = next((agent for spec, agent in patterns if spec.match_file(path)), None)
        if agent is not None:
            yield path, agent


_TABLE = "ratings.thresholds"


@dataclass(frozen=True, kw_only=True, slots=True)
class Supported:
    """R by agreement: its line in the log, and how it was found."""

    line: TruthLine
    agreement: Agreement


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimsUpdate:
    """R by verification.

    Attributes:
        lines: What was written: one line for each file whose R changed.
        files: Number of files with an author.
        checked: Proven and disproven claims by author.
    """

    lines: tuple[TruthLine, ...]
    files: int
    checked: dict[str, Checked]


@dataclass(frozen=True, kw_only=True, slots=True)
class TruthBoard:
    """Content with known R, lowest first, and content with unknown R, most used first."""

    known: tuple[ContentRating, ...]
    unknown: tuple[ContentRating, ...]


class Truth:
    """Finds R of content and logs it.

    Args:
        store: Where it is logged.
        index: The content and its text.
        scores: The R known so far.
        embedder: Embeds evidence; the local model if None.
    """

    def __init__(self, store: Store, index: Index, scores: Scores, *, embedder: Embedder | None = None) -> None:
        self._store, self._index, self._scores = store, index, scores
        self._given = embedder

    @property
    def embedder(self) -> Embedder:
        """Embeds evidence; thresholds of agreement depend on it."""
        if self._given is None:
            self._given = open_embedder()
        return self._given

    def supply(self, content: Content, r: float | None, *, session: str = "", note: str = "") -> TruthLine:
        """Log a known R; None withdraws the one supplied before.

        Raises:
            InvalidEvidence: If R is not a finite number.
        """
        if r is not None and not math.isfinite(r):
            raise InvalidEvidence(f"R is a finite number, not {r}")
        detail = {"note": note} if note else {}
        return self._write([_line(content, TruthSource.SUPPLIED, r, detail, session)])[0]

    def from_evidence(self, content: Content, evidence: Sequence[Evidence], *, session: str = "") -> Supported:
        """R by agreement: how well independent pieces of evidence agree with each other and with the content.

        With fewer than three independent pieces besides the content's own text R is unknown, and an earlier R by
        agreement is withdrawn.
        """
        own = meaning(own_texts(content, self._index, FileReader(self._store)), self.embedder)
        agreed = self._agreement(evidence, own)
        detail = {
            "evidence": agreed.given,
            "blank": agreed.blank,
            "independent": agreed.independent,
            "mean": agreed.mean,
            "spread": agreed.spread,
            "with_content": own is not None,
            "embedder": self.embedder.name,
        }
        line = self._write([_line(content, TruthSource.AGREEMENT, agreed.r, detail, session)])[0]
        return Supported(line=line, agreement=agreed)

    def from_claims(self) -> ClaimsUpdate:
        """R by verification of each file with an author, from the checks of that agent's claims.

        ``[truth]`` of the configuration names the ledger, by a URL or a path from the root, and the authors. Only
        changes are logged; R of a file without an author is withdrawn.

        Raises:
            InvalidConfig: If the configuration names no ledger or no authors.
            NotFound: If there is no such ledger.
        """
        config = self._store.config.truth
        if not config.ledger or not config.authors:
            raise InvalidConfig(
                "memory.toml names no ledger of agents or no authors: set ledger in [truth], and patterns of paths "
                "with their agents in [truth.authors]",
                key="truth",
            )
        url = config.ledger if is_url(config.ledger) else str(self._store.root / config.ledger)
        checked = checked_claims(url)
        written = {content.id: content for content in self._index.contents(ContentKind.FILE)}
        authors = dict(authors_of(written, config.authors))
        lines = list(self._changed(authors, checked))
        return ClaimsUpdate(
            lines=tuple(self._write(lines)),
            files=len(authors),
            checked={agent: checked.get(agent, Checked()) for agent in sorted(set(authors.values()))},
        )

    def calibrate(self, labelled: Sequence[Labelled], *, seed: int = 0) -> Calibration:
        """The threshold of R that best separates true from false content; see ``analysis.content.threshold``.

        Args:
            labelled: Labelled content; content of unknown R is left out.
            seed: Of the bootstrap.
        """
        r_of = [self._r_of(example) if example.r is None else example.r for example in labelled]
        pairs = [(r, example.true) for r, example in zip(r_of, labelled, strict=True) if r is not None]
        return calibrate([r for r, _ in pairs], [true for _, true in pairs], np.random.default_rng(seed))

    def lines_of(self, calibration: Calibration, source: TruthSource = TruthSource.AGREEMENT) -> str:
        """The lines of ``memory.toml`` that set a threshold; empty if there is none."""
        if calibration.threshold is None:
            return ""
        return f"[{_TABLE}]\n{setting(source, calibration.threshold, self._note(calibration, source))}\n"

    def apply_threshold(self, calibration: Calibration, source: TruthSource = TruthSource.AGREEMENT) -> None:
        """Write a threshold to ``memory.toml``; ratings are then rebuilt from the logs.

        Raises:
            InvalidEvidence: If there is no threshold.
            InvalidConfig: If the file is written so that one line cannot change it.
            Unwritable: If it cannot be written.
        """
        if calibration.threshold is None:
            raise InvalidEvidence(f"there is no threshold to apply: {calibration.refusal}")
        note = self._note(calibration, source)
        with self._store.locked():
            change(self._store.path / "memory.toml", _TABLE, source, calibration.threshold, note=note)

    def board(self, kind: ContentKind = ContentKind.FILE) -> TruthBoard:
        """The truth of all content of a kind in the index."""
        contents = list(self._index.contents(kind))
        ratings = self._scores.ratings(contents, as_of=self._store.clock(), since=self._index.first_seen())
        rated = [rating for rating in ratings.values() if rating.r is not None]
        unknown = [rating for rating in ratings.values() if rating.r is None]
        return TruthBoard(
            known=tuple(sorted(rated, key=lambda rating: (rating.is_high is True, rating.r, rating.content.id))),
            unknown=tuple(sorted(unknown, key=lambda rating: (-rating.uses, rating.content.id))),
        )

    def _agreement(self, evidence: Sequence[Evidence], own: Vectors | None) -> Agreement:
        vectors = self.embedder.embed([piece.text for piece in evidence])
        return agreement(vectors, [piece.source for piece in evidence], claim=own)

    def _r_of(self, example: Labelled) -> float | None:
        own = meaning([example.text] if example.text else [], self.embedder)
        return self._agreement(example.evidence, own).r

    def _changed(self, authors: dict[str, str], checked: dict[str, Checked]) -> Iterator[TruthLine]:
        source = TruthSource.VERIFICATION
        before = {rating.content.id: dict(rating.truth).get(source) for rating in self._scores.rated(ContentKind.FILE)}
        gone = {path for path, r in before.items() if r is not None} - set(authors)
        r_of = {agent: verification(claims) for agent, claims in checked.items()}
        for path in sorted({*authors, *gone}):
            agent = authors.get(path, "")
            r = r_of.get(agent)
            if r != before.get(path):
                detail = {"agent": agent, **asdict(checked.get(agent, Checked()))} if agent else {}
                yield _line(Content.file(path), source, r, detail, "")

    def _write(self, lines: Sequence[TruthLine]) -> list[TruthLine]:
        return [line for line in self._store.logs.append(lines) if isinstance(line, TruthLine)]

    def _note(self, calibration: Calibration, source: TruthSource) -> str:
        by = f" by {self.embedder.name}" if source is TruthSource.AGREEMENT else ""
        return (
            f"calibrated{by} on {calibration.true} true and {calibration.false} false ones, AUC {calibration.auc:.2f}"
        )


def _line(
    content: Content, source: TruthSource, r: float | None, detail: Mapping[str, object], session: str
) -> TruthLine:
    return TruthLine(
        session_id=session,
        entity_type=content.kind,
        entity_id=content.id,
        file_path=content.path,
        source=source,
        r=r,
        detail=detail,
    )
