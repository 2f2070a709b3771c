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
    Voices,
    as_advocate,
    as_judge,
    check_known,
    check_lists,
    check_price,
)
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import GIVEN, Brief, Extension
from paragone.web.judge_identities import PEOPLE

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


def quote(ledger: Ledger, pool: str, changes: Extension) -> Quote:
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
    state.brief = state.brief.extended(changes)
    why = cannot_run(pool, state.brief)
    if why:
        raise InvalidConfig(why)
    judge = as_judge(state.brief.judge, state.brief)
    voices = Voices(judge=judge)
    try:
        if judge.card.interactive:
            raise InvalidConfig(_at_a_terminal(pool, state.brief))
        voices = Voices(judge=judge, advocate=as_advocate(None, judge, state.brief))
        estimate = _estimate(ledger, state, judge, voices)
    finally:
        asyncio.run(voices.close())
    return Quote(state=state, estimate=estimate, confirm=_mark(pool, changes, estimate))


def cannot_run(pool: str, brief: Brief) -> str:
    """Why a tournament cannot be run by a server, and what to do, as far as its brief says so; empty where it can."""
    command = _command(pool, brief)
    if brief.judge == PEOPLE:
        return "people judge this one: its pairs are on its page Vote, and nothing has to be started"
    if brief.judge.startswith(GIVEN):
        who = brief.judge.removeprefix(GIVEN)
        return f"its judge, {who}, was given by a program: run it from that program, or with {command} --judge SPEC"
    if brief.advocate is not None and brief.advocate.startswith(GIVEN):
        who = brief.advocate.removeprefix(GIVEN)
        return (
            f"its advocate, {who}, was given by a program: run it from that program, or with {command} --advocate SPEC"
        )
    members = brief.judge.removeprefix("panel:").split("+")
    if any(member.strip() == _PERSON for member in members):
        return _at_a_terminal(pool, brief)
    return ""


def _at_a_terminal(pool: str, brief: Brief) -> str:
    return f"its judge asks a person at a terminal: run it there, with {_command(pool, brief)}"


def _command(pool: str, brief: Brief) -> str:
    return f"`paragone {'resume' if brief.system is None else 'tournament run'} {pool}`"


def _estimate(ledger: Ledger, state: State, judge: Judge, voices: Voices) -> Estimate:
    check_lists(state.brief, judge)
    check_known(judge, state.items)
    check_price(state.brief, voices, state.items)
    return estimate(state, judge, ledger.tournaments.spending(state.id), voices.advocate)


def _mark(pool: str, changes: Extension, estimate: Estimate) -> str:
    """The same for the same run at the same price only."""
    payload = json.dumps([pool, sorted(changes.items()), estimate.judge, estimate.sentence()])
    return hashlib.sha256(payload.encode()).hexdigest()[:24]
