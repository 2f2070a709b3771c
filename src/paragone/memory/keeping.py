"""Packs, pruning, learning and measuring, as of now where nothing else is said; their packages are loaded only then."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from paragone.memory.components import Parts

if TYPE_CHECKING:
    from paragone.memory.learning import Evaluation, Learned
    from paragone.memory.packing import Pack
    from paragone.memory.packing.pack import PackLayout
    from paragone.memory.report import Dashboard
    from paragone.memory.report.metrics import Metrics
    from paragone.memory.upkeep.doctor import Diagnosis
    from paragone.memory.upkeep.prune import PrunePlan
    from paragone.wire.pack import PackMode


def pack(
    parts: Parts,
    *,
    tokens: int | None,
    mode: "PackMode | None",
    form: "PackLayout",
    query: str | None,
    as_of: float | None,
) -> "Pack":
    """A pack; see ``Packer.pack``."""
    return parts.packer.pack(as_of=parts.moment(as_of), tokens=tokens, mode=mode, form=form, query=query)


def prune_plan(parts: Parts, *, scope: Sequence[str] | None, as_of: float | None) -> "PrunePlan":
    """A plan; see ``Pruner.plan``."""
    return parts.pruner.plan(parts.moment(as_of), scope=scope)


def learn_git(
    parts: Parts, *, since: float | None, limit: int | None, progress: "Callable[[Learned], None] | None"
) -> "Learned":
    """History as sessions; see ``learning.git``."""
    from paragone.memory.learning import learn_git as learn

    return learn(parts.store, since=since, limit=limit, progress=progress)


def evaluate(parts: Parts) -> "Evaluation":
    """Models against what happened; see ``learning.evaluate``."""
    from paragone.memory.learning import evaluate as judge

    return judge(parts.store)


def metrics(parts: Parts, *, as_of: float | None) -> "Metrics":
    """The document's metrics; see ``report.metrics``."""
    from paragone.memory.report.metrics import measure

    return measure(parts.store, parts.index, parts.scores, as_of=parts.moment(as_of))


def doctor(parts: Parts) -> "Diagnosis":
    """What is wrong; see ``upkeep.doctor``."""
    from paragone.memory.upkeep.doctor import diagnose

    return diagnose(parts.store, parts.index, parts.scores)


def dashboard(parts: Parts) -> "Dashboard":
    """What the dashboard says; see ``report``."""
    from paragone.memory.report import gather

    return gather(parts.store, parts.index, parts.scores)
