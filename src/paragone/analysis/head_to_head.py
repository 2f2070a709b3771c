"""Who scored more than whom, and how often, in the debates that two shared."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from paragone.domain.records import WinLossRecord

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def met_by_scores(
    agents: Sequence[str], match: Ints, agent: Ints, score: Floats
) -> Mapping[tuple[str, str], WinLossRecord]:
    """The record of each agent against each other one that it met: in every debate the one with the higher score won.

    Args:
        agents: Names, of which the entries speak by index.
        match: Index of the debate of each entry, shape (entries,), in any order.
        agent: Who it is about.
        score: What that one scored.
    """
    order = np.lexsort((agent, match))
    match, agent, score = match[order], agent[order], score[order]
    cells = np.concatenate([np.zeros(0, np.int64), *_cells(len(agents), match, agent, score)])
    keys, counts = np.unique(cells, return_counts=True)
    tally = {int(key): int(count) for key, count in zip(keys, counts, strict=True)}
    pairs = sorted({key // 3 for key in tally})
    records: dict[tuple[str, str], WinLossRecord] = {}
    for pair in pairs:
        agent_a, agent_b = agents[pair // len(agents)], agents[pair % len(agents)]
        lost, drew, won = (tally.get(3 * pair + result, 0) for result in range(3))
        records[agent_a, agent_b] = WinLossRecord(wins=won, draws=drew, losses=lost)
        records[agent_b, agent_a] = WinLossRecord(wins=lost, draws=drew, losses=won)
    return records


def _cells(count: int, match: Ints, agent: Ints, score: Floats) -> list[Ints]:
    """For any two in one debate three times their pair, and 0, 1 or 2 where the first lost, drew or won.

    Entries of a debate stand next to each other, by agent; so those that are one apart are compared, then those that
    are two apart, until no debate is that long.
    """
    cells: list[Ints] = []
    for apart in range(1, match.size):
        first = np.flatnonzero(match[apart:] == match[:-apart])
        if not first.size:
            break
        second = first + apart
        result = 1 + np.sign(score[first] - score[second]).astype(np.int64)
        cells.append(3 * (agent[first] * count + agent[second]) + result)
    return cells
