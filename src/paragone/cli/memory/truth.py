"""``paragone memory truth``: R of content, where it comes from, and where its gate opens."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening
from paragone.domain.content import ContentKind, TruthSource
from paragone.domain.text import counted

if TYPE_CHECKING:
    from paragone.analysis.content import Calibration
    from paragone.memory import Memory
    from paragone.memory.components import Components
    from paragone.memory.scores import ContentRating
    from paragone.memory.store import TruthLine
    from paragone.memory.truth import Supported

_COLUMNS = ("R", "is", "threshold", "from", "Elo", "uses", "content")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(truth)


def truth(
    content: Annotated[
        str | None,
        typer.Argument(metavar="CONTENT", help="A path, @path::Name, ADR-027 or a chunk's hash; a list where none."),
    ] = None,
    r: Annotated[float | None, typer.Option("--r", metavar="R", help="Supply R of the content.")] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take back the R that was supplied.")] = False,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Why, with --r; kept in the log.")] = "",
    evidence: Annotated[
        Path | None,
        typer.Option("--evidence", metavar="FILE", help='R by agreement: JSON lines {"content", "text", "source"}.'),
    ] = None,
    claims: Annotated[
        bool, typer.Option("--claims", help="R by verification, of the claims of the agents in [truth.authors].")
    ] = False,
    calibrate: Annotated[
        Path | None,
        typer.Option(
            "--calibrate",
            metavar="PAIRS",
            help='Find the threshold of R: JSON lines {"r", "true"}, or {"text", "evidence": [...], "true"}.',
        ),
    ] = None,
    source: Annotated[
        TruthSource, typer.Option("--source", help="Whose threshold, with --calibrate.")
    ] = TruthSource.AGREEMENT,
    write: Annotated[
        bool, typer.Option("--write", help="With --calibrate: put the threshold into memory.toml.")
    ] = False,
    unknown: Annotated[
        bool, typer.Option("--unknown", help="List content whose R is unknown, the most used first.")
    ] = False,
    kind: Annotated[ContentKind, typer.Option("--kind", help="Of which kind, in a list.")] = ContentKind.FILE,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="Show so many at the most.")] = 20,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Show what is known of the truth of content (R), supply it, find it, or calibrate where its gate opens.

    Unknown R is neutral: the gate stands open. Agreement is not truth: five copies of one claim do not open the gate.
    """
    _require_one(content, r, withdraw=withdraw, evidence=evidence, claims=claims, calibrate=calibrate)
    _require_together(note=note and r is None, write=write and calibrate is None)
    with opening.opened(root, store) as memory:
        parts = memory.components
        if evidence is not None:
            _evidence(memory, evidence, as_json=as_json)
        elif claims:
            _claims(parts, as_json=as_json)
        elif calibrate is not None:
            _calibrate(parts, calibrate, source, write=write, as_json=as_json)
        elif content is not None and (r is not None or withdraw):
            _supply(memory, content, r, note, as_json=as_json)
        elif content is not None:
            _show(memory, content, as_json=as_json)
        else:
            _board(parts, kind, limit, unknown=unknown, as_json=as_json)


def _require_one(
    content: str | None,
    r: float | None,
    *,
    withdraw: bool,
    evidence: Path | None,
    claims: bool,
    calibrate: Path | None,
) -> None:
    from paragone.errors import UsageError

    ways = {
        "--r": r is not None,
        "--withdraw": withdraw,
        "--evidence": evidence is not None,
        "--claims": claims,
        "--calibrate": calibrate is not None,
    }
    given = [name for name, is_given in ways.items() if is_given]
    if len(given) > 1:
        raise UsageError(f"give one of {' and '.join(given)}, not both")
    if given and (content is None) == (given[0] in {"--r", "--withdraw"}):
        needs = "needs CONTENT: name what it is about" if content is None else "takes no CONTENT: its file names it"
        raise UsageError(f"{given[0]} {needs}")


def _require_together(*, note: object, write: bool) -> None:
    from paragone.errors import UsageError

    if note:
        raise UsageError("--note goes with --r")
    if write:
        raise UsageError("--write goes with --calibrate")


def _supply(memory: "Memory", name: str, r: float | None, note: str, *, as_json: bool) -> None:
    line = memory.supply_truth(name, r, note=note)
    if as_json:
        print_json(_line(line))
    else:
        said = "the R that was supplied is taken back" if r is None else f"R {r:g} supplied"
        typer.echo(f"{line.entity_id}: {said}")


def _show(memory: "Memory", name: str, *, as_json: bool) -> None:
    found = memory.rating(name)
    if as_json:
        print_json(_rated(memory.components, found))
    else:
        _table(memory.components, [found])


def _board(parts: "Components", kind: ContentKind, limit: int, *, unknown: bool, as_json: bool) -> None:
    from paragone.cli.show import out, plain

    board = parts.truth.board(kind)
    shown = (board.unknown if unknown else board.known)[:limit]
    if as_json:
        rows = [_rated(parts, one) for one in shown]
        print_json({"kind": kind, "known": len(board.known), "unknown": len(board.unknown), "rows": rows})
        return
    high = sum(one.is_high is True for one in board.known)
    out().print(
        plain(
            f"{kind}: R high of {high:,}, low of {len(board.known) - high:,}, unknown of {len(board.unknown):,} "
            "(the gate stands open)"
        )
    )
    if shown:
        out().print()
        _table(parts, shown)


def _table(parts: "Components", shown: "Sequence[ContentRating]") -> None:
    from paragone.cli.show import print_table

    lines = [
        (
            "unknown" if one.r is None else f"{one.r:.2f}",
            {True: "high", False: "low", None: ""}[one.is_high],
            "" if one.r_source is None else f"{_threshold(parts, one):.2f}",
            one.r_source or "",
            f"{one.elo:.0f}",
            str(one.uses),
            one.content.id,
        )
        for one in shown
    ]
    print_table(_COLUMNS, lines, right=frozenset({"R", "threshold", "Elo", "uses"}))


def _threshold(parts: "Components", one: "ContentRating") -> float:
    return parts.store.config.ratings.thresholds[one.r_source or TruthSource.SUPPLIED]


def _evidence(memory: "Memory", path: Path, *, as_json: bool) -> None:
    from paragone.memory.truth import read_evidence

    read = {memory.rating(name).content: said for name, said in read_evidence(path).items()}  # all of them, or none
    found = [memory.find_truth(content, said) for content, said in read.items()]
    if as_json:
        print_json([_supported(one) for one in found])
        return
    for one in found:
        pieces, given = one.agreement.independent, one.agreement.given
        said = "unknown" if one.line.r is None else f"{one.line.r:.2f}"
        typer.echo(f"{one.line.entity_id}: R {said} of {counted(pieces, 'independent piece')} of {given:,}")


def _supported(one: "Supported") -> dict[str, object]:
    return {**_line(one.line), "pieces": [list(piece) for piece in one.agreement.pieces]}


def _claims(parts: "Components", *, as_json: bool) -> None:
    found = parts.truth.from_claims()
    if as_json:
        agents = {agent: asdict(one) for agent, one in found.checked.items()}
        print_json({"files": found.files, "agents": agents, "changed": [_line(line) for line in found.lines]})
        return
    for agent, one in found.checked.items():
        typer.echo(f"{agent}: {one.verified:,} claims proven, {one.disproven:,} disproven")
    typer.echo(f"{counted(found.files, 'file')} with an author; R of {len(found.lines):,} is another than before")


def _calibrate(parts: "Components", path: Path, source: TruthSource, *, write: bool, as_json: bool) -> None:
    from paragone.memory.truth import read_pairs

    found = parts.truth.calibrate(read_pairs(path))
    if write:
        parts.truth.apply_threshold(found, source)
    if as_json:
        print_json({"source": source, **asdict(found), "embedder": parts.truth.embedder.name, "written": write})
        return
    for words in _told(found):
        typer.echo(words)
    if found.threshold is None:
        return
    if write:
        typer.echo(f"wrote {parts.store.path / 'memory.toml'}; ratings are made anew from the logs when next asked for")
    else:
        typer.echo(
            f"\nTo put it into use: --write, or in memory.toml\n\n{parts.truth.lines_of(found, source)}", nl=False
        )


def _told(found: "Calibration") -> list[str]:
    level = f"{found.level:.0%}"
    said = [f"{found.true:,} true and {found.false:,} false ones"]
    if found.auc is not None:
        said.append(f"area under the curve {found.auc:.3f} ({level}: {found.auc_low:.3f} to {found.auc_high:.3f})")
    if found.threshold is not None:
        said.append(f"threshold {found.threshold:.3f} ({level}: {found.low:.3f} to {found.high:.3f})")
        said.append(
            f"Youden's J {found.youden:.3f}, of pairs left out {found.held_out:.3f}: R of {found.sensitivity:.0%} of "
            f"the true ones is above it, of {found.specificity:.0%} of the false ones is not"
        )
    said += [f"no threshold: {found.refusal}"] if found.refusal else []
    return [*said, f"beware: {found.warning}"] if found.warning else said


def _line(line: "TruthLine") -> dict[str, object]:
    return {
        "id": line.id,
        "entity_type": line.entity_type,
        "entity_id": line.entity_id,
        "source": line.source,
        "r": line.r,
        "detail": dict(line.detail),
    }


def _rated(parts: "Components", one: "ContentRating") -> dict[str, object]:
    return {
        "entity_type": one.content.kind,
        "entity_id": one.content.id,
        "r": one.r,
        "r_source": one.r_source,
        "is_high": one.is_high,
        "threshold": None if one.r_source is None else _threshold(parts, one),
        "gate": one.gate,
        "elo": one.elo,
        "uses": one.uses,
    }
