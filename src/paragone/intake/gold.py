"""Gold pairs from files, frames and lists: whatever is read as votes, each pair taken for known."""

from collections import defaultdict

from paragone.domain.gold import GoldPair
from paragone.errors import InvalidVotes
from paragone.intake.votes import read_votes


def read_gold(source: object) -> tuple[GoldPair, ...]:
    """The pairs whose better item is known.

    Args:
        source: As for ``read_votes``: columns ``a``, ``b`` and ``winner``, or ``winner`` and ``loser``. If a pair
            occurs several times, the majority counts; ties say nothing. Gold pairs themselves are taken as they are.

    Returns:
        Each pair once, in the order of its first row.

    Raises:
        UnreadableFile: If the source cannot be read.
        UnknownColumn: If a column is absent or cannot be told from others.
        InvalidVotes: If too many rows cannot be evidence, or nothing is left.
    """
    if isinstance(source, tuple) and all(isinstance(pair, GoldPair) for pair in source):
        return source
    lead: defaultdict[tuple[str, str], float] = defaultdict(float)
    for vote in read_votes(source):
        turned = vote.a > vote.b
        lead[(vote.b, vote.a) if turned else (vote.a, vote.b)] += 0.5 - vote.score if turned else vote.score - 0.5
    pairs = [
        GoldPair(better=a, worse=b) if score > 0 else GoldPair(better=b, worse=a)
        for (a, b), score in lead.items()
        if score
    ]
    if not pairs:
        raise InvalidVotes("there is no gold pair: every row is a tie, or the pair is won as often by either item")
    return tuple(pairs)
