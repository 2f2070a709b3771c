"""``paragone agents record``, ``register`` and ``import``: record debates, and the agents that take part."""

import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from paragone.cli import options
from paragone.cli.agents.pool import EvidenceId, PoolOptions, WritablePool, print_changes
from paragone.cli.options import argument, option
from paragone.cli.terminal import import_progress, note
from paragone.domain import Counting, Normalization
from paragone.domain.text import counted
from paragone.errors import InvalidEvidence

if TYPE_CHECKING:
    from paragone.agents.imports import ImportedDebates


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreOptions:
    """How scores become points."""

    outcome: Annotated[
        Counting, option("How scores become points: their ratio; a win; or half plus half the difference (margin).")
    ] = Counting.RATIO
    normalize: Annotated[Normalization, option("Points against several opponents: their sum, or their mean (n-1).")] = (
        Normalization.SUM
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateScores:
    """What each agent scored in a debate: scores, or a winner and a loser."""

    scores: Annotated[list[str] | None, argument("The participants and their scores.", metavar="NAME=SCORE")] = None
    winner: Annotated[str | None, option("The winner of two.")] = None
    loser: Annotated[str | None, option("The loser.")] = None
    draw: Annotated[bool, option("A draw between --winner and --loser.")] = False

    def by_agent(self) -> Mapping[str, float]:
        """The scores in their order.

        Raises:
            InvalidEvidence: If the options do not go together; the message says which do.
        """
        has_sides = self.winner is not None or self.loser is not None or self.draw
        if self.scores and has_sides:
            raise InvalidEvidence("give scores, or --winner and --loser, not both")
        if self.scores:
            return _parsed(self.scores)
        if self.winner is None or self.loser is None:
            raise InvalidEvidence("who took part? Give NAME=SCORE NAME=SCORE, or --winner NAME --loser NAME")
        if self.winner == self.loser:
            raise InvalidEvidence(f"{self.winner!r} cannot have met itself")
        return {self.winner: 0.5, self.loser: 0.5} if self.draw else {self.winner: 1.0, self.loser: 0.0}


def _parsed(texts: list[str]) -> Mapping[str, float]:
    scores: dict[str, float] = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        try:
            score = float(value)
        except ValueError:
            score = math.nan
        if not sign or math.isnan(score):
            raise InvalidEvidence(f"a score is given as NAME=SCORE, such as claude=0.8, not {text!r}")
        if name in scores:
            raise InvalidEvidence(f"{name!r} is named twice")
        scores[name] = score
    if len(scores) < 2:
        raise InvalidEvidence(f"a debate has at least two participants, and {next(iter(scores))!r} is alone")
    return scores


def record(
    scores: DebateScores,
    scoring: ScoreOptions,
    pool: WritablePool,
    output: options.Output,
    domain: Annotated[str | None, option("The domain, whose rating changes too.", "-d")] = None,
    confidence: Annotated[float, option("The weight of the debate, from 0.1 to 1.", metavar="P")] = 1.0,
    id: EvidenceId = None,
    task: Annotated[str | None, option("The topic, in words.", metavar="TEXT")] = None,
) -> None:
    """Record a debate, and print how ratings changed. Give scores, or --winner and --loser."""
    from paragone.agents.debates import made_id
    from paragone.intake.past_debate import PastDebate

    by_agent = scores.by_agent()
    if not 0.0 <= confidence <= 1.0:  # a percentage would count as certainty
        raise InvalidEvidence(f"--confidence lies from 0.1 to 1, not {confidence:g}")
    debate = PastDebate(  # which refuses what cannot be before a ledger is created
        id=made_id(task or "", domain or "", uuid.uuid4().hex[:12]) if id is None else id,
        participants=tuple(by_agent),
        scores=tuple(by_agent.values()),
        domain=domain or "",
        task=task or "",
        confidence=confidence,
        where="this debate",
    )
    with pool.writing(outcome=scoring.outcome.value, normalize=scoring.normalize.value) as system:
        is_new = debate.id not in system.recorded_debates([debate.id])
        (changes,) = system.record_matches([debate.as_record()])
        ratings = system.get_ratings_batch(list(by_agent))
    if not output.as_json:
        print_changes(changes, ratings, domain)
    elos = {name: ratings[name].elo for name in by_agent}
    earlier = f"{debate.id} is on record already; this is how ratings changed then"
    output.say(
        {"id": debate.id, "new": is_new, "changes": changes, "ratings": elos},
        f"recorded as {debate.id}" if is_new else earlier,
    )


def register(
    agent: Annotated[str, argument("Name of the agent.")],
    pool: PoolOptions,
    output: options.Output,
    model: Annotated[str | None, option("Model of the agent.")] = None,
) -> None:
    """Register an agent before it debates. With --strict, only registered agents are accepted."""
    from paragone.agents import checks

    name, description = checks.agent(agent), checks.words(model, "--model")
    with WritablePool(db=pool.db, pool=pool.pool).writing() as system:
        rating = system.register_agent(name, description)
        records = system.evidence(name, kind="registration", limit=1) if description else []
    reference = records[0]["reference"] if records else None
    suffix = f"; recorded as {reference}" if reference else ""
    output.say(
        {"id": reference, "agent": name, "model": rating.model, "elo": rating.elo},
        f"{name}{f' ({rating.model})' if rating.model else ''}: Elo {rating.elo:.1f}{suffix}",
    )


def import_file(
    file: Annotated[
        Path,
        argument(
            "A .csv, .tsv, .jsonl, .json, .parquet or .xlsx file, a database of Aragora's, or - for standard input."
        ),
    ],
    scoring: ScoreOptions,
    pool: PoolOptions,
    output: options.Output,
    strict: Annotated[bool, option("Refuse unregistered agents and invalid rows.")] = False,
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """Record past debates, predictions or starting ratings from a file.

    To continue an interrupted import, repeat it.
    """
    from paragone.agents.imports import import_debates
    from paragone.intake.debates import DebateFile
    from paragone.intake.standard_input import readable
    from paragone.intake.table import listed

    file = readable(file)
    with import_progress(DebateFile(source=file).count, _recorded, quiet=quiet) as observer:
        imported = import_debates(
            file,
            db=options.db_url(pool.db),
            pool=pool.pool,
            outcome=scoring.outcome.value,
            normalize=scoring.normalize.value,
            strict=strict,
            encoding=encoding,
            observer=observer,
        )
    if imported.derived and not quiet:
        tables = ", ".join(f"{count:,} of {name}" for name, count in imported.derived.items())
        note(f"{tables} follow from others and are no evidence: rows left out")
    if imported.skipped and not quiet:
        rows = counted(imported.skipped, "row")
        problems = listed(imported.problems, imported.skipped)
        note(f"{rows} of {imported.rows:,} skipped: {problems}")
    output.say(imported, _imported(imported))


def _recorded(imported: "ImportedDebates") -> str:
    """What is on record; an interrupt may have come just after the end of a chunk."""
    return f"at least the first {imported.rows:,} rows of {imported.file!r} are on record"


def _imported(imported: "ImportedDebates") -> str:
    kinds = {
        "debate": (imported.debates, imported.known_debates),
        "prediction": (imported.predictions, imported.known_predictions),
        "starting rating": (imported.ratings, imported.known_ratings),
        "relationship": (imported.relationships, imported.known_relationships),
    }
    new = {kind: added for kind, (added, _) in kinds.items() if added}
    earlier = {kind: earlier_count for kind, (_, earlier_count) in kinds.items() if earlier_count}
    if not new and not earlier:
        return f"nothing to do: no row of {imported.file!r} is evidence"
    if not new:
        verb = "is" if sum(earlier.values()) == 1 else "are"
        counts = " and ".join(counted(earlier_count, kind) for kind, earlier_count in earlier.items())
        return f"nothing to do: {counts} of {imported.file!r} {verb} on record already"
    more = f", {sum(earlier.values()):,} more were on record already" if earlier else ""
    command = "calibration" if list(new) == ["prediction"] else "board"
    counts = " and ".join(counted(added, f"new {kind}") for kind, added in new.items())
    return f"{counts} from {imported.file!r}{more}; see paragone agents {command}"
