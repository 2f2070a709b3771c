"""The leaderboard with what was found out about its judges, and estimates with intervals."""

from dataclasses import asdict, dataclass, field
from typing import Any

from paragone.domain.arena import SliceReport, WinRates
from paragone.domain.displayed import Displayed, layout
from paragone.domain.gold import Direction, GoldSuggestion, PairVerdict, PriorAgreement
from paragone.domain.side_column import SideReport
from paragone.domain.spending import NOTHING, Spending

UNORDERED = "unordered"
"""Recorded comparisons that were counted, so that their order is lost and there is no running Elo."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """Something that was estimated, with its interval.

    Attributes:
        name: What; untrusted.
        value: The estimate.
        low: Lower end of its interval.
        high: Upper end.
        note: What else there is to say about it.
    """

    name: str
    value: float
    low: float
    high: float
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardRow:
    """One item on the board.

    Attributes:
        id: The item's id.
        text: Its text.
        rank: Rank by strength, from 1; items whose strengths are equal share a rank. Where there are reviews, they
            order items that the matches cannot part.
        rank_low: Best rank in the interval.
        rank_high: Worst rank in the interval.
        rating: Strength in Elo points.
        low: Lower end of the strength's interval.
        high: Upper end.
        elo: The running Elo.
        wins: Matches won.
        losses: Matches lost.
        ties: Matches drawn.
        matches: Matches that counted.
    """

    id: str
    text: str = ""
    rank: int
    rank_low: int
    rank_high: int
    rating: float
    low: float
    high: float
    elo: float
    wins: int
    losses: int
    ties: int
    matches: int


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeReport:
    """What the fit says about one judge.

    Attributes:
        judge: Its identity.
        comparisons: Answers that entered the fit.
        first_share: Share of its decided answers that went to the item shown first.
        tie_rate: Share of its answers that were ties.
        position_bias: Log-odds in favour of the item shown first, in nats; None where it cannot be told.
        position_low: Lower end of its interval.
        position_high: Upper end.
        slope: How sharply it tells items apart: what it multiplies differences in strength by, the product over all
            judges being 1; below 0 for a judge that is turned round. None where there is one judge alone.
        slope_low: Lower end of its interval.
        slope_high: Upper end.
        direction: ``right``; ``inverted`` for a judge whose answers are turned round; or ``unclear``. None where
            nothing suggests that any judge answers the wrong way round.
        gold_pairs: Gold pairs that it decided; None where there are none.
        gold_right: How many of these as they are known.
        abstentions: Answers that declined to say. This and all below is None on boards: it takes a look at every call,
            and a fit without each judge.
        failures: Calls that brought no answer.
        debates: Debates that it decided.
        cost: Money in US dollars; None where the price of an answer is not known.
        cost_per_decided: The same for each answer that is neither a tie nor an abstention.
        agreement: Share of its decided answers for the side that the other judges prefer; None where there is no other.
        agreement_low: Lower end of its 95 % interval.
        agreement_high: Upper end.
        information: What one call about two equals adds to what is known of their difference, per squared nat; 0.25
            for a judge of slope 1 without ties, bias and failures.
        information_per_dollar: The same for a dollar; None where the price is not known, or there is none.
    """

    judge: str
    comparisons: int
    first_share: float | None
    tie_rate: float
    position_bias: float | None
    position_low: float | None
    position_high: float | None
    slope: float | None = None
    slope_low: float | None = None
    slope_high: float | None = None
    direction: str | None = None
    gold_pairs: int | None = None
    gold_right: int | None = None
    abstentions: int | None = None
    failures: int | None = None
    debates: int | None = None
    cost: float | None = None
    cost_per_decided: float | None = None
    agreement: float | None = None
    agreement_low: float | None = None
    agreement_high: float | None = None
    information: float | None = None
    information_per_dollar: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ListReport:
    """What the fit says about a judge's lists of one length.

    Attributes:
        judge: Its identity.
        size: Items in a list.
        lists: Lists that entered the fit.
        first_share: Share of them with the item shown first on top; 1 / size where the place does not matter.
        noise: How many times noisier it is than a pair; None where no pairs were asked.
        noise_low: Lower end of its interval.
        noise_high: Upper end.
        places: What an item gains by each place in the list, in nats, the first place first, of mean 0; it is taken
            out of the strengths. Empty where it cannot be told.
        place_error: Standard error of these, the largest; None where there are none.
    """

    judge: str
    size: int
    lists: int
    first_share: float
    noise: float | None
    noise_low: float | None
    noise_high: float | None
    places: tuple[float, ...] = ()
    place_error: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ListDecision:
    """How many items are put to the judge in one call, and what that rests on.

    Attributes:
        size: The number; 2 are pairs.
        best_list: The length of list that tells most for what it costs; it is ``size`` unless pairs tell more. None
            where no list was answered.
        noise: How many times noisier such a list is than a pair.
        cost: What it costs, relative to a pair: in tokens where they are known, else in texts, or in calls where these
            are limited.
        gain: What it tells for what it costs, relative to a pair: above 1 it is the better buy.
    """

    size: int
    best_list: int | None = None
    noise: float = 1.0
    cost: float = 1.0
    gain: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class ListChoice(ListDecision):
    """What the pilot of a tournament chose.

    Attributes:
        words: All of it in words.
    """

    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Remark:
    """Something unusual that bears on how to read a board.

    Attributes:
        kind: ``drift``, ``ties``, ``groups``, ``extremes`` or ``skewed``.
        text: What was seen, in a sentence.
    """

    kind: str
    text: str


LITTLE_DOUBT = 0.01
"""A probability of no signal below this is not mentioned."""

CHANCE = 0.5
"""Above this probability of no signal, no forecast is shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Forecast:
    """What the posterior expects of the ranking as it would be reported now.

    Attributes:
        p_best: Probability that the item on top is the best.
        recall: Expected share of the true top k among the first k reported; k is ``top``.
        top: The k that ``recall`` speaks of.
        tau: Expected Kendall tau between the reported order and the true one.
        no_signal: Probability that there is no signal beyond chance: all items equal, and every difference luck. It is
            part of the figures above.
        tau_given_signal: The expected tau should there be signal.
    """

    p_best: float
    recall: float
    top: int
    tau: float
    no_signal: float = 0.0
    tau_given_signal: float | None = None

    @property
    def is_chance(self) -> bool:
        """Whether no signal is likelier than signal."""
        return self.no_signal > CHANCE

    @property
    def signal_in_words(self) -> str:
        """What is to be said of the signal before any forecast; empty where there is no doubt worth a word."""
        if self.tau_given_signal is None or self.no_signal < LITTLE_DOUBT:
            return ""
        if_any = f"if there is signal, expected agreement {self.tau_given_signal:.2f}"
        if self.is_chance:
            return f"no signal beyond chance (probability {self.no_signal:.0%}); {if_any}"
        return f"{self.no_signal:.0%} that there is none beyond chance; {if_any}"


@dataclass(frozen=True, kw_only=True, slots=True)
class TableRow:
    """One line of a Swiss tournament's own table, ranked by wins.

    Attributes:
        id: The item's id.
        rank: Rank by wins, from 1; equal wins share a rank.
        wins: Matches won.
        losses: Losses that count towards elimination.
    """

    id: str
    rank: int
    wins: int
    losses: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BootstrapRow:
    """Bootstrap intervals of one item.

    Attributes:
        id: The item's id.
        low: Lower end of the strength's interval, in Elo points.
        high: Upper end.
        rank_low: Best rank in the interval.
        rank_high: Worst rank.
    """

    id: str
    low: float
    high: float
    rank_low: int
    rank_high: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Bootstrap:
    """How ratings and ranks would vary, had other matches of the same kind been played.

    Attributes:
        replicates: How often matches were drawn anew, with replacement, and fitted.
        seed: Seeds the draws.
        items: Percentile intervals at the board's level, in the order of its rows.
    """

    replicates: int
    seed: int
    items: tuple[BootstrapRow, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Board(Displayed):
    """A ranking with its uncertainty, its cost, and what made it.

    Attributes:
        items: Rows, best first.
        spending: What it took: decisions, requests, tokens, dollars.
        abstentions: Answers that declined to say.
        position_bias: Log-odds in favour of the item shown first, in nats, for the judge with the most answers; None
            where it cannot be told.
        judges: What was found out about each judge.
        lists: What was found out about judges that ordered several items in a call.
        list_choice: What a pilot chose; None without one, or before it is over.
        forecast: How good this ranking is expected to be; None before there is any evidence.
        outlook: What the forecast would come to, roughly, with as many answers again; None where more cannot be asked.
        identified: Whether the evidence ties all items together and fixes the scale; where false, ratings and their
            intervals lean on the prior.
        level: Probability that intervals are meant to hold.
        stopped: Why it stopped, in words; empty while it runs.
        tournament: Id of the tournament; empty for a fit of recorded comparisons.
        seed: The seed.
        method: Name and parameters of the fit.
        table: The table by wins; empty unless the pairing was Swiss.
        notes: How recorded votes were read, in sentences.
        pairing: How the comparisons were chosen; empty for a fit of recorded ones, or ``UNORDERED``.
        bootstrap: Bootstrap intervals beside those of the posterior; None unless they were asked for.
        direction: Whether the board can be told from its mirror image; None where nothing suggests otherwise.
        pairs: The verdict on each pair that was asked or is known, where there are gold pairs.
        remarks: What is unusual about the answers or the strengths, and bears on how to read the board.
        prior: How the ratings that were given as a prior go with the votes; None without a prior.
        suggestions: Pairs whose true answer would teach most, the first of them most; empty unless they were asked for.
        side: What columns of the items have done, and the board without them; None where there are none.
        slices: Boards by slice of the votes; None unless they were asked for.
        win_rates: How often each item beat each other; None unless that was asked for.
    """

    items: tuple[BoardRow, ...]
    spending: Spending = NOTHING
    abstentions: int = 0
    position_bias: float | None = None
    judges: tuple[JudgeReport, ...] = ()
    lists: tuple[ListReport, ...] = ()
    list_choice: ListChoice | None = None
    forecast: Forecast | None = None
    outlook: Forecast | None = None
    identified: bool = True
    level: float = 0.95
    stopped: str = ""
    tournament: str = ""
    seed: int | None = None
    method: dict[str, Any] = field(default_factory=dict)
    table: tuple[TableRow, ...] = ()
    notes: tuple[str, ...] = ()
    pairing: str = ""
    bootstrap: Bootstrap | None = None
    direction: Direction | None = None
    pairs: tuple[PairVerdict, ...] = ()
    suggestions: tuple[GoldSuggestion, ...] = ()
    side: SideReport | None = None
    slices: SliceReport | None = None
    win_rates: WinRates | None = None
    remarks: tuple[Remark, ...] = ()
    prior: PriorAgreement | None = None

    @classmethod
    def from_frame(cls, source: object, *, level: float = 0.95) -> "Board":
        """A board from a table of its rows: a data frame, such as ``to_pandas`` made, a list of mappings or a file.

        Args:
            source: It has columns ``id`` and ``rating``, and perhaps others of ``BoardRow``. Ranks are by rating where
                there are none, and intervals are points where there are none.
            level: Probability that the intervals are meant to hold.

        Raises:
            UsageError: If a column is missing, an id comes twice, or a cell cannot be what it is.
        """
        return layout().board_of_frame(source, level=level)  # type: ignore[no-any-return]

    @property
    def is_elo_telling(self) -> bool:
        """Whether the running Elo belongs beside the strength.

        Not where pairs were chosen to be near-even: the running Elo then hardly moves items apart, and agrees with the
        truth by a tau of .61 where the strength has .90. Nor where nobody knows the order of play.
        """
        return self.pairing not in ("informative", UNORDERED)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, id: str) -> BoardRow:
        """The row of an item.

        Raises:
            KeyError: If no item has that id.
        """
        for row in self.items:
            if row.id == id:
                return row
        raise KeyError(id)

    def __str__(self) -> str:
        lines = [f"{'rank':>9}  {'rating':>6}  {'interval':>12}  {'W-L-T':>8}  item"]
        for row in self.items:
            ranks = f"{row.rank} ({row.rank_low}-{row.rank_high})"
            record = f"{row.wins}-{row.losses}-{row.ties}"
            interval = f"{row.low:.0f} to {row.high:.0f}"
            name = row.id if row.id == row.text else f"{row.id}  {' '.join(row.text.split())}"
            lines.append(f"{ranks:>9}  {row.rating:6.0f}  {interval:>12}  {record:>8}  {name[:60]}")
        if self.stopped:
            lines += ["", f"stopped: {self.stopped}"]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The board as plain values, ready for JSON."""
        spending = self.spending.as_dict()
        del spending["seconds"]  # of the same seed everything else is the same
        return {**asdict(self), "spending": spending}
