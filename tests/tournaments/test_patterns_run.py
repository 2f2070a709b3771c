"""Patterns of a tournament in a ledger: analysed, worded by a model where there is one, kept as an event (T15)."""

import asyncio
import json
import re
import zlib

import numpy as np
import pytest

import without_board
from paragone.domain import PatternConfig
from paragone.domain.records import PatternAnalysis
from paragone.errors import NotFound
from paragone.llm import connect
from paragone.tournaments.results.patterns import analyse_patterns, record_patterns, texts_of, worded
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.matches import PackedMatches
from paragone.tournaments.tournament import Tournament
from paragone.tournaments.vote_import import import_votes

SWISS = {"pairing": "swiss", "comparison_rounds": 1, "elimination_count": 4, "seed": 3}
FEW = PatternConfig(min_matches_for_analysis=80, pattern_confidence_threshold=0.65)
RECOMMENDATION = json.dumps({"recommendation": "Try  to bring in\nplankton."})


def texts():
    rng = np.random.default_rng(1)
    words = ["q" + "".join(rng.choice(list("abcdefghij"), 5)) for _ in range(80)]
    made = {}
    for at in range(60):
        said = rng.choice(words, 20).tolist()
        said.insert(5, "plankton" if at % 3 == 0 else "nothing")
        said.insert(15, "sprawl" if at % 4 == 0 else "flat")
        made[f"h{at}"] = " ".join(said)
    return made


def judge(first, second, criteria):
    def quality(item):
        return ("plankton" in item.text) - ("sprawl" in item.text)

    lead = quality(first) - quality(second)
    coin = zlib.crc32(f"{first.id} {second.id}".encode()) % 2
    return "first" if lead > 0 or (lead == 0 and coin) else "second"


@pytest.fixture(scope="module")
def played():
    with Tournament.create(texts(), judge=judge, criteria="good", **SWISS) as found:
        without_board.run(found)
        yield found


@pytest.fixture(scope="module")
def found(played):
    return analyse_patterns(played.state, config=FEW)


def ask(found, endpoint):
    async def asked():
        client = connect("scripted", base_url=endpoint.url)
        try:
            return await worded(found, client)
        finally:
            await client.close()

    return asyncio.run(asked())


def test_the_patterns_of_a_tournament_are_those_that_its_judge_has(found, played):
    assert found.matches == len(played.state.matches) >= 100
    assert {one.name: one.wins for one in found.characteristics} == {"plankton": True, "sprawl": False}
    assert found.worded_by == "statistics"
    assert 'bring in "plankton"' in found.recommendation_for_generation


def test_too_few_matches_by_the_tournaments_own_parameters(played):
    early = TournamentState(
        id="x", settings=played.state.settings, config=played.state.config, items=played.state.items,
        played=PackedMatches(played.state.played[:50]),
    )  # fmt: skip
    assert "50 decided matches of items with texts, and 100 are needed" in analyse_patterns(early).summary


def test_an_analysis_is_kept_as_an_event_that_holds_the_documents_record(found, played):
    record_patterns(played.ledger, played.state, found)
    event = [event for event in played.ledger.tournaments.events(played.state.id) if event.kind == "patterns"][-1]
    assert event.detail["confidence"] == found.confidence
    assert event.detail["winning_characteristics"] == list(found.winning_characteristics)
    named = {name: event.detail[name] for name in PatternAnalysis.__dataclass_fields__ if name in event.detail}
    record = PatternAnalysis(**{name: tuple(v) if isinstance(v, list) else v for name, v in named.items()})
    assert record.matches_analyzed == found.matches


def test_rolled_back_matches_do_not_count(played):
    state = played.state.snapshot()
    state.rolled_back = frozenset({state.played[0].id})
    assert analyse_patterns(state, config=FEW).matches == len(state.played) - 1


def test_topics_are_the_clusters_of_the_tournaments_proximity(played):
    class Halves:
        """Knows all items but one."""

        def similarity(self, a, b):
            return 0.0

        def neighbours(self, id):
            return ()

        def cluster_of(self, id):
            if id == "h0":
                raise NotFound("no h0 here")
            return int(id[1:]) % 2

    state = played.state.snapshot()
    state.proximity = Halves()
    assert [topic.items for topic in analyse_patterns(state, config=FEW).topics] in ([29, 30], [30, 29])


def test_a_model_words_the_recommendation(found, endpoint):
    endpoint.completes(RECOMMENDATION)
    told = ask(found, endpoint)
    assert told.recommendation_for_generation == "Try to bring in plankton."
    assert (told.worded_by, told.note) == ("scripted", "")
    assert told.characteristics == found.characteristics


def test_what_texts_say_is_fenced_in_the_prompt(found, endpoint):
    endpoint.completes(RECOMMENDATION)
    ask(found, endpoint)
    system, user = (message["content"] for message in endpoint.seen[0]["messages"])
    seal = re.search(r"^Mark of this analysis: (\w+)$", user, re.MULTILINE)[1]
    inside = user.split(f"[BEGIN FINDINGS {seal}]\n")[1].split(f"\n[END FINDINGS {seal}]")[0]
    assert '"plankton" (odds of winning x' in inside
    assert "plankton" not in system
    assert seal not in inside


@pytest.mark.parametrize("answer", ["I would rather not.", '{"recommendation": "  "}', '{"recommendation": 7}', "{}"])
def test_an_answer_that_is_none_leaves_the_statistical_wording_and_says_so(found, endpoint, answer):
    endpoint.completes(answer)
    told = ask(found, endpoint)
    assert told.recommendation_for_generation == found.recommendation_for_generation
    assert told.worded_by == "statistics"
    assert "its answer holds no recommendation" in told.note


def test_a_model_that_fails_leaves_the_statistical_wording_and_says_so(found, endpoint):
    endpoint.refuses("down for repair", 503)
    told = ask(found, endpoint)
    assert told.recommendation_for_generation == found.recommendation_for_generation
    assert told.note.startswith("not worded by scripted: ")


def test_where_nothing_was_found_the_model_is_not_asked(played, endpoint):
    nothing = analyse_patterns(played.state, config=PatternConfig(min_matches_for_analysis=10_000))
    assert ask(nothing, endpoint) is nothing
    assert endpoint.seen == []


def test_imported_votes_have_patterns_where_their_texts_are_brought(played, tmp_path):
    votes = [(match.a, match.b, "a" if match.outcome.value == "a" else "b") for match in played.state.matches]
    db = tmp_path / "votes.db"
    import_votes(votes, db=db)
    with Tournament.open(db) as imported:
        assert texts_of(imported.state) == {}
        assert "no texts to look at" in analyse_patterns(imported.state, config=FEW).summary
        brought = analyse_patterns(imported.state, config=FEW, texts=texts())
        assert {one.name for one in brought.characteristics} == {"plankton", "sprawl"}
