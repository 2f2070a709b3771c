"""Which matches are worth a deeper protocol than a direct comparison: a debate, a panel, or a better judge.

The rule looks at the posterior before a round. A match matters as far as its outcome decides who belongs to the top; a
verdict tells as much as it is expected to say about which of the two is better; and tokens spent on a deeper one could
buy further direct comparisons instead. See docs/design/0032.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np

from paragone.domain import Match, MatchProtocol, Pairing, PolicyConfig
from paragone.domain.rounding import SHARE_DECIMALS, rounded
from paragone.judges.debates.token_estimates import comparison_tokens
from paragone.pairing.forecast import top_of
from paragone.pairing.weighted import CERTAIN, Floats, Ints
from paragone.ratings.fit_types import Fit
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.state import match_id

_GRID = 128
"""Quantiles that stand for a normal distribution."""

_SURE = 500.0
"""Log-odds beyond which nothing changes any more."""

_PRIOR_ERROR = 0.3
"""Standard deviation of the logarithm of a sharpness that is not measured yet."""

_ROUNDS_READ = 10
"""Recent rounds that say which identity answers in which form, since each form has one, and which forms fail."""

_FAILURES = 3
"""Matches without a success after which a form is not chosen for some rounds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Depth:
    """How a match is judged.

    Attributes:
        turns: Turns a side in a debate; 0 for none.
        panel: Whether a debate is held within the answer.
        level: Which judge of a cascade answers.
        reason: Why it is so deep, as plain JSON values; empty for a direct comparison by the first judge.
    """

    turns: int = 0
    panel: bool = False
    level: int = 0
    reason: Mapping[str, Any] | None = None

    @property
    def form(self) -> "JudgingForm":
        """Its protocol and judge."""
        protocol = (
            MatchProtocol.MULTI_TURN if self.turns else MatchProtocol.PANEL if self.panel else MatchProtocol.SINGLE_TURN
        )
        return protocol, self.level


JudgingForm = tuple[MatchProtocol, int]
"""A protocol, and the level of the judge."""

DIRECT: JudgingForm = (MatchProtocol.SINGLE_TURN, 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class PairEstimates:
    """What the posterior says of some pairs; arrays have shape (pairs,).

    Attributes:
        difference: Expected strength of the one less that of the other, in nats.
        deviation: Standard deviation of that.
        matter: Probability that exactly one of the two belongs to the top.
        certainty: Probability that the one that seems better is better.
    """

    difference: Floats
    deviation: Floats
    matter: Floats
    certainty: Floats


def estimate(fit: Fit, a: Ints, b: Ints, top: int) -> PairEstimates:
    """What a fit says of some pairs.

    Args:
        fit: The fit.
        a: Index of one side of each pair.
        b: Index of the other.
        top: How many items the top has.
    """
    mean, deviation = fit.strength, np.asarray(fit.standard_error)
    difference = mean[a] - mean[b]
    variance = deviation[a] ** 2 + deviation[b] ** 2
    if fit.covariance is not None:
        variance = fit.covariance[a, a] + fit.covariance[b, b] - 2.0 * fit.covariance[a, b]
    spread = np.sqrt(np.maximum(variance, 1e-12))
    ordered = np.sort(mean)[::-1]
    border = (ordered[top - 1] + ordered[min(top, ordered.size - 1)]) / 2.0
    inside = _normal((mean - border) / np.maximum(deviation, 1e-6))
    matter = inside[a] * (1.0 - inside[b]) + inside[b] * (1.0 - inside[a])
    return PairEstimates(
        difference=difference,
        deviation=spread,
        matter=rounded(matter, SHARE_DECIMALS),
        certainty=rounded(_normal(np.abs(difference) / spread), SHARE_DECIMALS),
    )


def information(difference: Floats, deviation: Floats, sharpness: float) -> Floats:
    """What a verdict is expected to say about which of two is better: their mutual information, in nats.

    Args:
        difference: Expected difference of the two, in nats, shape (pairs,).
        deviation: Its standard deviation.
        sharpness: A verdict for the first has the log-odds ``sharpness`` times the true difference.
    """
    values = difference[:, None] + deviation[:, None] * _quantiles()[None, :]
    better = values > 0.0
    won = 1.0 / (1.0 + np.exp(np.minimum(-sharpness * values, _SURE)))
    joint = np.stack([(won * better), (won * ~better), ((1.0 - won) * better), ((1.0 - won) * ~better)]).mean(axis=2)
    verdict, truth = joint[[0, 2]] + joint[[1, 3]], joint[[0, 1]] + joint[[2, 3]]
    independent = np.stack([verdict[0] * truth[0], verdict[0] * truth[1], verdict[1] * truth[0], verdict[1] * truth[1]])
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(joint > 0.0, joint * np.log(joint / independent), 0.0)
    return rounded(terms.sum(axis=0), SHARE_DECIMALS)


def forms_of(policy: PolicyConfig, *, debates: bool, levels: int) -> tuple[JudgingForm, ...]:
    """The forms that the rule by worth may choose from, direct comparisons included.

    Args:
        policy: The parameters.
        debates: Whether there are debates of any kind.
        levels: How many judges a cascade has; 1 without one.
    """
    deeper = {"direct": (), "panel": (MatchProtocol.PANEL,), "debate": (MatchProtocol.MULTI_TURN,)}.get(
        policy.protocol, (MatchProtocol.PANEL, MatchProtocol.MULTI_TURN)
    )
    protocols = (MatchProtocol.SINGLE_TURN, *(deeper if debates and policy.debate_rule != "rating" else ()))
    return tuple((protocol, level) for level in range(levels) for protocol in protocols)


def sharpness(state: TournamentState, fit: Fit, forms: Sequence[JudgingForm]) -> dict[JudgingForm, float]:
    """How sharply each form tells items apart: as measured, as far as it was, else as the parameters say.

    Args:
        state: The tournament.
        fit: The fit, with a slope for each identity that has answered.
        forms: The forms.
    """
    answered = identities(state)
    # Probabilities lie closer to one half than decisions, and scatter less: only per scatter do their slopes compare.
    slopes = (fit.slope / np.sqrt(fit.dispersion)).tolist()
    measured = {
        form: (math.log(slope), error)
        for judge, slope, error in zip(fit.judges, slopes, fit.slope_se.tolist(), strict=True)
        if error > 0.0 and (form := answered.get(judge)) is not None
    }
    reference, reference_error = measured.get(DIRECT, (0.0, math.inf))
    sharpness_of = {}
    for form in forms:
        ratio = math.log(prior_sharpness(form, state.system.policy))
        if form in measured and form != DIRECT and math.isfinite(reference_error):
            log_slope, error = measured[form]
            variance = error**2 + reference_error**2
            weight = variance / (variance + _PRIOR_ERROR**2)
            ratio = weight * ratio + (1.0 - weight) * (log_slope - reference)
        sharpness_of[form] = math.exp(reference + ratio)
    return sharpness_of


def prior_sharpness(form: JudgingForm, policy: PolicyConfig) -> float:
    """How many times sharper than a direct verdict of the first judge one of this form is taken to be."""
    protocol, level = form
    ratios = {MatchProtocol.PANEL: policy.panel_sharpness, MatchProtocol.MULTI_TURN: policy.debate_sharpness}
    return float(ratios.get(protocol, 1.0) * policy.expert_sharpness**level)


def _planned_and_played(state: TournamentState) -> Iterator[tuple[JudgingForm, Match]]:
    """The matches of the last rounds, each with the form that was planned for it."""
    planned = {
        match_id(past.number, number): (pairing.protocol, pairing.level)
        for past in state.rounds[-_ROUNDS_READ:]
        for number, pairing in enumerate(past.pairings, start=1)
        if isinstance(pairing, Pairing)
    }
    for _, rows in zip(range(_ROUNDS_READ), state.played.rounds_back(), strict=False):
        for row in rows:
            match = state.played[row]
            if match.id in planned:
                yield planned[match.id], match


def identities(state: TournamentState) -> dict[str, JudgingForm]:
    """The form in which each judge's identity answers, from the last rounds."""
    forms: dict[str, JudgingForm] = {}
    for (protocol, level), match in _planned_and_played(state):
        if protocol is match.protocol:  # none that fell back to another
            for answer in match.comparisons:
                form_so_far = forms.get(answer.verdict.judge, (protocol, level))
                # where a better judge failed, the first one answered in its place
                forms[answer.verdict.judge] = min(form_so_far, (protocol, level), key=lambda form: form[1])
    return forms


def unusable(state: TournamentState) -> set[JudgingForm]:
    """Forms that the judge cannot give: in the last rounds all of three matches or more fell back to another."""
    failed: Counter[JudgingForm] = Counter()
    succeeded = set()
    for form, match in _planned_and_played(state):
        if form[0] is match.protocol:
            succeeded.add(form)
        else:
            failed[form] += 1
    return {form for form, times in failed.items() if times >= _FAILURES and form not in succeeded}


@dataclass(frozen=True, kw_only=True, slots=True)
class PricedForm:
    """A form in which the matches of a round could be judged; arrays have shape (pairs,).

    Attributes:
        form: The form.
        information: What its verdict is expected to say, in nats.
        tokens: What it takes, in tokens of the first judge.
    """

    form: JudgingForm
    information: Floats
    tokens: Floats


def choose(
    offers: Sequence[PricedForm], about: PairEstimates, plenty: float, margin: float = 1.0
) -> tuple[Ints, Floats]:
    """The offer to take for each match, and how many times the worth of its further tokens it brings.

    A deeper form is compared with a direct one by what it adds. The price of a token is what it brings in direct
    comparisons, on average over the round.

    Args:
        offers: The forms, the direct one first.
        about: What is known of the pairs.
        plenty: How many times over the budget pays for direct comparisons; 1 where tokens are not limited.
        margin: How many times its price a deeper form must be worth.

    Returns:
        Index of the offer, and the ratio of gain to price; 1 for a direct comparison. Both of shape (pairs,).
    """
    direct = offers[0]
    worth = about.matter * direct.information
    price = float(worth.sum() / direct.tokens.sum()) / max(1.0, plenty)
    chosen, gained = np.zeros(worth.size, dtype=np.int64), np.zeros(worth.size)
    ratio = np.ones(worth.size)
    is_open = (about.certainty < CERTAIN) & (price > 0.0)
    for index, offer in enumerate(offers[1:], start=1):
        tokens = offer.tokens - direct.tokens
        gain = about.matter * (offer.information - direct.information)
        surplus = rounded(gain - margin * price * tokens, SHARE_DECIMALS + 3)
        better = is_open & (surplus > gained)
        chosen[better], gained[better] = index, surplus[better]
        ratio[better] = (gain / np.maximum(price * tokens, 1e-300))[better]
    return chosen, ratio


def by_worth(state: TournamentState, pairs: Sequence[tuple[str, str]], turns: Sequence[int]) -> list[Depth]:
    """The depth of each match of a round by what it is worth.

    Args:
        state: The tournament before the round.
        pairs: Ids of the two items of each match.
        turns: Turns a side that a debate between them would have.
    """
    levels = state.settings.cascade or (1.0,)
    forms = forms_of(state.system.policy, debates=state.debates, levels=len(levels))
    if len(forms) == 1 or not pairs:
        return [Depth()] * len(pairs)
    if state.system.policy.debate_rule == "always":
        return _always(state, forms, turns)
    if not state.has_evidence:
        return [Depth()] * len(pairs)
    out = unusable(state)
    forms = tuple(form for form in forms if form not in out)
    fit = state.plain_fit
    index = {id: number for number, id in enumerate(state.ids)}
    a, b = (np.array([index[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1))
    about = estimate(fit, a, b, top_of(state.settings.goal, len(index)))
    lengths = [len(item.text) for item in state.items]
    sharp = sharpness(state, fit, forms)
    offers = [
        PricedForm(
            form=form,
            information=information(about.difference, about.deviation, sharp[form]),
            tokens=_tokens(form, pairs, index, lengths, turns) * levels[form[1]],
        )
        for form in forms
    ]
    chosen, ratio = choose(offers, about, plenty(state, offers[0]), state.system.policy.debate_margin)
    return [
        _depth(forms[at], turns[index_of_match], about, index_of_match, float(ratio[index_of_match]))
        for index_of_match, at in enumerate(chosen.tolist())
    ]


def _always(state: TournamentState, forms: Sequence[JudgingForm], turns: Sequence[int]) -> list[Depth]:
    """Every match in the sharpest form that is allowed; of equal ones in the deepest, which is the last."""
    protocol, level = max(reversed(forms), key=lambda form: prior_sharpness(form, state.system.policy))
    is_panel = protocol is MatchProtocol.PANEL
    reason = {"by": "always", "protocol": protocol.value}
    return [
        Depth(turns=each if protocol is MatchProtocol.MULTI_TURN else 0, panel=is_panel, level=level, reason=reason)
        for each in turns
    ]


def _depth(form: JudgingForm, turns: int, about: PairEstimates, row: int, ratio: float) -> Depth:
    if form == DIRECT:
        return Depth()
    protocol, level = form
    reason = {
        "by": "worth",
        "protocol": protocol.value,
        **({"level": level} if level else {}),
        "matter": round(float(about.matter[row]), 3),
        "certainty": round(float(about.certainty[row]), 3),
        "worth": round(ratio, 2),
    }
    return Depth(
        turns=turns if protocol is MatchProtocol.MULTI_TURN else 0,
        panel=protocol is MatchProtocol.PANEL,
        level=level,
        reason=reason,
    )


def _tokens(
    form: JudgingForm,
    pairs: Sequence[tuple[str, str]],
    index: Mapping[str, int],
    lengths: Sequence[int],
    turns: Sequence[int],
) -> Floats:
    protocol, _ = form
    return np.array(
        [
            comparison_tokens(
                [lengths[index[id]] for id in pair],
                each if protocol is MatchProtocol.MULTI_TURN else 0,
                panel=protocol is MatchProtocol.PANEL,
            )
            for pair, each in zip(pairs, turns, strict=True)
        ],
        dtype=np.float64,
    )


def plenty(state: TournamentState, direct: PricedForm) -> float:
    """How many times over the token budget pays for the session's matches as direct comparisons; 1 without a limit."""
    settings, scheduling = state.settings, state.system.scheduling
    if settings.max_tokens is None:
        return 1.0
    matches = scheduling.rounds_per_session * scheduling.matches_per_round
    calls = settings.comparison_rounds * (matches if settings.budget is None else min(matches, settings.budget))
    return settings.max_tokens / (calls * float(direct.tokens.mean()))


@cache
def _quantiles() -> Floats:
    normal = NormalDist()
    return np.array([normal.inv_cdf((step + 0.5) / _GRID) for step in range(_GRID)])


def _normal(values: Floats) -> Floats:
    """The normal distribution function, by the standard library, which is the same on every processor."""
    return np.array([0.5 * math.erfc(-value / math.sqrt(2.0)) for value in values.tolist()])
