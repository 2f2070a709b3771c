"""What is unusual about the answers or the strengths of a board, and bears on how to read it."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from paragone.domain import Board
from paragone.domain.board import Remark
from paragone.intake.vote import UNNAMED
from paragone.ratings.elo import ELO_PER_NAT
from paragone.ratings.evidence import Evidence, Floats
from paragone.tournaments.posterior import Posterior

MANY_TIES = 0.5
"""The share of ties from which they are worth a word: most answers then tell items apart little."""
LEAST_ITEMS = 20
"""Items from which the shape of their strengths can be looked at."""
FAR = 2.3
"""Standard errors of skewness from which strengths are not taken for normal."""
LEAST_MET = 8
"""Comparisons of an item from which it says something that it won or lost them all."""
_NAMED = 3


def completed(board: Board, posterior: Posterior, suggest_gold: int = 0) -> Board:
    """The board with what is unusual about it, and with what known pairs say.

    Args:
        board: The board of the posterior.
        posterior: The fit.
        suggest_gold: How many pairs to suggest whose true answer would teach most.
    """
    board, anchors = replace(board, remarks=remarks(posterior)), posterior.anchored
    if anchors is None or not (suggest_gold or posterior.rated or anchors.direction is not None):
        return board
    from paragone.tournaments.results.known_pairs import with_known_pairs  # most boards have none

    return with_known_pairs(board, posterior, anchors, suggest_gold)


def remarks(posterior: Posterior) -> tuple[Remark, ...]:
    """All remarks on a board, in the order of their weight."""
    anchors = posterior.anchored
    if anchors is None or not len(anchors.as_answered):
        return ()
    by_panel = anchors.consensus is not None
    return (
        *(() if by_panel else _groups(posterior)),
        *_drifts(posterior),
        *_ties(anchors.as_answered),
        *(() if by_panel else _extremes(posterior, anchors.evidence)),
        *(() if by_panel else _shape(posterior.strength, anchors.as_answered)),
    )


def _groups(posterior: Posterior) -> Iterator[Remark]:
    """Parts of the pool that no comparison joins; an item that met nobody is none."""
    sizes = np.bincount(posterior.fit.component)
    groups = int(np.count_nonzero(sizes > 1))
    if groups > 1:
        yield Remark(
            kind="groups",
            text=f"{groups} groups of items were never compared with each other; which group is the better is open",
        )


def _drifts(posterior: Posterior) -> Iterator[Remark]:
    clear = {judge: drift for judge, drift in posterior.drifts.items() if drift.is_clear}
    for judge, drift in list(clear.items())[:_NAMED]:
        p = f"= {drift.p:.2g}" if drift.p >= 0.001 else "< 0.001"
        who, whose, perhaps = (
            ("", "the votes", ", perhaps since rows are sorted by question")
            if judge == UNNAMED
            else (f"{judge} drifts: ", "its answers", "")
        )
        yield Remark(
            kind="drift",
            text=(
                f"{who}strengths moved by about {ELO_PER_NAT * drift.size:.0f} points from the first to the second "
                f"half of {whose} (p {p}){perhaps}; the board shows their average, with differences "
                f"{posterior.stretch - 1.0:.0%} larger for what an average hides"
            ),
        )
    if len(clear) > _NAMED:
        yield Remark(kind="drift", text=f"{len(clear) - _NAMED} more judges drift")


def _ties(evidence: Evidence) -> Iterator[Remark]:
    weight = float(evidence.weight.sum())
    share = float(evidence.weight @ evidence.tie) / weight if weight else 0.0
    if share >= MANY_TIES:
        yield Remark(kind="ties", text=f"{share:.0%} of the answers; they tell little about who is ahead")


def _shape(strength: Floats, evidence: Evidence) -> Iterator[Remark]:
    """Whether strengths are far from normal, which the prior has them; of the items that met somebody."""
    compared = np.unique(np.concatenate([evidence.first, evidence.second]))
    values = strength[compared]
    if values.size < LEAST_ITEMS or not float(np.ptp(values)) > 0.0:
        return
    count, z = values.size, (values - values.mean()) / values.std()
    skew = float((z**3).mean()) / math.sqrt(6 * count * (count - 1) / ((count - 2) * (count + 1) * (count + 3)))
    if round(abs(skew), 6) > FAR:
        side = "ahead" if skew > 0 else "behind"
        yield Remark(kind="skewed", text=f"skewed: a few items are far {side}, and most are alike")


def _extremes(posterior: Posterior, evidence: Evidence) -> Iterator[Remark]:
    """Items that won or lost everything: nothing but the prior says how far away they are."""
    lead = evidence.weight * (evidence.score - 0.5)
    items = evidence.item_count
    net = np.bincount(evidence.first, lead, items) - np.bincount(evidence.second, lead, items)
    played = np.bincount(evidence.first, evidence.weight, items) + np.bincount(evidence.second, evidence.weight, items)
    outermost = (played >= LEAST_MET) & (np.abs(net) >= played / 2 - 1e-9)
    for side, verb in ((1.0, "won"), (-1.0, "lost")):
        chosen = np.flatnonzero(outermost & (np.sign(net) == side)).tolist()
        if chosen:
            names = ", ".join(posterior.ids[at] for at in chosen[:_NAMED])
            more = f" and {len(chosen) - _NAMED} more" if len(chosen) > _NAMED else ""
            where = "ahead" if side > 0 else "behind"
            yield Remark(kind="extremes", text=f"{names}{more} {verb} everything: how far {where} rests on the prior")
