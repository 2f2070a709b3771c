"""``paragone memory truth show``: R of content, its sources, and the threshold where its gate opens."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.cli.parameters import OnlyWith
from paragone.domain.content import ContentKind, TruthSource
from paragone.domain.text import counted
from paragone.errors import UsageError
from paragone.presenting.table import Table, number, table, text

if TYPE_CHECKING:
    from paragone.analysis.content import ThresholdCalibration
    from paragone.memory import Memory
    from paragone.memory.components import Components
    from paragone.memory.scores import ContentRating
    from paragone.memory.store import TruthLine
    from paragone.memory.truth import Supported


@dataclass(frozen=True, kw_only=True, slots=True)
class TruthAction:
    """What to do about R: at most one of supplying, withdrawing, finding, verifying and calibrating it."""

    content: Annotated[
        str | None, argument("A path, @path::Name, ADR-027 or a chunk's hash.  [default: list content]")
    ] = None
    r: Annotated[float | None, option("Supply R of the content.", metavar="R")] = None
    withdraw: Annotated[bool, option("Withdraw the R that was supplied.")] = False
    note: Annotated[str, option("Why, with --r; it is logged.", metavar="TEXT"), OnlyWith("--r")] = ""
    evidence: Annotated[
        Path | None, option('R by agreement: a file of JSON lines {"content", "text", "source", "supports"}.')
    ] = None
    claims: Annotated[bool, option("R by verification: the claims of the agents in [truth.authors].")] = False
    calibrate: Annotated[
        Path | None,
        option(
            'Find the threshold of R: a file of JSON lines {"r", "true"}, or {"text", "evidence": [...], "true"}.',
            metavar="PAIRS",
        ),
    ] = None
    source: Annotated[TruthSource, option("The source whose threshold --calibrate finds."), OnlyWith("--calibrate")] = (
        TruthSource.AGREEMENT
    )
    write: Annotated[
        bool, option("With --calibrate: write the threshold into memory.toml."), OnlyWith("--calibrate")
    ] = False

    def check(self) -> None:
        """Refuse options that contradict each other.

        Raises:
            UsageError: Saying what goes together.
        """
        actions = {
            "--r": self.r is not None,
            "--withdraw": self.withdraw,
            "--evidence": self.evidence is not None,
            "--claims": self.claims,
            "--calibrate": self.calibrate is not None,
        }
        chosen = [name for name, is_chosen in actions.items() if is_chosen]
        if len(chosen) > 1:
            raise UsageError(f"give one of {' and '.join(chosen)}, not both")
        if chosen and (self.content is None) == (chosen[0] in {"--r", "--withdraw"}):
            needs = (
                "needs CONTENT: name what it is about"
                if self.content is None
                else "takes no CONTENT: its file names it"
            )
            raise UsageError(f"{chosen[0]} {needs}")


def truth(
    action: TruthAction,
    store: options.MemoryStore,
    output: options.Output,
    unknown: Annotated[bool, option("List content of unknown R, most used first.")] = False,
    kind: Annotated[ContentKind, option("The kind of content to list.")] = ContentKind.FILE,
    limit: options.Limit = 20,
) -> None:
    """Show, supply, find or calibrate the truth of content (R).

    Unknown R is neutral: the gate is open. Agreement is not truth: five copies of one claim do not open the gate.
    """
    action.check()
    with store.opened() as memory:
        parts, content = memory.components, action.content
        if action.evidence is not None:
            _find(memory, action.evidence, output)
        elif action.claims:
            _verify(parts, output)
        elif action.calibrate is not None:
            _calibrate(parts, action.calibrate, action.source, output, write=action.write)
        elif content is not None and (action.r is not None or action.withdraw):
            _supply(memory, content, action.r, action.note, output)
        elif content is not None:
            output.show(
                memory.rating(content),
                lambda each: [_ratings(parts, [each])],
                values=lambda each: _rating_values(parts, each),
            )
        else:
            _list(parts, kind, limit, output, unknown=unknown)


def _supply(memory: "Memory", content: str, r: float | None, note: str, output: options.Output) -> None:
    change = "the supplied R is withdrawn" if r is None else f"R {r:g} supplied"
    output.show(
        memory.supply_truth(content, r, note=note),
        lambda line: [f"{line.entity_id}: {change}"],
        values=_line_values,
    )


def _list(parts: "Components", kind: ContentKind, limit: int, output: options.Output, *, unknown: bool) -> None:
    board = parts.truth.board(kind)
    rows = (board.unknown if unknown else board.known)[:limit]

    def listed(rows: "Sequence[ContentRating]") -> Iterator[str | Table[Any]]:
        high = sum(rating.is_high is True for rating in board.known)
        low, unknown_count = len(board.known) - high, len(board.unknown)
        yield f"{kind}: R high of {high:,}, low of {low:,}, unknown of {unknown_count:,} (the gate is open)"
        if rows:
            yield from ("", _ratings(parts, rows))

    output.show(
        rows,
        listed,
        values=lambda each: {
            "kind": kind,
            "known": len(board.known),
            "unknown": len(board.unknown),
            "rows": [_rating_values(parts, rating) for rating in each],
        },
    )


def _ratings(parts: "Components", rows: "Sequence[ContentRating]") -> Table[Any]:
    reasons = parts.truth.reasons()
    return table(
        rows,
        number("R", lambda row: row.r, ".2f", absent="unknown"),
        text("is", lambda row: {True: "high", False: "low", None: ""}[row.is_high]),
        number("threshold", lambda row: _threshold(parts, row), ".2f"),
        text("from", lambda row: row.r_source),
        number("Elo", lambda row: row.elo, ".0f"),
        number("uses", lambda row: row.uses, ""),
        text("content", lambda row: row.content.id),
        *(
            [text("why unknown", lambda row: parts.truth.why(row, reasons))]
            if any(row.r is None for row in rows)
            else []
        ),
    )


def _threshold(parts: "Components", rating: "ContentRating") -> float | None:
    return None if rating.r_source is None else parts.store.config.ratings.thresholds[rating.r_source]


def _find(memory: "Memory", path: Path, output: options.Output) -> None:
    from paragone.memory.truth import read_evidence

    texts = {
        memory.rating(name).content: each for name, each in read_evidence(path).items()
    }  # refuses before any write
    supported = [memory.find_truth(content, each) for content, each in texts.items()]
    output.show(
        supported,
        _supported,
        values=lambda each: [
            {**_line_values(row.line), "pieces": [list(piece) for piece in row.agreement.pieces]} for row in each
        ],
    )


def _supported(supported: "list[Supported]") -> Iterator[str]:
    for row in supported:
        if row.line.r is None:
            yield f"{row.line.entity_id}: R unknown: {row.agreement.reason}"
            continue
        pieces = counted(row.agreement.independent, "independent piece")
        against = f", {row.agreement.against} not for it" if row.agreement.against else ""
        yield f"{row.line.entity_id}: R {row.line.r:.2f} of {pieces} of {row.agreement.given:,}{against}"


def _verify(parts: "Components", output: options.Output) -> None:
    verified = parts.truth.from_claims()

    def claims(_: object) -> Iterator[str]:
        for agent, checked in verified.checked.items():
            yield f"{agent}: {checked.verified:,} claims proven, {checked.disproven:,} disproven"
        yield f"{counted(verified.files, 'file')} with an author; R of {len(verified.lines):,} has changed"

    output.show(
        verified,
        claims,
        values=lambda each: {
            "files": each.files,
            "agents": each.checked,
            "changed": [_line_values(line) for line in each.lines],
        },
    )


def _calibrate(parts: "Components", path: Path, source: TruthSource, output: options.Output, *, write: bool) -> None:
    from paragone.memory.truth import read_pairs

    calibration = parts.truth.calibrate(read_pairs(path))
    if write:
        parts.truth.apply_threshold(calibration, source)

    def print_calibration(calibration: "ThresholdCalibration") -> None:
        for line in _lines(calibration):
            typer.echo(line)
        if calibration.threshold is None:
            return
        if write:
            typer.echo(f"wrote {parts.store.path / 'memory.toml'}; the next command rebuilds ratings from the logs")
        else:
            lines = parts.truth.lines_of(calibration, source)
            typer.echo(f"\nTo use it: --write, or in memory.toml\n\n{lines}", nl=False)

    output.draw(
        calibration,
        print_calibration,
        values=lambda each: {
            "source": source,
            **asdict(each),
            "embedder": parts.truth.embedder.name,
            "written": write,
        },
    )


def _lines(calibration: "ThresholdCalibration") -> list[str]:
    level = f"{calibration.level:.0%}"
    lines = [f"{calibration.true:,} true and {calibration.false:,} false ones"]
    if calibration.auc is not None:
        interval = f"({level}: {calibration.auc_low:.3f} to {calibration.auc_high:.3f})"
        lines.append(f"area under the curve {calibration.auc:.3f} {interval}")
    if calibration.threshold is not None:
        interval = f"({level}: {calibration.low:.3f} to {calibration.high:.3f})"
        lines.append(f"threshold {calibration.threshold:.3f} {interval}")
        lines.append(
            f"Youden's J {calibration.youden:.3f}, held out {calibration.held_out:.3f}: R is above it for "
            f"{calibration.sensitivity:.0%} of the true ones, not for {calibration.specificity:.0%} of the false ones"
        )
    lines += [f"no threshold: {calibration.refusal}"] if calibration.refusal else []
    return [*lines, f"beware: {calibration.warning}"] if calibration.warning else lines


def _line_values(line: "TruthLine") -> dict[str, object]:
    fields = ("id", "entity_type", "entity_id", "source", "r")
    return {**{name: getattr(line, name) for name in fields}, "detail": dict(line.detail)}


def _rating_values(parts: "Components", rating: "ContentRating") -> dict[str, object]:
    return {
        "entity_type": rating.content.kind,
        "entity_id": rating.content.id,
        **{name: getattr(rating, name) for name in ("r", "r_source", "is_high")},
        "threshold": _threshold(parts, rating),
        "why_unknown": parts.truth.why(rating),
        **{name: getattr(rating, name) for name in ("gate", "elo", "uses")},
    }
