"""Any evidence about agents can be voided by its id; then everything is as if it had never been recorded."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paragone.domain import (
    Adjustment,
    AdjustmentKind,
    Critique,
    Dealings,
    DomainPrediction,
    EvidenceKind,
    ItemKind,
    Match,
    Prediction,
    RatingConfig,
    RedTeamResult,
    Relation,
    Resolution,
    Scorecard,
    VerificationResult,
)
from paragone.errors import Conflict, NotFound
from paragone.ledger import Ledger

NUMBERS = itertools.count()
AGENTS = ("claude", "gpt", "gemini")


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def ledger(request, tmp_path_factory):
    """A ledger for all tests, of which each has a pool of its own."""
    server = request.param == "postgresql"
    url = request.getfixturevalue("lent_url")() if server else tmp_path_factory.mktemp("voids") / "voids.db"
    with Ledger.open(url, durable=False) as ledger:
        yield ledger


@pytest.fixture
def pool(ledger):
    """A pool in which three agents are registered."""
    return begun(ledger)


def begun(ledger):
    id = f"agents {next(NUMBERS)}"
    ledger.pools.create(id, RatingConfig(initial=1500.0, k=32.0), kind=ItemKind.AGENT)
    for agent in AGENTS:
        ledger.agents.register(id, agent)
    return id


def debate(id="d", scores=(1.0, 0.5), domain="law"):
    return Match.scored(id, Scorecard(participants=("claude", "gpt"), scores=scores, domain=domain))


def red_team(id="r", agent="claude", session="", domain="law"):
    return RedTeamResult(
        id=id, item=agent, robustness=0.25, successful=3, total=9, critical=1, session=session, domain=domain
    )


def verification(id="v", agent="gpt"):
    return VerificationResult(id=id, item=agent, verified=3, disproven=1, domain="law")


def prediction(winner="gpt", confidence=0.75, predictor="claude", tournament="cup"):
    return Prediction(tournament=tournament, predictor=predictor, winner=winner, confidence=confidence)


def in_domain(id="p", confidence=0.7, correct=True):
    return DomainPrediction(id=id, agent="claude", domain="law", confidence=confidence, correct=correct)


def relation(id="rel", **counts):
    return Relation(id=id, a="claude", b="gpt", dealings=Dealings(**(counts or {"debates": 2, "agreements": 1})))


RECORD = {
    EvidenceKind.DEBATE: lambda ledger, pool: ledger.agents.record_matches(pool, [debate()]),
    EvidenceKind.PREDICTION: lambda ledger, pool: ledger.agents.record_prediction(pool, prediction()),
    EvidenceKind.RESOLUTION: lambda ledger, pool: ledger.agents.resolve(
        pool, Resolution(tournament="cup", winner="gpt")
    ),
    EvidenceKind.DOMAIN_PREDICTION: lambda ledger, pool: ledger.agents.record_domain_predictions(pool, [in_domain()]),
    EvidenceKind.CRITIQUE: lambda ledger, pool: ledger.agents.record_critiques(
        pool, [Critique(agent="gpt", accepted=True)]
    ),
    EvidenceKind.RELATION: lambda ledger, pool: ledger.agents.record_relations(pool, [relation()]),
    EvidenceKind.RED_TEAM: lambda ledger, pool: ledger.agents.record_test(pool, red_team()),
    EvidenceKind.VERIFICATION: lambda ledger, pool: ledger.agents.record_test(pool, verification()),
    EvidenceKind.REGISTRATION: lambda ledger, pool: ledger.agents.register(pool, "gpt", "gpt-5"),
    EvidenceKind.ADJUSTMENT: lambda ledger, pool: ledger.agents.adjust(pool, [revision()]),
}


def revision(id="v2", agent="gpt"):
    return Adjustment(id=id, item=agent, kind=AdjustmentKind.REVISION, target=1500.0, share=0.0)


def state(ledger, pool):
    """All that follows from the evidence that counts, whatever the record of it looks like; and that is sound."""
    report = ledger.audit(pool)
    assert report.ok, report.differences
    return what_counts(ledger, pool)


def what_counts(ledger, pool):
    """The same without an audit."""
    return {
        "agents": {each.rating.item: each for each in ledger.agents.records(pool)},
        "relations": ledger.agents.relations(pool),
        "tests": [each.test for each in ledger.agents.tests(pool)],
        "predictions": [(each.prediction, each.brier) for each in ledger.agents.predictions(pool)],
        "in domains": [each.prediction for each in ledger.agents.domain_predictions(pool)],
        "debates": [each.match for each in ledger.agents.matches(pool) if not each.rolled_back],
        "what-if": ledger.ratings.whatif(pool, config=RatingConfig(initial=1500.0, k=8.0)).ratings,
        "versions": {agent: len(revised) for agent, revised in ledger.agents.timeline(pool).revised.items()},
        "statistics": ledger.agents.statistics(pool),
        "boards": (
            ledger.agents.board_rows(pool, count=9).standings,
            ledger.agents.board_rows(pool, count=9, domain="law").standings,
        ),
    }


def test_each_kind_is_recorded_listed_and_voided_by_its_id(ledger, share):
    """On PostgreSQL, without --deep, every third kind."""
    for kind in share(EvidenceKind, 3):
        _record_list_and_void(ledger, begun(ledger), kind)


def _record_list_and_void(ledger, pool, kind):
    if kind is EvidenceKind.RESOLUTION:
        ledger.agents.record_prediction(pool, prediction())
    before = what_counts(ledger, pool)
    RECORD[kind](ledger, pool)
    (recorded, *_) = ledger.agents.evidence(pool)
    assert (recorded.kind, recorded.void) == (kind, None)
    assert what_counts(ledger, pool) != before
    voided = ledger.agents.void(pool, recorded.id, "recorded twice")
    assert voided.new
    assert (voided.evidence.id, voided.evidence.void) == (recorded.id, "recorded twice")
    assert state(ledger, pool) == before
    rows = ledger.audit(pool).rows
    again = ledger.agents.void(pool, recorded.reference, "another reason")
    assert not again.new
    assert (again.evidence, again.changes) == (voided.evidence, voided.changes)
    assert ledger.agents.evidence(pool, kind=kind)[0].void == "recorded twice", "it stays on record"
    ledger.rebuild(pool)
    assert what_counts(ledger, pool) == before
    report = ledger.audit(pool)
    assert (report.ok, report.rows) == (True, rows), "to void it again added nothing"


def test_a_red_team_session_that_is_voided_moves_its_agent_back_and_those_who_met_it_since(ledger, pool):
    """Worked by hand: the session costs 32/2 x 3/9 + 2 = 7.33; the debate after it is replayed from equal ratings."""
    (lost, _) = ledger.agents.record_test(pool, red_team())
    assert lost.change == pytest.approx(-(16 / 3 + 2))
    ledger.agents.record_matches(pool, [debate(scores=(1.0, 0.0))])
    changes = ledger.ratings.changes(pool)
    ratings = ledger.ratings.all(pool)
    voided = ledger.agents.void(pool, "r", "the attacks were not valid")
    assert ledger.ratings.all(pool)["claude"].elo == 1516.0
    assert ledger.ratings.all(pool)["gpt"].elo == 1484.0
    assert voided.changes == {"claude": 1516.0 - ratings["claude"].elo, "gpt": 1484.0 - ratings["gpt"].elo}
    moved = ledger.ratings.changes(pool)[len(changes) :]
    assert {(change.item, change.track) for change in moved} == set(
        itertools.product(("claude", "gpt"), ("global", "law"))
    )
    last = ledger.agents.rating_history(pool, "claude", count=1)[0]
    assert (last.elo, last.cause) == (1516.0, "r")
    last = ledger.agents.rating_history(pool, "claude", track="law", count=1)[0]
    assert (last.elo, last.cause) == (ledger.agents.records(pool, ["claude"])[0].tracks[0].elo, "r")


def test_a_resolution_that_is_voided_lets_the_tournament_be_predicted_and_resolved_again(ledger, pool):
    ledger.agents.record_prediction(pool, prediction("gpt", 0.75))
    assert ledger.agents.resolve(pool, Resolution(tournament="cup", winner="gpt")) == {"claude": 0.0625}
    ledger.agents.void(pool, "cup", "the jury was wrong")
    assert ledger.agents.predictions(pool)[0].brier is None
    ledger.agents.record_prediction(pool, prediction("gemini", 0.5, predictor="gpt"))
    assert ledger.agents.resolve(pool, Resolution(tournament="cup", winner="gemini")) == {"claude": 0.5625, "gpt": 0.25}
    (claude,) = ledger.agents.records(pool, ["claude"])
    assert (claude.tally.calibration_total, claude.tally.calibration_correct) == (1, 0)
    assert claude.tally.calibration_brier_sum == 0.5625
    assert ledger.audit(pool).ok
    assert ledger.agents.void(pool, "cup", "again").new, "the tournament names the resolution that counts"
    assert not ledger.agents.void(pool, "cup", "again").new


def test_a_prediction_that_is_voided_leaves_the_one_before_it(ledger, pool):
    ledger.agents.record_prediction(pool, prediction("gpt", 0.75))
    ledger.agents.record_prediction(pool, prediction("gemini", 0.5))
    ledger.agents.resolve(pool, Resolution(tournament="cup", winner="gpt"))
    (last, *_) = ledger.agents.evidence(pool, kind=EvidenceKind.PREDICTION)
    ledger.agents.void(pool, last.id, "typed wrongly")
    (counted,) = ledger.agents.predictions(pool)
    assert (counted.prediction, counted.brier) == (prediction("gpt", 0.75), 0.0625)
    assert ledger.agents.records(pool, ["claude"])[0].tally.calibration_brier_sum == 0.0625


def test_an_id_of_several_pieces_is_refused_with_the_reference_of_each(ledger, pool):
    ledger.agents.record_test(pool, red_team("a", "claude", session="spring"))
    ledger.agents.record_test(pool, red_team("b", "gpt", session="spring"))
    ledger.agents.record_critiques(pool, [Critique(id="a", agent="gpt", accepted=True)])
    with pytest.raises(Conflict, match=r"'spring' means 2 pieces.* redteam#\d+ \(claude\), redteam#\d+ \(gpt\)"):
        ledger.agents.void(pool, "spring", "x")
    with pytest.raises(Conflict, match=r"name one of critique#\d+ \(gpt\), redteam#\d+ \(claude\)"):
        ledger.agents.void(pool, "a", "x")
    assert ledger.agents.void(pool, "a", "x", kind=EvidenceKind.CRITIQUE).evidence.kind is EvidenceKind.CRITIQUE
    reference = ledger.agents.evidence(pool, kind=EvidenceKind.RED_TEAM, agent="claude")[0].reference
    assert ledger.agents.void(pool, reference, "x").evidence.id == "a"


def test_an_unknown_id_is_refused_with_the_nearest(ledger, pool):
    ledger.agents.record_matches(pool, [debate("spring-1")])
    with pytest.raises(NotFound, match=r"has no evidence 'sprign-1'; did you mean 'spring-1'\?"):
        ledger.agents.void(pool, "sprign-1", "x")
    with pytest.raises(NotFound, match="has no evidence of kind critique 'spring-1'; there is none yet"):
        ledger.agents.void(pool, "spring-1", "x", kind=EvidenceKind.CRITIQUE)
    for nothing in ("critique#0", "critique#x", "nonsense#1", "critique#" + "9" * 30):
        with pytest.raises(NotFound):
            ledger.agents.void(pool, nothing, "x")


def test_an_id_that_was_voided_stays_taken(ledger, pool):
    """Whoever sends the same again, after a fault of the network, must not bring back what was voided."""
    before = what_counts(ledger, pool)
    for kind in (EvidenceKind.DOMAIN_PREDICTION, EvidenceKind.RELATION, EvidenceKind.RED_TEAM, EvidenceKind.DEBATE):
        RECORD[kind](ledger, pool)
        ledger.agents.void(pool, ledger.agents.evidence(pool)[0].id, "x")
        RECORD[kind](ledger, pool)
        assert what_counts(ledger, pool) == before
    assert ledger.audit(pool).ok


def test_a_winner_that_nobody_foretold_or_registered_is_refused_with_the_nearest_name(ledger, pool):
    ledger.agents.record_prediction(pool, prediction("team red", 0.75))
    with pytest.raises(NotFound, match=r"'gtp' would win tournament 'cup'.* did you mean 'gpt'\?"):
        ledger.agents.resolve(pool, Resolution(tournament="cup", winner="gtp"))
    with pytest.raises(NotFound, match=r"did you mean 'team red'\?"):
        ledger.agents.resolve(pool, Resolution(tournament="cup", winner="team rde"))
    assert ledger.agents.evidence(pool, kind=EvidenceKind.RESOLUTION) == ()
    assert ledger.agents.resolve(pool, Resolution(tournament="cup", winner="gemini")) == {"claude": 0.5625}


@st.composite
def histories(draw):
    """Evidence of all kinds in some order, each piece with another id, and which of it is voided when."""
    count = draw(st.integers(2, 9))
    kinds = [draw(st.sampled_from(list(EvidenceKind))) for _ in range(count)]
    voided = draw(st.lists(st.sampled_from(range(count)), unique=True, max_size=3))
    late = {number: draw(st.integers(number, count - 1)) for number in voided}
    return kinds, late


def play(ledger, pool, kind, number):
    """Record a piece of evidence; whether that was possible."""
    confidence = (1 + number) / 11
    a, b = (AGENTS[(number + step) % 3] for step in range(2))
    card = Scorecard(participants=(a, b), scores=(confidence, 0.5), domain="law" if number % 2 else "")
    test = {"id": f"{number}", "item": a, "domain": "law" if number % 2 else ""}
    record = {
        EvidenceKind.DEBATE: lambda: ledger.agents.record_matches(pool, [Match.scored(f"{number}", card)]),
        EvidenceKind.PREDICTION: lambda: ledger.agents.record_prediction(
            pool, prediction(b, confidence, a, f"{number % 2}")
        ),
        EvidenceKind.RESOLUTION: lambda: ledger.agents.resolve(pool, Resolution(tournament=f"{number % 2}", winner=a)),
        EvidenceKind.DOMAIN_PREDICTION: lambda: ledger.agents.record_domain_predictions(
            pool, [DomainPrediction(agent=a, domain="law", confidence=confidence, correct=number % 2 == 0)]
        ),
        EvidenceKind.CRITIQUE: lambda: ledger.agents.record_critiques(
            pool, [Critique(agent=a, accepted=number % 2 == 0)]
        ),
        EvidenceKind.RELATION: lambda: ledger.agents.record_relations(
            pool, [Relation(a=a, b=b, dealings=Dealings(a_wins=number + 1))]
        ),
        EvidenceKind.RED_TEAM: lambda: ledger.agents.record_test(
            pool, RedTeamResult(robustness=confidence, successful=1, total=9, **test)
        ),
        EvidenceKind.VERIFICATION: lambda: ledger.agents.record_test(pool, VerificationResult(verified=number, **test)),
        EvidenceKind.REGISTRATION: lambda: ledger.agents.register(pool, a, f"model {number}"),
        EvidenceKind.ADJUSTMENT: lambda: ledger.agents.adjust(pool, [revision(f"v{number}", a)]),
    }
    try:
        record[kind]()
    except Conflict:  # a prediction of a tournament that is resolved, or another resolution of it
        return False
    return True


@given(histories())
@settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_recording_and_voiding_is_as_never_recording(ledger, takes, history):
    """Also where other evidence comes between; twice: one ledger has only what stands."""
    if not takes():
        return
    kinds, late = history
    pool, twin, ids, refused = begun(ledger), begun(ledger), {}, set()
    for number, kind in enumerate(kinds):
        before = ledger.agents.evidence(pool, count=1)
        if play(ledger, pool, kind, number):
            newest = ledger.agents.evidence(pool, count=1)
            if newest != before:
                ids[number] = newest[0].reference
        else:
            refused.add(number)
        for gone, when in late.items():
            if when == number and gone in ids:
                assert ledger.agents.void(pool, ids[gone], "x").new
    for number, kind in enumerate(kinds):
        if number not in refused and not (number in late and number in ids):
            # what was refused because of evidence that was void only later, was refused all the same
            play(ledger, twin, kind, number)
    assert state(ledger, pool) == state(ledger, twin)
