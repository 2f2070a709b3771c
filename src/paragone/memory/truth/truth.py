"""R of content from all sources: each finding is a line of the truth log, and the last one of a source applies.

Agreement is not truth: what several sources say independently is more probably right than what one says five times, and
still may be wrong. A supplied R has priority, then the checks of its author's claims, then agreement.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from paragone.analysis.content import (
    SAME_CLAIM,
    Checked,
    EvidenceAgreement,
    ThresholdCalibration,
    agreement,
    calibrate,
    verification,
)
from paragone.domain import ItemKind, VerificationResult
from paragone.domain.content import Content, ContentKind, TruthSource
from paragone.domain.rounding import COSINE_DECIMALS, rounded
from paragone.domain.text import counted
from paragone.errors import InvalidConfig, InvalidEvidence, InvalidRecord, NotFound
from paragone.ledger import Ledger, without_password
from paragone.ledger.databases.dialects import is_url
from paragone.memory.contradictions import Alarm, Sentence, alarm, alarms, rarity, statements
from paragone.memory.git_history import CommitRange, GitHistory
from paragone.memory.index import FileReader, Index
from paragone.memory.index.globs import gitignore
from paragone.memory.index.languages import language_of
from paragone.memory.notes.note import parse
from paragone.memory.scores import ContentRating, Scores
from paragone.memory.store import Store, TruthLine
from paragone.memory.store.config import setting
from paragone.memory.truth.contradiction_judge import CONTRADICTED, ask_about
from paragone.memory.truth.evidence_files import LabelledContent, TruthEvidence
from paragone.memory.truth.junit_results import Subjects, TestResult, by_subject
from paragone.memory.truth.lineage import Quotes, replaced_lines, stale_quotes
from paragone.memory.truth.unknown import UNTRIED, unknown_reasons
from paragone.memory.truth.updates import (
    ClaimsUpdate,
    HistoryUpdate,
    JudgedUpdate,
    Supported,
    TestsUpdate,
    TruthBoard,
)
from paragone.similarity import Embedder, open_embedder
from paragone.similarity.embedders import Vectors
from paragone.similarity.vectors import unit

if TYPE_CHECKING:
    from paragone.judges.base import Judge


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


def claim_of(texts: Sequence[str], evidence: Vectors, embedder: Embedder) -> Vectors | None:
    """The vector of what content says to evidence: of that of its texts which the evidence is nearest to.

    Args:
        texts: The content in pieces; a long file makes many claims.
        evidence: Vectors of the evidence, shape (pieces, dimensions).
        embedder: Embeds the texts.

    Returns:
        Shape (dimensions,); None without texts.
    """
    if not texts:
        return None
    vectors = unit(embedder.embed(list(texts)))
    near = rounded(unit(evidence) @ vectors.T, COSINE_DECIMALS).sum(axis=0) if len(evidence) else np.zeros(len(vectors))
    claim: Vectors = vectors[int(near.argmax())]
    return claim


def stances_of(texts: Sequence[str], evidence: Sequence[TruthEvidence]) -> list[float]:
    """1 for each piece that supports a claim, -1 if it denies it; 0 if only a number or a negation differs."""
    own = [statement for text in texts for statement in statements("content", text)]
    return [_stance(own, piece) for piece in evidence]


def _stance(own: Sequence[Sentence], piece: TruthEvidence) -> float:
    if piece.supports is not None:
        return 1.0 if piece.supports else -1.0
    theirs = statements("evidence", piece.text)
    weights = rarity([*own, *theirs])
    return 0.0 if any(alarm(mine, other, weights) for mine in own for other in theirs) else 1.0


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


REPLACED = 0.05
"""R of a note that another replaces: well below the threshold."""


def _is_replaced(path: str, text: str) -> bool:
    """Whether a file is a note that another replaces."""
    try:
        return bool(parse(path, text).replaced_by)
    except InvalidRecord:
        return False


_PROSE = frozenset({"markdown", "rst", "text"})
_OF_THE_PAST = re.compile(
    r"(?i)(?:^|/)(?:change(?:s|log)|news|history|releases?)\b[^/]*$|(?:^|/)(?:changelog|unreleased)\.?d?/"
)


def is_prose(path: str) -> bool:
    """Whether a file is a document about the present; a changelog is right to quote what was replaced."""
    return language_of(path) in _PROSE and _OF_THE_PAST.search(path) is None


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

    def from_evidence(self, content: Content, evidence: Sequence[TruthEvidence], *, session: str = "") -> Supported:
        """R by agreement: how well independent pieces of evidence agree with each other and with the content.

        With fewer than three independent pieces about the same claim, besides the content's own text, R is unknown, and
        an earlier R by agreement is withdrawn. A piece that denies the claim lowers R.
        """
        own = own_texts(content, self._index, FileReader(self._store))
        agreed = self._agreement(evidence, own)
        detail = {
            "evidence": agreed.given,
            "blank": agreed.blank,
            "independent": agreed.independent,
            "mean": agreed.mean,
            "spread": agreed.spread,
            "unrelated": agreed.unrelated,
            "against": agreed.against,
            "reason": agreed.reason,
            "with_content": bool(own),
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

    def calibrate(self, labelled: Sequence[LabelledContent], *, seed: int = 0) -> ThresholdCalibration:
        """The threshold of R that best separates true from false content; see ``analysis.content.calibrate``.

        Args:
            labelled: Labelled content; content of unknown R is left out.
            seed: Of the bootstrap.
        """
        r_of = [self._r_of(example) if example.r is None else example.r for example in labelled]
        pairs = [(r, example.true) for r, example in zip(r_of, labelled, strict=True) if r is not None]
        return calibrate([r for r, _ in pairs], [true for _, true in pairs], np.random.default_rng(seed))

    def lines_of(self, calibration: ThresholdCalibration, source: TruthSource = TruthSource.AGREEMENT) -> str:
        """The lines of ``memory.toml`` that set a threshold; empty if there is none."""
        if calibration.threshold is None:
            return ""
        return f"[{_TABLE}]\n{setting(source, calibration.threshold, self._note(calibration, source))}\n"

    def apply_threshold(self, calibration: ThresholdCalibration, source: TruthSource = TruthSource.AGREEMENT) -> None:
        """Write a threshold to ``memory.toml``; ratings are then rebuilt from the logs.

        Raises:
            InvalidEvidence: If there is no threshold.
            InvalidConfig: If the file is written so that one line cannot change it.
            Unwritable: If it cannot be written.
        """
        if calibration.threshold is None:
            raise InvalidEvidence(f"there is no threshold to apply: {calibration.refusal}")
        note = self._note(calibration, source)
        self._store.configure(_TABLE, source, calibration.threshold, note=note)

    def from_tests(self, results: Sequence[TestResult]) -> TestsUpdate:
        """R by tests of each file that tests are about; the last report of a file replaces what earlier ones said.

        R is the lower bound of the share of tests that pass; unknown where all pass, but too few for R to be high.
        """
        subjects = Subjects(self._index.paths(), lambda name: (symbol.path for symbol in self._index.symbol(name)))
        tested, lost = by_subject(results, subjects)
        threshold = self._store.config.ratings.thresholds[TruthSource.TESTS]
        lines = []
        for path, row in tested.items():
            r = verification(Checked(verified=row.passed, disproven=row.failed))
            few = not row.failed and (r is None or r <= threshold)
            reason = f"{counted(row.passed, 'passing test')}, too few to tell" if few else ""
            detail = asdict(row) | {"reason": reason}
            lines.append(_line(Content.file(path), TruthSource.TESTS, None if few else r, detail, ""))
        return TestsUpdate(lines=tuple(self._write(lines)), results=len(results), lost=lost)

    def from_history(self) -> HistoryUpdate:
        """R by history of documents that quote lines which git shows as replaced since; others have theirs withdrawn.

        R is the lower bound of the share of its quotations that still stand, if that is low; else it stays unknown.

        Raises:
            NotFound: Without git, a repository or a commit.
        """
        history = GitHistory(self._store.root)
        replaced = replaced_lines(history, CommitRange(head=history.head()))
        texts = self._texts()
        prose = [path for path in texts if is_prose(path)]
        stale = stale_quotes(texts, replaced, prose)
        before, threshold = (
            self._before(TruthSource.HISTORY),
            self._store.config.ratings.thresholds[TruthSource.HISTORY],
        )
        lines = []
        for path in sorted({*stale, *(path for path, r in before.items() if r is not None)}):
            quotes = stale.get(path)
            r = verification(Checked(verified=quotes.current, disproven=len(quotes.stale))) if quotes else None
            r = None if r is not None and r > threshold else r  # quotations that stand are no proof of the rest
            if r != before.get(path) and not (quotes is None and _is_replaced(path, texts.get(path, ""))):
                lines.append(_line(Content.file(path), TruthSource.HISTORY, r, _quoted(quotes, r), ""))
        return HistoryUpdate(lines=tuple(self._write(lines)), documents=len(prose), replaced=len(replaced))

    def replaced(self, old: Content, new: Content, *, session: str = "") -> TruthLine:
        """R by history of content that other content replaces: low for good."""
        return self._write([_line(old, TruthSource.HISTORY, REPLACED, {"replaced_by": new.id}, session)])[0]

    def alarms(self) -> list[Alarm]:
        """Sentences of different documents that may contradict each other: questions for a judge, and no verdicts."""
        return alarms(
            [
                statement
                for path, text in self._texts().items()
                if is_prose(path)
                for statement in statements(path, text)
            ]
        )

    def judged(self, judge: "Judge", *, limit: int = 20) -> JudgedUpdate:
        """Ask a judge about the alarms, and lower R of what it says is contradicted and wrong.

        Args:
            judge: Any judge; each alarm is asked in both orders, and again which side is right if they contradict.
            limit: Alarms asked about at most, most alike first.
        """
        every = self.alarms()
        outcomes = ask_about(judge, every[:limit])
        wrong = {outcome.wrong.path: outcome for outcome in outcomes if outcome.wrong is not None}
        before = self._before(TruthSource.JUDGE)
        paths = {path for outcome in outcomes for path in (outcome.alarm.first.path, outcome.alarm.second.path)}
        lines = []
        for path in sorted(paths):
            r = CONTRADICTED if path in wrong else None
            if r != before.get(path):
                detail = wrong[path].detail if path in wrong else {"reason": "no contradiction is left"}
                lines.append(_line(Content.file(path), TruthSource.JUDGE, r, detail, ""))
        return JudgedUpdate(lines=tuple(self._write(lines)), alarms=len(every), outcomes=tuple(outcomes))

    def reasons(self) -> dict[Content, str]:
        """Why R is unknown, of content about which something was tried; of all other content nothing is known."""
        return unknown_reasons(self._store.logs)

    def why(self, rating: ContentRating, reasons: Mapping[Content, str] | None = None) -> str:
        """Why R of content is unknown; empty if it is known.

        Args:
            rating: Its rating.
            reasons: As ``reasons`` returns them, for several contents.
        """
        if rating.r is not None:
            return ""
        return (self.reasons() if reasons is None else reasons).get(rating.content, UNTRIED)

    def _texts(self) -> dict[str, str]:
        """The texts of all indexed files that no program wrote, by path, from the index."""
        paths = [entry.path for entry in self._index.files() if not entry.generated]
        return {path: "\n\n".join(chunk.text for chunk in self._index.chunks(path)) for path in paths}

    def _before(self, source: TruthSource) -> dict[str, float | None]:
        return {rating.content.id: dict(rating.truth).get(source) for rating in self._scores.rated(ContentKind.FILE)}

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

    def _agreement(self, evidence: Sequence[TruthEvidence], own: Sequence[str]) -> EvidenceAgreement:
        vectors = self.embedder.embed([piece.text for piece in evidence])
        return agreement(
            vectors,
            [piece.source for piece in evidence],
            claim=claim_of(own, vectors, self.embedder),
            stances=stances_of(own, evidence),
            same=SAME_CLAIM,
        )

    def _r_of(self, example: LabelledContent) -> float | None:
        return self._agreement(example.evidence, [example.text] if example.text else []).r

    def _changed(self, authors: dict[str, str], checked: dict[str, Checked]) -> Iterator[TruthLine]:
        source = TruthSource.VERIFICATION
        before = self._before(source)
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

    def _note(self, calibration: ThresholdCalibration, source: TruthSource) -> str:
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


def _quoted(quotes: Quotes | None, r: float | None) -> dict[str, object]:
    if quotes is None:
        return {"reason": "no quoted line is out of date any more"}
    if r is None:
        return {"reason": f"{len(quotes.stale)} of {len(quotes.stale) + quotes.current} quoted lines are out of date"}
    return {
        "current": quotes.current,
        "stale": [{"line": row.old, "now": row.new, "path": row.path, "commit": row.sha} for row in quotes.stale[:10]],
    }
