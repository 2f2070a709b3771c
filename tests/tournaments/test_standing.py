"""Why an item is where it is, beside boards that are fitted without a match or with other matches."""

import numpy as np
import pytest

import without_board
from paragone.domain import Choice, Comparison, Match, Outcome, Verdict
from paragone.errors import NotFound
from paragone.ratings import to_elo
from paragone.tournaments.results.standing import UPSET, chance_of_better, standing_of
from paragone.tournaments.tournament import Tournament


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("standing")
    (folder / "s.csv").write_text("id,score\n" + "".join(f"i{n},{n / 3}\n" for n in range(12)))
    items = {f"i{n}": f"text {n}" for n in range(12)}
    judge = f"simulated:{folder / 's.csv'}"
    with Tournament.create(items, judge=judge, criteria="x", db=folder / "l.db", seed=3, budget=150) as tournament:
        without_board.run(tournament)
        yield tournament


def test_what_a_match_brings_is_what_the_board_without_it_lacks(played):
    """A fit without a match also finds the spread anew, so they agree to some points of some dozens."""
    standing, state = played.why("i6"), played.state
    assert standing.rating == played.board()["i6"].rating
    assert standing.matches == sum("i6" in match.items for match in state.matches)
    exact = []
    for line in standing.carrying[:4]:
        others = [match for match in state.matches if match.id != line.match]
        without = state.supposing(state.config, others, position=state.position).posterior.strength
        exact.append(standing.rating - to_elo(without, initial=state.config.initial)[state.ids.index("i6")])
    brought = [line.change for line in standing.carrying[:4]]
    assert np.abs(brought) == pytest.approx(sorted(np.abs(brought), reverse=True))
    assert np.corrcoef(brought, exact)[0, 1] > 0.99
    assert np.abs(np.subtract(brought, exact)).max() < 0.25 * np.abs(exact).max()


def test_wins_give_and_losses_take_and_upsets_are_improbable(played):
    for item in ("i2", "i6", "i11"):
        standing = played.why(item)
        assert standing.carrying
        for line in standing.carrying:
            assert (line.change > 0) == (line.result == "won")
            assert 0 < line.chance < 1
        chances = [line.chance for line in standing.upsets]
        assert chances == sorted(chances)
        assert all(chance < UPSET for chance in chances)


def test_a_win_raises_and_a_loss_lowers_beside_it_on_the_board(played):
    rows = played.board().items
    for at in (0, 5, 11):
        standing = played.why(rows[at].id)
        beside = {rows[place].id for place in (at - 1, at + 1) if 0 <= place < 12}
        assert {result.opponent for result in standing.next} == beside
        for result in standing.next:
            assert (result.rating > standing.rating) == (result.result == "won")
            assert (result.rank <= standing.rank) if result.result == "won" else (result.rank >= standing.rank)


def test_opponents_are_all_who_were_met(played):
    standing, matches = played.why("i6"), [match for match in played.state.matches if "i6" in match.items]
    rating = {row.id: row.rating for row in played.board().items}
    met = [match.b if match.a == "i6" else match.a for match in matches]
    assert standing.opponents_rating == pytest.approx(np.mean([rating[id] for id in met]), abs=1e-3)
    assert {each.id: each.wins + each.losses + each.ties for each in standing.opponents} == {
        id: met.count(id) for id in met
    }
    assert [each.rating for each in standing.opponents] == sorted((rating[id] for id in {*met}), reverse=True)
    wins = sum(match.outcome is (Outcome.A if match.a == "i6" else Outcome.B) for match in matches)
    assert sum(each.wins for each in standing.opponents) == wins


def test_the_chance_of_being_better_is_that_of_the_draws(played):
    state = played.state
    forward, back = chance_of_better(state, "i9", "i3"), chance_of_better(state, "i3", "i9")
    assert forward + back == pytest.approx(1.0)
    better, other = state.ids.index("i9"), state.ids.index("i3")
    draws = state.posterior.draws.tolist()
    points = sum(1.0 if draw[better] > draw[other] else 0.5 * (draw[better] == draw[other]) for draw in draws)
    assert forward == pytest.approx(points / len(draws))
    with pytest.raises(NotFound, match="did you mean i1"):
        played.why("i1x")


def test_before_the_first_match_there_is_nothing_to_say(tmp_path):
    with Tournament.create(["a", "b"], judge="human", criteria="x", db=tmp_path / "l.db") as tournament:
        standing = tournament.why("a")
        assert (standing.matches, standing.carrying, standing.next, standing.unknown) == (0, [], [], "")
        assert chance_of_better(tournament.state, "a", "b") is None


def test_a_rolled_back_match_carries_nothing(tmp_path):
    with Tournament.create(["a", "b", "c"], judge="human", criteria="x", db=tmp_path / "l.db", seed=1) as tournament:
        for number, (one, other) in enumerate([("a", "b"), ("b", "c"), ("a", "c")]):
            verdict = Verdict(choice=Choice.FIRST, judge="j")
            comparison = Comparison(call=f"{number}/1", first=one, second=other, verdict=verdict)
            match = Match(id=f"m{number}", a=one, b=other, outcome=Outcome.A, comparisons=(comparison,))
            tournament.ledger.matches.record(tournament.state.id, match)
    with Tournament.open(tmp_path / "l.db") as tournament:
        assert {line.match for line in tournament.why("a").carrying} == {"m0", "m2"}
        tournament.rollback("m0", "disputed")
    with Tournament.open(tmp_path / "l.db") as tournament:
        assert [line.match for line in tournament.why("a").carrying] == ["m2"]


def test_where_columns_count_it_says_so(tmp_path):
    (tmp_path / "s.csv").write_text("id,score\n" + "".join(f"i{n},{n / 3}\n" for n in range(8)))
    items = [{"id": f"i{n}", "text": f"text {n}", "size": n} for n in range(8)]
    options = {"criteria": "x", "db": tmp_path / "l.db", "seed": 3, "budget": 20, "use": ["size"]}
    with Tournament.create(items, judge=f"simulated:{tmp_path / 's.csv'}", **options) as tournament:
        without_board.run(tournament)
        standing = standing_of(tournament.state, "i3")
    assert (standing.carrying, "columns" in standing.unknown) == ([], True)
    assert standing.alone is not None
    assert standing.alone != standing.rating


def test_lists_carry_too(tmp_path):
    (tmp_path / "s.csv").write_text("id,score\n" + "".join(f"i{n},{n / 3}\n" for n in range(9)))
    items = {f"i{n}": f"text {n}" for n in range(9)}
    options = {"criteria": "x", "db": tmp_path / "l.db", "seed": 3, "budget": 3, "group_size": 4}
    with Tournament.create(items, judge=f"simulated:{tmp_path / 's.csv'}", **options) as tournament:
        without_board.run(tournament)
        standing = tournament.why("i8")
    assert standing.carrying
    for line in standing.carrying:
        assert (line.opponent, line.chance) == (None, None)
        assert line.result.endswith(" of 4")
    assert standing.opponents_rating is None
