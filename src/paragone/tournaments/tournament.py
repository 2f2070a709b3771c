"""``Tournament``: create, run, inspect and correct a tournament; ``ranking.py`` beside it does it in one call."""

import os
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self, Unpack

from paragone.closing import Closing
from paragone.domain import Board, Item, RatingChange, RatingConfig, Review
from paragone.domain.voting_rules import VotingRules
from paragone.errors import LedgerError, Unwritable
from paragone.intake.item_values import as_reviews
from paragone.judges.base import Judge
from paragone.judges.call_options import CallOptions
from paragone.judges.debates.debate import Advocate
from paragone.ledger import Ledger, without_password
from paragone.tournaments.agreement import people_agreement, set_voting_rules, voting_rules
from paragone.tournaments.blocking import synchronously
from paragone.tournaments.dossiers import add_reviews, direct, directives, inform, present_dossier, withdraw
from paragone.tournaments.draft import drafted
from paragone.tournaments.results.tournament_board import WhatIf, board_if, board_of, with_bootstrap
from paragone.tournaments.running.control import Gate, Observer, Stop, unobserved
from paragone.tournaments.running.exclusive import exclusive_runner
from paragone.tournaments.running.participants import (
    AnyAdvocate,
    AnyJudge,
    Participants,
    as_advocate,
    as_judge,
    check_judge_knows,
    check_lists,
)
from paragone.tournaments.running.runner import Runner
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.history import RETIRED, RETURNED
from paragone.tournaments.state.similarities import Proximity
from paragone.tournaments.texts import add_image, show_texts_as
from paragone.tournaments.tournament_settings import TournamentOptions
from paragone.wire.agreement import PeopleAgreement
from paragone.wire.audit import Audit
from paragone.wire.dossier import Directive
from paragone.wire.item import ReadAs, TextSettings
from paragone.wire.live import RunLimits
from paragone.wire.task import IncompleteItem

if TYPE_CHECKING:
    from paragone.intake.dossiers import DossierParts
    from paragone.tournaments.proximity import ProximityProvider
    from paragone.tournaments.results.inspection import Inspection, Record
    from paragone.tournaments.side_information import Names
    from paragone.wire.standing import Standing

IN_MEMORY = "sqlite://"
"""A ledger that lives as long as the process."""


class Tournament(Closing):
    """One tournament in a ledger: run, inspect and correct it.

    Attributes:
        db: File or URL of its ledger, without its password.
        ledger: The ledger that stores it.
        state: Its current state.
        gate: Close it to stop a run: ``tournament.gate.close("enough")``. Each run gets a new one.
        stop: Why the last run of this object ended; None before the first.
        similarity: The source of similarity, as in its settings; may be replaced before a run.
    """

    def __init__(
        self,
        ledger: Ledger,
        state: TournamentState,
        judge: Judge | None = None,
        advocate: Advocate | None = None,
        *,
        db: str = IN_MEMORY,
    ) -> None:
        self.db = without_password(db)
        self.ledger = ledger
        self.state = state
        self.judge = judge
        self.advocate = advocate
        self.gate = Gate()
        self.stop: Stop | None = None
        self.similarity = state.settings.similarity

    @classmethod
    def create(
        cls,
        items: object,
        *,
        judge: AnyJudge,
        criteria: str,
        db: str | os.PathLike[str] = IN_MEMORY,
        name: str = "tournament",
        config: RatingConfig | None = None,
        advocate: AnyAdvocate | None = None,
        reviews: object = None,
        attributes: object = None,
        evidence: object = None,
        proximity: Proximity | None = None,
        use: "Names" = None,
        adjust_for: "Names" = None,
        columns: object = None,
        **options: Unpack[TournamentOptions],
    ) -> Self:
        """Create a tournament and record its items and settings in the ledger.

        Args:
            items: A list of texts or of mappings with ``id`` and ``text``, a mapping from id to text, a data frame, a
                file, a folder, or ``Item`` values. With the weighted pairing, those whose text is empty or seems cut
                off do not join but wait for ``amend``; see ``incomplete``.
            judge: A judge spec such as ``"local"``, a judge, or a function.
            criteria: What "better" means, in words.
            db: File or URL of the ledger; in memory by default.
            name: The id becomes this and a number.
            config: How the running Elo moves; by default the parameters of the weighted pairing, where it is used.
            advocate: Argues in the debates of the weighted pairing: a spec, an advocate, or ``"none"``. By default the
                judge's own model, or none if the judge cannot judge debates.
            reviews: Reviews of the items, which seed their running Elo: a file, a data frame, or ``Review`` values. The
                text of the best review of an item is shown with it where there is a dossier.
            attributes: Attributes of the items: a table, or a mapping from id to a mapping of attributes.
            evidence: What items cite: a table with a row each, or a mapping from id to texts.
            proximity: Says which items are alike; pass it again when you resume.
            use: What is known of the items beside the answers, and may count as far as these bear it out: names of
                columns of ``items``, with commas or one by one; traits of the texts (``length``, ..., or all:
                ``traits``); ``embeddings``; ``reviews``; or ``none``.
            adjust_for: What must not count, such as ``length``: its effect is taken out of the ratings.
            columns: Where the columns stand, if not with the items: a file, a data frame or a list of mappings; or a
                ``SideInformation``.
            options: See ``TournamentOptions``: pairing, budget, goal, rubric, top, winner, confidence, seed, ...

        Raises:
            UsageError: Naming what is wrong with the items, the judge or a parameter.
            LedgerError: If the ledger cannot be opened or written.
        """
        draft = drafted(
            items,
            judge=judge,
            criteria=criteria,
            config=config,
            advocate=advocate,
            reviews=reviews,
            attributes=attributes,
            evidence=evidence,
            use=use,
            adjust_for=adjust_for,
            columns=columns,
            **options,
        )
        ledger = Ledger.open(db)
        state = draft.begin(ledger, name)
        state.proximity = proximity
        return cls(ledger, state, draft.participants.judge, draft.participants.advocate, db=str(db))

    @classmethod
    def open(
        cls,
        db: str | os.PathLike[str],
        tournament: str | None = None,
        *,
        judge: AnyJudge | None = None,
        advocate: AnyAdvocate | None = None,
        proximity: Proximity | None = None,
    ) -> Self:
        """Open a tournament of a ledger, by default the newest.

        Raises:
            NotFound: If there is no such tournament.
            LedgerError: If the ledger cannot be opened.
        """
        ledger = Ledger.open(db, create=False)
        state = TournamentState.load(ledger, tournament)
        state.proximity = proximity
        opened_judge = None if judge is None else as_judge(judge, state.settings)
        if opened_judge is not None:
            check_judge_knows(opened_judge, state.items)
        opened_advocate = None
        if advocate is not None:
            opened_advocate = as_advocate(
                advocate, opened_judge or as_judge(state.settings.judge, state.settings), state.settings
            )
        return cls(ledger, state, opened_judge, opened_advocate, db=str(db))

    def extend(self, **changes: Unpack[RunLimits]) -> None:
        """Change the budget, max_cost, max_tokens or confidence before the next run."""
        self.state.extend(self.ledger, changes)

    def add(self, items: object) -> tuple[Item, ...]:
        """Add items, also while the tournament runs, and return the new ones; see ``newcomers.add_items``.

        Raises:
            UsageError: If they are invalid, or the judge lacks data on one.
            Conflict: If an item is there with another text.
        """
        from paragone.tournaments.newcomers import add_items

        return add_items(self.ledger, self.state, items, self.judge)

    def open_advocate(self) -> Advocate | None:
        """The advocate, opened from its spec if necessary; None if there are no debates.

        Raises:
            UsageError: If it cannot be opened.
        """
        if self.advocate is None:
            self.advocate = as_advocate(None, self.open_judge(), self.state.settings)
        return self.advocate

    def open_judge(self) -> Judge:
        """The judge, opened from its spec if necessary.

        Raises:
            UsageError: If it cannot be opened.
        """
        if self.judge is None:
            self.judge = as_judge(self.state.settings.judge, self.state.settings)
        return self.judge

    def open_similarity(self) -> "ProximityProvider | None":
        """The source of similarity; None if there is none.

        Raises:
            UsageError: If it cannot be opened.
        """
        if self.similarity is None:
            return None
        from paragone.tournaments.proximity import open_similarity  # reads files and embeds texts

        return open_similarity(self.similarity, self.ledger.file)

    @asynccontextmanager
    async def playing(
        self, observer: Observer = unobserved, pace: CallOptions | None = None, *, relate: bool = True
    ) -> AsyncIterator[Runner]:
        """Hold the only runner of the tournament; ``gate`` stops it and is replaced afterwards.

        Args:
            observer: Called after every verdict and every round.
            pace: How judge calls are made.
            relate: Whether to build the similarity graph from the settings; False if the caller provides one.

        Raises:
            Busy: If somebody else is running it.
            UsageError: If its judge or its advocate cannot be opened.
        """
        settings = self.state.settings
        judge = self.judge or as_judge(settings.judge, settings)
        check_lists(settings, judge)
        participants = Participants(judge=judge, advocate=as_advocate(self.advocate, judge, settings))
        provider = self.open_similarity() if relate and self.state.proximity is None else None
        if provider is not None:
            self.state.proximity = await provider.graph(self.state.items)
        try:
            running = exclusive_runner(
                self.ledger, self.state, participants, gate=self.gate, pace=pace or CallOptions(), observer=observer
            )
            async with running as runner:
                yield runner
            self.stop = runner.stop
        finally:
            self.gate = Gate()

    async def arun(self, observer: Observer = unobserved, pace: CallOptions | None = None) -> Board:
        """Play until there is a reason to stop; ``stop`` says which.

        Raises:
            Busy: If somebody else is running it.
            UsageError: If its judge cannot be opened.
            Unwritable: If the ledger was away for longer than ``CallOptions.patience``; the message says where
                answers are spooled.
        """
        async with self.playing(observer, pace) as runner:
            await runner.run()
        try:
            return self.board()
        except LedgerError as error:
            if self.stop is None or not self.stop.failed:
                raise
            raise Unwritable(self.stop.reason) from error  # the reason says where answers are spooled

    def run(self, observer: Observer = unobserved, pace: CallOptions | None = None) -> Board:
        """Blocking version of ``arun``."""
        return synchronously(self.arun(observer, pace))

    def board(self, *, by_elo: bool = False, bootstrap: int = 0, on: str | None = None, suggest_gold: int = 0) -> Board:
        """The current board.

        Args:
            by_elo: Rank by the running Elo instead of the strength.
            bootstrap: How many times matches are drawn anew for bootstrap intervals; 0 for none.
            on: Where these are fitted: ``local`` on all processors, ``tcp://...`` by a Dask cluster.
            suggest_gold: How many pairs to suggest whose true answer would teach most.
        """
        board, state = board_of(self.ledger, self.state, by_elo=by_elo, suggest_gold=suggest_gold), self.state
        return with_bootstrap(board, state.posterior, state.comparison_table, bootstrap, on=on)

    def whatif(self, suppose: WhatIf, *, by_elo: bool = False) -> Board:
        """The board under a hypothetical change; nothing is recorded."""
        return board_if(self.ledger, self.state, suppose, by_elo=by_elo)

    def why(self, item: str) -> "Standing":
        """Why an item is where it is: the matches that carry it, upsets, opponents, what one more result would change.

        Raises:
            NotFound: If there is no such item.
        """
        from paragone.tournaments.results.standing import standing_of  # loads the checks of quality

        return standing_of(self.state, item)

    def inspect(self, id: str) -> "Inspection":
        """Inspect an item with its matches and rating changes, or a match with its verdicts.

        Raises:
            NotFound: If nothing has that id.
        """
        from paragone.tournaments.results.inspection import inspect

        return inspect(self.ledger, self.state, id)

    def records(self, what: str) -> "list[Record]":
        """All ``matches``, ``verdicts``, ``failures``, ``changes`` or ``items`` as plain values, in order of record."""
        from paragone.tournaments.results.inspection import records

        return records(self.ledger, self.state, what)

    def rollback(self, match: str, reason: str) -> tuple[RatingChange, ...]:
        """Void a match and append the changes that undo it.

        Raises:
            NotFound: If there is no such match.
        """
        changes = self.ledger.matches.rollback(self.state.id, match, reason)
        self.state = TournamentState.load(self.ledger, self.state.id)
        return changes

    def direct(self, text: str, by: str = "") -> Directive:
        """Have judges heed something, such as "prefer what can be tested within a year", from the next match on.

        It holds for all matches that are planned after it is on record, also while the tournament runs.

        Args:
            text: The words.
            by: Who says so.

        Raises:
            InvalidConfig: If it says nothing, or too much.
        """
        return direct(self.ledger, self.state.id, text, by)

    def withdraw(self, directive: int, by: str = "") -> Directive:
        """Take a directive back, by its number, from the next planned match on.

        Raises:
            NotFound: If there is no such directive.
        """
        return withdraw(self.ledger, self.state.id, directive, by)

    @property
    def directives(self) -> tuple[Directive, ...]:
        """The directives on record, those included that were withdrawn."""
        return directives(self.ledger, self.state.id)

    @property
    def voting_rules(self) -> VotingRules:
        """How people vote: overlap, guidelines and known pairs."""
        return voting_rules(self.ledger, self.state.id)

    def set_voting_rules(self, rules: VotingRules, by: str = "") -> VotingRules:
        """Change how people vote, from the next pair on.

        Args:
            rules: The rules.
            by: Who says so.

        Raises:
            NotFound: If an item of a known pair is not there.
        """
        return set_voting_rules(self.ledger, self.state.id, rules, by)

    def people_agreement(self, *, level: float = 0.95, seed: int = 0) -> PeopleAgreement:
        """How far the people who voted agree: Krippendorff's alpha, and each person against the others.

        Args:
            level: Probability of the intervals.
            seed: Of the bootstrap, which draws pairs.
        """
        return people_agreement(self.ledger, self.state.id, level=level, seed=seed)

    @property
    def dossier(self) -> dict[str, Any]:
        """What judges of matches that are planned from now on see beside the texts; see ``wire.Dossier``."""
        return present_dossier(self.ledger, self.state.id)

    def inform(
        self,
        *,
        attributes: object = None,
        evidence: object = None,
        reviews: object = None,
        **changes: "Unpack[DossierParts]",
    ) -> None:
        """Change what judges see beside the texts, from the next planned match on.

        Args:
            attributes: Attributes of items, as for ``create``; with their evidence they replace what was known of them.
            evidence: What items cite.
            reviews: More reviews, as for ``add_reviews``.
            changes: A new goal, preferences, constraints, rubric or length; insights are added to those there are.

        Raises:
            UsageError: Naming what is wrong.
        """
        from paragone.intake.dossiers import as_item_notes, as_rubric

        ids = set(self.state.ids)
        notes = as_item_notes(attributes, evidence, ids=ids)
        more = () if reviews is None else as_reviews(reviews, item_ids=ids)
        changed = {name: value for name, value in changes.items() if value is not None}
        values = {name: as_rubric(value) if name == "rubric" else value for name, value in changed.items()}
        inform(self.ledger, self.state.id, values, notes, more)

    def retire(self, items: Sequence[str], reason: str) -> None:
        """Retire items: no new match is planned with them, and their open matches wait.

        Raises:
            NotFound: If one is not in the tournament.
        """
        self._record_event(RETIRED, items, reason)

    def readmit(self, items: Sequence[str], reason: str = "") -> None:
        """Make retired items available again; one that rests after losses plays again.

        Raises:
            NotFound: If one is not in the tournament.
        """
        self._record_event(RETURNED, items, reason)

    def incomplete(self) -> tuple[IncompleteItem, ...]:
        """The hypotheses that wait for their texts, with what they lack and a provisional rating."""
        self.state.refresh(self.ledger)
        from paragone.tournaments.incomplete_hypotheses import waiting

        return waiting(self.state)

    def amend(self, item: str, text: str) -> None:
        """Complete a hypothesis: it joins, also while the tournament runs. The same text again changes nothing.

        Raises:
            NotFound: If there is no such hypothesis.
            Conflict: If it is complete already, with another text.
            InvalidItems: If the text is none.
        """
        from paragone.tournaments.incomplete_hypotheses import amend

        amend(self.ledger, self.state, item, text)

    def add_reviews(self, reviews: object) -> tuple[Review, ...]:
        """Add reviews of items, also while the tournament runs; an item that rests after losses plays again.

        Reviews that are there change nothing. They seed no rating: the item has its matches.

        Args:
            reviews: A file, a data frame, or ``Review`` values.

        Returns:
            The new ones.

        Raises:
            InvalidItems: If one is of an unknown item.
        """
        self.state.refresh(self.ledger)
        fresh = add_reviews(self.ledger, self.state.id, as_reviews(reviews, item_ids=set(self.state.ids)))
        self.state.refresh(self.ledger)
        return fresh

    def show_texts_as(self, read_as: ReadAs, by: str = "") -> TextSettings:
        """Have pages show texts as ``markdown``, or as they are (``plain``), on record; judges see them as they are."""
        return show_texts_as(self.ledger, self.state.id, read_as, by)

    def add_image(self, name: str, content: bytes, by: str = "") -> bool:
        """Keep an image that texts may show by its name; see ``tournaments.texts.add_image``."""
        return add_image(self.ledger, self.state.id, name, content, by)

    def _record_event(self, kind: str, items: Sequence[str], reason: str) -> None:
        self.state.refresh(self.ledger)
        self.state.require(items)
        self.ledger.tournaments.add_event(self.state.id, kind, {"items": list(items), "reason": reason})
        self.state.refresh(self.ledger)

    def audit(self, *, expect: Collection[str] = ()) -> Audit:
        """Recompute the hash chain and every rating and compare them; see ``Ledger.audit``."""
        return self.ledger.audit(self.state.id, expect=expect)

    def close(self) -> None:
        """Close the ledger."""
        self.ledger.close()
