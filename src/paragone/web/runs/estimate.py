"""What a run would take, told before anything is spent; and why some tournaments cannot be run from here."""

import asyncio
import hashlib
import json
import math
from dataclasses import dataclass

from paragone.errors import InvalidConfig
from paragone.judges.base import Judge
from paragone.ledger import Ledger
from paragone.tournaments.planning.estimate import Estimate, estimate
from paragone.tournaments.running.participants import (
    Participants,
    as_advocate,
    as_judge,
    check_judge_knows,
    check_lists,
    check_price,
)
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import OBJECT_PREFIX, TournamentSettings
from paragone.web.judge_identities import PEOPLE
from paragone.wire.live import RunLimits

_PERSON = "human"


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """What a run would take.

    Attributes:
        state: The tournament with the limits that the run would have; no part of the ledger yet.
        estimate: What it takes at the most.
        confirm: What whoever begins the run has to say, so that it takes what they were told.
    """

    state: State
    estimate: Estimate
    confirm: str


def quote(ledger: Ledger, pool: str, changes: RunLimits) -> Quote:
    """What a run of a tournament would take, by the judge of its own brief.

    Args:
        ledger: Where it is kept.
        pool: The tournament.
        changes: Its limits from now on, where they are to be others.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it cannot be run from here, or a limit cannot be.
        UsageError: If its judge cannot be opened.
    """
    state = State.load(ledger, pool)
    for name, value in changes.items():
        if not math.isfinite(float(str(value))):
            raise InvalidConfig(f"{name} is a finite number", key=name)
    state.settings = state.settings.extended(changes)
    why = cannot_run(pool, state.settings)
    if why:
        raise InvalidConfig(why)
    judge = as_judge(state.settings.judge, state.settings)
    participants = Participants(judge=judge)
    try:
        if judge.card.interactive:
            raise InvalidConfig(_at_a_terminal(pool, state.settings))
        participants = Participants(judge=judge, advocate=as_advocate(None, judge, state.settings))
        estimate = _estimate(ledger, state, judge, participants)
    finally:
        asyncio.run(participants.close())
    return Quote(state=state, estimate=estimate, confirm=_mark(pool, changes, estimate))


def cannot_run(pool: str, brief: TournamentSettings) -> str:
    """Why a tournament cannot be run by a server, and what to do, as far as its brief says so; empty where it can."""
    command = _command(pool, brief)
    if brief.judge == PEOPLE:
        return "people judge this one: its pairs are on its page Vote, and nothing has to be started"
    if brief.judge.startswith(OBJECT_PREFIX):
        who = brief.judge.removeprefix(OBJECT_PREFIX)
        return f"its judge, {who}, was given by a program: run it from that program, or with {command} --judge SPEC"
    if brief.advocate is not None and brief.advocate.startswith(OBJECT_PREFIX):
        who = brief.advocate.removeprefix(OBJECT_PREFIX)
        return (
            f"its advocate, {who}, was given by a program: run it from that program, or with {command} --advocate SPEC"
        )
    members = brief.judge.removeprefix("panel:").split("+")
    if any(member.strip() == _PERSON for member in members):
        return _at_a_terminal(pool, brief)
    return ""


def _at_a_terminal(pool: str, brief: TournamentSettings) -> str:
    return f"its judge asks a person at a terminal: run it there, with {_command(pool, brief)}"


def _command(pool: str, brief: TournamentSettings) -> str:
    return f"`paragone {'resume' if brief.system is None else 'tournament run'} {pool}`"


def _estimate(ledger: Ledger, state: State, judge: Judge, participants: Participants) -> Estimate:
    check_lists(state.settings, judge)
    check_judge_knows(judge, state.items)
    check_price(state.settings, participants, state.items)
    return estimate(state, judge, ledger.tournaments.spending(state.id), participants.advocate)


def _mark(pool: str, changes: RunLimits, estimate: Estimate) -> str:
    """The same for the same run at the same price only."""
    payload = json.dumps([pool, sorted(changes.items()), estimate.judge, estimate.sentence()])
    return hashlib.sha256(payload.encode()).hexdigest()[:24]
