"""Usefulness: the probability that content helps whoever opens it, from what readers report and how searches end.

Being shown or opened is no success: an attractive title is opened often, whatever is behind it. Two kinds of evidence
count. Reports say that content was used or turned out to be wrong. Without a report, the place of an opening in its
search says something: a search usually ends with what helped, and goes on after what did not. Each kind is a pair of
pseudo-counts, and P is the mean of a Beta posterior:

    P = (1 + used + helped) / (2 + used + wrong + helped + idle)

Both pairs are bounded, so that old evidence fades as new evidence comes, and openings alone never outweigh a report.
Search adds optimism for what has hardly been tried, since otherwise new content could never be discovered.

Sources: O. Chapelle and Y. Zhang, "A Dynamic Bayesian Network Click Model for Web Search Ranking", 2009, for the end of
a search as evidence; N. Craswell et al., "An Experimental Comparison of Click Position-Bias Models", 2008, for the
share of results that are looked at; P. Auer et al., "Finite-time Analysis of the Multiarmed Bandit Problem", 2002, for
optimism.
"""

import math
from dataclasses import dataclass, replace

MAX_REPORTS = 10.0
"""Reports that count at most; older ones fade."""
MAX_OPENINGS = 2.0
"""Openings without a report count at most as many observations: they order, and never outweigh reports."""
CONTRADICTION = 3.0
"""A contradiction in uses: it is rarer than a use, and says more."""
FULL_REPORTS = 3
"""Reports of one search that count in full; later ones count less, so that marking everything says little."""
SHOWING = 0.5
"""Being looked at in a list, in trials: it lowers optimism, and is no evidence of usefulness."""
PATIENCE = 12.0
"""Searches without being shown after which optimism about what was tried grows noticeably."""
RETRIED = -0.3
"""What is tried again gains at most so many nats: it stays behind new content whose text says as much."""
KNOWN = 1.0
"""Reports from which usefulness is known; openings alone leave it a guess."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Feedback:
    """The evidence about one piece of content, in observations.

    Attributes:
        used: Reports that it was used or cited.
        wrong: Reports that it was wrong; a contradiction counts three times.
        helped: Openings that ended a search as if it had helped.
        idle: Openings that did not.
        shown: Times it was shown in a search that was read, as far as the place was probably looked at.
    """

    used: float = 0.0
    wrong: float = 0.0
    helped: float = 0.0
    idle: float = 0.0
    shown: float = 0.0

    @property
    def is_known(self) -> bool:
        """Whether there are reports; otherwise usefulness is unknown, and openings are a guess at best."""
        return self.used + self.wrong >= KNOWN


NOTHING = Feedback()
"""The evidence about content that nobody has opened."""


def probability(feedback: Feedback) -> float:
    """P(useful), in (0, 1); a half without evidence."""
    good = 1.0 + feedback.used + feedback.helped
    return good / (1.0 + good + feedback.wrong + feedback.idle)


def log_odds(feedback: Feedback) -> float:
    """The logit of P(useful) in nats; 0 without evidence. Need adds it to the log-odds of being used next."""
    return _logit(probability(feedback))


def advantage(feedback: Feedback, *, trials: float = 0.0) -> float:
    """What search adds to a score, in nats: the logit of P with optimism, less that of new content; 0 for new content.

    Content that was tried is known better, so optimism fades with evidence and, more slowly, with being shown. Where
    openings alone are against it, it grows again with the searches in which others were shown: otherwise what failed
    once would never be shown again, though it may be what helps by now.

    Args:
        feedback: The evidence.
        trials: How often the most shown of the rivals was looked at, about the searches that the question has had.

    Example:
        Content used once gains: ``advantage(Feedback(used=1.0))`` is 0.91; contradicted once, it loses 1.88.
    """
    fresh, gain = _logit(_optimistic(NOTHING)), _logit(_optimistic(feedback))
    if feedback.wrong == 0.0 and gain - fresh < RETRIED:
        waited = max(trials - feedback.shown, 0.0)
        gain = min(_logit(_optimistic(feedback, 1.0 + math.log1p(waited / PATIENCE))), fresh + RETRIED)
    return gain - fresh


def trust(feedback: Feedback) -> float:
    """The share of past success that still counts, in (0, 1]: all of it, unless P(useful) is below a half."""
    return min(1.0, 2.0 * probability(feedback))


def doubted(feedback: Feedback) -> Feedback:
    """The evidence with one more contradiction: content of low truth counts as contradicted."""
    return bounded(replace(feedback, wrong=feedback.wrong + CONTRADICTION))


def about(feedback: Feedback, share: float) -> Feedback:
    """The evidence as far as it is about the question at hand.

    What helped with one question need not help with another; what is wrong is wrong for all.

    Args:
        feedback: All evidence.
        share: How much of it comes from questions like this one, from 0 to 1.
    """
    return Feedback(
        used=feedback.used * share,
        wrong=feedback.wrong,
        helped=feedback.helped * share,
        idle=feedback.idle * share,
        shown=feedback.shown * share,
    )


def _optimistic(feedback: Feedback, growth: float = 1.0) -> float:
    p = probability(feedback)
    trials = feedback.used + feedback.wrong + feedback.helped + feedback.idle
    n = 2.0 + trials + SHOWING * feedback.shown
    return min(max(p + math.sqrt(growth * p * (1.0 - p) / (n + 1.0)), 0.01), 0.99)


def _logit(p: float) -> float:
    return math.log(p / (1.0 - p))


def looked_at(rank: int) -> float:
    """The share of searches in which a place is looked at, in (0, 1]; 1 for rank 1."""
    return 1.0 / (1.0 + 0.7 * (rank - 1))


def shown_at(feedback: Feedback, rank: int) -> Feedback:
    """The evidence after content was shown at a rank, from 1, in a search that somebody read."""
    return replace(feedback, shown=feedback.shown + looked_at(rank))


def reported_used(feedback: Feedback, *, number: int = 1) -> Feedback:
    """The evidence after a report that content was used.

    Args:
        feedback: The evidence before.
        number: The how manieth use that was reported of its search, from 1.
    """
    weight = min(1.0, (FULL_REPORTS / number) ** 2)
    return bounded(replace(feedback, used=feedback.used + weight))


def reported_wrong(feedback: Feedback) -> Feedback:
    """The evidence after a report that content was wrong."""
    return doubted(feedback)


def succeeded(feedback: Feedback, share: float) -> Feedback:
    """The evidence after a successful session without reports; ``share`` in [0, 1] of the success is this content's."""
    return bounded(replace(feedback, used=feedback.used + share))


def bounded(feedback: Feedback) -> Feedback:
    """The evidence within ``MAX_REPORTS`` and ``MAX_OPENINGS``: both counts of a kind shrink alike."""
    reports, openings = feedback.used + feedback.wrong, feedback.helped + feedback.idle
    r = MAX_REPORTS / reports if reports > MAX_REPORTS else 1.0
    o = MAX_OPENINGS / openings if openings > MAX_OPENINGS else 1.0
    return replace(
        feedback, used=feedback.used * r, wrong=feedback.wrong * r, helped=feedback.helped * o, idle=feedback.idle * o
    )


_USEFUL_LAST, _USELESS_LAST, _PRIOR = 9.0, 3.5, 10.0
_MEMORY = 60.0
"""Openings over which the shares are learned."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Endings:
    """How often a search ends with what was opened, learned where reports tell useful from useless content.

    Attributes:
        useful: Openings of content that was reported as used.
        useful_last: Those after which nothing else was opened.
        useless: Openings of content that was wrong, or not used beside something that was.
        useless_last: Those after which nothing else was opened.
    """

    useful: float = 0.0
    useful_last: float = 0.0
    useless: float = 0.0
    useless_last: float = 0.0

    @property
    def after_useful(self) -> float:
        """P(the search ends | what was opened is useful), 0.9 before anything is learned."""
        return (_USEFUL_LAST + self.useful_last) / (_PRIOR + self.useful)

    @property
    def after_useless(self) -> float:
        """P(the search ends | what was opened is useless), 0.35 before anything is learned."""
        return (_USELESS_LAST + self.useless_last) / (_PRIOR + self.useless)


def ended(endings: Endings, *, is_useful: bool, is_last: bool) -> Endings:
    """The shares after an opening whose usefulness is known; those before fade."""
    decay = 1.0 - 1.0 / _MEMORY
    if is_useful:
        return replace(
            endings, useful=endings.useful * decay + 1.0, useful_last=endings.useful_last * decay + float(is_last)
        )
    return replace(
        endings, useless=endings.useless * decay + 1.0, useless_last=endings.useless_last * decay + float(is_last)
    )


_SEARCHES_REMEMBERED = 40.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reporting:
    """How surely an agent reports what it uses.

    Attributes:
        opened: Its searches in which it opened something, about the last 40.
        reported: Those in which it reported a use.
    """

    opened: float = 0.0
    reported: float = 0.0

    @property
    def share(self) -> float:
        """P(an agent reports what it used), at most 0.95; agents that never report are not read as dissatisfied."""
        return min(0.95, 1.5 * (1.0 + self.reported) / (2.0 + self.opened))


def searched(reporting: Reporting, *, reported: bool) -> Reporting:
    """An agent's record after a search in which it opened something."""
    decay = 1.0 - 1.0 / _SEARCHES_REMEMBERED
    return Reporting(opened=reporting.opened * decay + 1.0, reported=reporting.reported * decay + float(reported))


def was_useful(feedback: Feedback, *, is_last: bool, endings: Endings, reporting: Reporting) -> tuple[float, float]:
    """What an opening without a report says.

    Args:
        feedback: The evidence before.
        is_last: Whether nothing else was opened after it in its search.
        endings: How searches end.
        reporting: How surely its agent reports.

    Returns:
        P(it was useful), and how much the opening says, from 0 to 1: nothing if useful and useless content would have
        led to it equally.
    """
    rho, p = reporting.share, probability(feedback)
    useful, useless = endings.after_useful, endings.after_useless
    # An agent that reports what it uses has not used what it is silent about; now and then it is silent by chance.
    if_useful = (useful if is_last else 1.0 - useful) * (1.0 - rho)
    if_useless = (useless if is_last else 1.0 - useless) * (1.0 - 0.05 * rho)
    y = p * if_useful / (p * if_useful + (1.0 - p) * if_useless)
    return y, abs(if_useful - if_useless) / max(if_useful, if_useless)


def settled(feedback: Feedback, y: float, weight: float) -> Feedback:
    """The evidence after an opening without a report; the arguments are those that ``was_useful`` returned."""
    return bounded(replace(feedback, helped=feedback.helped + weight * y, idle=feedback.idle + weight * (1.0 - y)))
