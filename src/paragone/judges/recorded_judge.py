"""A judge that repeats what was recorded."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, combinations
from pathlib import Path

from paragone.domain import Choice, Question, Usage, Verdict
from paragone.intake import Vote, Votes, read_votes
from paragone.judges.base import JudgeCard, ListCard, fingerprint, uniform

_LONGEST = 100
_FREE = Usage(cost=0.0)


class RecordedJudge:
    """Answers from votes; a pair that nobody voted on is an abstention.

    Several votes of a pair are drawn by weight, from the seed and the name of the call alone, so that the order of
    calls does not matter. Votes recorded in the order of presentation asked for come first; only where there are none,
    those of the other order are used with the sides turned round. Where votes do not say in which order items were
    shown, as when winners stand first, those of both orders are drawn from alike.

    A list is ordered by the points of each item in the votes on its pairs, with ties broken at random; a list with a
    pair that nobody voted on is an abstention.
    """

    def __init__(self, votes: str | Path | Sequence[Vote], *, seed: int = 0) -> None:
        """Take the votes.

        Args:
            votes: A file that `read_votes` reads, or votes.
            seed: Decides which of several votes of a pair is drawn.

        Raises:
            UsageError: If the file cannot be read.
        """
        recorded = read_votes(votes) if isinstance(votes, str | Path) else votes
        has_order = not isinstance(recorded, Votes) or recorded.has_order
        self._votes = _by_pair(recorded if has_order else (*recorded, *map(_turned, recorded)))
        self._seed = seed
        digest = fingerprint([[vote.a, vote.b, vote.score, vote.tie, vote.weight] for vote in recorded])
        identity = f"recorded:{digest}?seed={seed}" + ("" if has_order else "&order=unknown")
        self._card = JudgeCard(
            identity=identity, sends=False, reads_ids=True, lists=ListCard(identity=f"{identity}/lists", most=_LONGEST)
        )

    @property
    def card(self) -> JudgeCard:
        """Names the votes by their fingerprint and the seed."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """The vote that is drawn for this call, or an abstention."""
        if question.others:
            return self._ranked(question)
        first, second = question.first.id, question.second.id
        votes = self._votes.get((first, second)) or self._votes.get((second, first))
        if not votes:
            return Verdict(choice=Choice.ABSTAIN, judge=self.card.identity, usage=_FREE)
        vote = _drawn(votes, uniform("recorded", self._seed, question.call))
        score = vote.score if vote.a == first else 1.0 - vote.score
        probability = None if vote.probability is None else score
        return Verdict(choice=_choice(score), judge=self.card.identity, probability=probability, usage=_FREE)

    def _ranked(self, question: Question) -> Verdict:
        judge, ids = self.card.identity_for(question), [item.id for item in question.items]
        points = dict.fromkeys(ids, 0.0)
        for first, second in combinations(ids, 2):
            votes = self._votes.get((first, second)) or self._votes.get((second, first))
            if not votes:
                return Verdict(choice=Choice.ABSTAIN, judge=judge, usage=_FREE)
            vote = _drawn(votes, uniform("recorded", self._seed, question.call, first, second))
            points[vote.a] += vote.score
            points[vote.b] += 1.0 - vote.score
        chance = [uniform("equals", self._seed, question.call, id) for id in ids]
        order = sorted(range(len(ids)), key=lambda index: (-points[ids[index]], chance[index]))
        return Verdict(choice=Choice.RANKED, judge=judge, order=tuple(order), usage=_FREE)

    def price(self, question: Question) -> float | None:  # noqa: ARG002  # the same for every question
        """Nothing: the votes are there."""
        return 0.0

    async def close(self) -> None:
        """Nothing to give back."""


def _turned(vote: Vote) -> Vote:
    return replace(vote, a=vote.b, b=vote.a, score=1.0 - vote.score)


def _by_pair(votes: Sequence[Vote]) -> Mapping[tuple[str, str], list[Vote]]:
    pairs: defaultdict[tuple[str, str], list[Vote]] = defaultdict(list)
    for vote in votes:
        pairs[vote.a, vote.b].append(vote)
    return dict(pairs)


def _drawn(votes: Sequence[Vote], chance: float) -> Vote:
    bounds = list(accumulate(vote.weight for vote in votes))
    return next((vote for vote, bound in zip(votes, bounds, strict=True) if chance * bounds[-1] < bound), votes[-1])


def _choice(score: float) -> Choice:
    if score == 0.5:
        return Choice.TIE
    return Choice.FIRST if score > 0.5 else Choice.SECOND
