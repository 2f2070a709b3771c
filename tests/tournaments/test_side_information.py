"""Columns of items in a run and in a fit: from a file to the plan, the board and back from the ledger."""

import csv
import math
from functools import cache

import numpy as np
import pytest

import paragone
import without_board
from paragone.domain import Item, SideColumn, SideInformation
from paragone.errors import InvalidConfig, InvalidItems, UnknownColumn
from paragone.tournaments.fit_extras import FitExtras
from paragone.tournaments.posterior import Posterior
from paragone.tournaments.side_information import groups_of, named, resolve
from paragone.tournaments.tournament import Tournament
from paragone.tournaments.tournament_settings import TournamentSettings, settings_for

ITEMS = 16
RNG = np.random.default_rng(4)
TRUTH = RNG.standard_normal(ITEMS)
LENGTH = RNG.permutation(np.repeat([10, 40, 160, 640], 4))


def rows() -> list[dict[str, object]]:
    """Items whose stars go with their worth, and whose texts have lengths of their own."""
    return [
        {
            "id": f"i{at:02}",
            "text": f"i{at:02} " + "x" * int(LENGTH[at]),
            "stars": round(math.exp(4 + 2 * float(TRUTH[at]))),
            "kind": "even" if at % 2 else "odd",
            "same": 1,
            "good": bool(TRUTH[at] > 0),
        }
        for at in range(ITEMS)
    ]


def judge(first: Item, second: Item, criteria: str) -> str:
    return "first" if TRUTH[int(first.id[1:3])] > TRUTH[int(second.id[1:3])] else "second"


def longer(first: Item, second: Item, criteria: str) -> str:
    """Goes by length, and by worth among texts of one length."""
    at, other = int(first.id[1:3]), int(second.id[1:3])
    return "first" if (LENGTH[at], TRUTH[at]) > (LENGTH[other], TRUTH[other]) else "second"


def items() -> tuple[Item, ...]:
    return tuple(Item(id=str(row["id"]), text=str(row["text"])) for row in rows())


def tau(board: paragone.Board, truth: np.ndarray) -> float:
    return tau_of(np.array([board[f"i{at:02}"].rating for at in range(ITEMS)]), truth)


def tau_of(strength: np.ndarray, truth: np.ndarray) -> float:
    return float((np.sign(np.subtract.outer(strength, strength)) * np.sign(np.subtract.outer(truth, truth))).mean())


def played(judge, contents=None, **options) -> Posterior:
    """What a run comes to, its items in the order of their ids; without the draws that a board takes."""
    with Tournament.create(contents or rows(), judge=judge, criteria="better", **options) as tournament:
        without_board.run(tournament)
        return tournament.state.posterior


@pytest.fixture(scope="module")
def plain() -> float:
    """The tau of sixteen answers without any columns."""
    posterior = played(judge, budget=16, seed=1)
    assert posterior.alone is None
    return tau_of(posterior.strength, TRUTH)


def test_columns_of_the_items_count_in_a_run(plain):
    board = paragone.rank(rows(), "better", judge=judge, use="stars", budget=16, seed=1)
    assert board.side is not None
    (stars,) = board.side.columns
    assert (stars.group, stars.column, stars.counts, stars.trait) == ("stars", "log stars", True, False)
    assert stars.low < stars.points < stars.high
    assert stars.points > 0
    assert {row.id for row in board.side.without} == {row.id for row in board.items}
    assert [row.id for row in board.side.without] == [row.id for row in board.items]
    assert tau(board, TRUTH) > plain
    assert board.side.notes == ("'stars' is skewed to the right, so its logarithm is taken",)


def test_pairs_are_chosen_by_the_columns_from_the_second_block_on():
    """Which of two equals differ in their column is known before they are compared."""

    def planned(use):
        with Tournament.create(rows(), judge=judge, criteria="c", use=use, seed=3, budget=40) as tournament:
            without_board.run(tournament)
            return [[each.items for each in block.pairings] for block in tournament.state.rounds]

    plain, with_columns = planned(None), planned("stars")
    assert with_columns[0] == plain[0]
    assert with_columns[1:] != plain[1:]


def test_an_interrupted_run_goes_on_with_its_columns(tmp_path):
    """The columns are on the tournament's record: the file is not read again."""
    terms = {"judge": judge, "criteria": "c", "use": "stars,length", "adjust_for": "kind", "seed": 5}
    with Tournament.create(rows(), db=tmp_path / "whole.db", budget=48, **terms) as whole:
        board = whole.run()
    with Tournament.create(rows(), db=tmp_path / "part.db", budget=24, **terms) as part:
        without_board.run(part)
    with Tournament.open(tmp_path / "part.db", judge=judge) as resumed:
        resumed.extend(budget=48)
        again = resumed.run()
        assert resumed.state.settings.side_information == whole.state.settings.side_information
        assert [match.items for match in resumed.state.matches] == [match.items for match in whole.state.matches]
    assert again.side == board.side


def test_settings_without_columns_are_stored_as_before():
    settings = settings_for(4, criteria="c", judge="local", seed=1)
    assert "side_information" not in settings.as_json()
    column = SideColumn(group="a", name="log a", values=(("x", 1.5),))
    side = SideInformation(columns=(column,), notes=("a note",))
    with_columns = TournamentSettings(criteria="c", judge="local", side_information=side)
    assert TournamentSettings.from_json(with_columns.as_json()).side_information == side


def test_what_must_not_count_is_taken_out():
    """A judge that goes by length: texts are ranked within their lengths once it is taken out."""
    board = paragone.rank(rows(), "better", judge=longer, adjust_for="length", budget=64, seed=2)
    assert board.side is not None
    (length,) = board.side.columns
    assert not length.counts
    assert length.low > 0
    without = {row.id: row.rank for row in board.side.without}
    with_length = sum(abs(without[row.id] - row.rank) for row in board.items)
    assert with_length > 0
    assert tau(board, TRUTH) > tau_of(played(longer, budget=64, seed=2).strength, TRUTH) + 0.15


def test_a_newcomer_starts_from_its_trait():
    """A text that joins later has its length at once, and with it a rating before its first match."""
    with Tournament.create(items(), judge=longer, criteria="c", use="length", seed=2, budget=60) as tournament:
        without_board.run(tournament)
        state = tournament.state
        state.items = (*state.items, Item(id="i99", text="x" * 600), Item(id="i98", text="x" * 11))
        state._posterior = None
        strengths = state.posterior.strengths
    assert strengths["i99"].rating > strengths["i98"].rating + 100


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("star", "did you mean 'stars'"),
        ("text", "different words"),
        ("none,stars", "'none' stands alone"),
        ("reviews", "there are none"),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_is_asked(use, message):
    with pytest.raises((UnknownColumn, InvalidItems, InvalidConfig), match=message):
        paragone.rank(rows(), "better", judge=judge, use=use, budget=16)


def test_reviews_count_in_python_where_there_is_no_table_of_items():
    reviews = [{"item": f"i{at:02}", "score": 1 / (1 + math.exp(-float(TRUTH[at])))} for at in range(ITEMS)]
    board = paragone.fit(votes(), use="reviews", reviews=reviews)
    assert board.side is not None
    (score,) = board.side.columns
    assert (score.group, score.column) == ("reviews", "review score")
    assert score.points > 0
    (effect,) = played(judge, items(), use="reviews", reviews=reviews, budget=16, seed=1).effects
    assert (effect.group, effect.effect > 0) == ("reviews", True)


def test_columns_beside_a_prior_count_in_a_fit_and_in_a_run(plain):
    """The prior knows the worth of half of the items, and the stars that of all; kind is taken out."""
    prior = {f"i{at:02}": float(TRUTH[at]) for at in range(0, ITEMS, 2)}
    extras = {"items": rows(), "use": "stars", "adjust_for": "kind", "prior": prior}
    board = paragone.fit(votes(), **extras)
    assert board.side is not None
    assert [column.column for column in board.side.columns] == ["log stars", "kind = odd"]
    assert board.prior is not None
    assert board.prior.items == ITEMS // 2
    assert board.prior.correlation > board.prior.inverted
    assert board.side.columns[0].points > 0
    posterior = played(judge, use="stars", prior=prior, budget=16, seed=1)
    assert posterior.rated == ITEMS // 2
    assert [effect.group for effect in posterior.effects] == ["stars"]
    assert tau_of(posterior.strength, TRUTH) > plain
    sided = [{"a": "i00", "b": f"i{at:02}", "winner": "a", "length_a": at, "length_b": 2} for at in range(1, 9)]
    with pytest.raises(InvalidConfig, match=r"'log length' differs between the sides .* beside ratings of a prior"):
        paragone.fit(sided, adjust_for="length", prior=prior)


def test_one_column_cannot_count_and_be_taken_out():
    with pytest.raises(InvalidConfig, match="'stars' cannot count and be taken out at once"):
        paragone.rank(rows(), "better", judge=judge, use="stars", adjust_for=["stars"], budget=16)


def test_items_without_columns_have_their_traits():
    with pytest.raises(InvalidConfig, match=r"their texts have length, .*; did you mean length\?"):
        paragone.rank([str(row["text"]) for row in rows()], "better", judge=judge, use="lenght", budget=16)


def test_names_are_read_with_commas_and_once():
    assert named("stars, age,,stars") == ("stars", "age")
    assert named(["stars", "age"]) == ("stars", "age")
    assert named("none") == named(None) == named("") == ()


def test_columns_are_standardised_and_gaps_are_average():
    column = SideColumn(group="a", name="a", values=(("x", 1.0), ("y", 3.0)))
    flat = SideColumn(group="b", name="b", values=(("x", 2.0), ("y", 2.0), ("z", 2.0)))
    (group,) = groups_of([column, flat], [Item(id=id, text="") for id in "xyz"])
    assert group.values[:, 0] == pytest.approx([-math.sqrt(1.5), math.sqrt(1.5), 0.0])
    assert group.columns == ("a",)


def test_traits_are_two_groups_and_embeddings_components():
    side = resolve(items(), None, use="traits")
    assert [column.group for column in side.columns][:2] == ["length", "traits"]
    assert not any(column.values for column in side.columns)
    length, rest = groups_of(side.columns, items())
    assert (length.name, rest.name) == ("length", "traits")
    assert rest.penalty > length.penalty  # nobody has bet on all of them
    (embedded,) = groups_of(resolve(items(), None, use="embeddings").columns, items())
    assert embedded.columns == tuple(f"embedding {number}" for number in range(1, 9))
    correlations = embedded.values.T @ embedded.values / ITEMS
    assert correlations == pytest.approx(np.eye(8), abs=1e-6)


def test_a_constant_column_is_left_out_and_said():
    side = resolve(items(), rows(), use="same,good")
    assert [column.name for column in side.columns] == ["good"]
    assert side.notes == ("'same' is left out: it is the same everywhere",)


@cache
def votes(seed: int = 0, count: int = 240) -> list[dict[str, object]]:
    rng, made = np.random.default_rng(seed), []
    for _ in range(count):
        a, b = rng.choice(ITEMS, 2, replace=False).tolist()
        won = 2 * (TRUTH[a] - TRUTH[b]) + rng.logistic() > 0
        made.append({"a": f"i{a:02}", "b": f"i{b:02}", "winner": "a" if won else "b"})
    return made


def test_recorded_votes_take_columns_of_a_table_of_items(tmp_path):
    with (tmp_path / "items.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "stars", "kind"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows()[:-1])
    board = paragone.fit(votes(), items=tmp_path / "items.csv", use="stars", adjust_for="kind")
    assert board.side is not None
    assert [(column.column, column.counts) for column in board.side.columns] == [
        ("log stars", True),
        ("kind = odd", False),
    ]
    assert sum("1 of 16 items have no row in" in note for note in board.notes) == 1
    same = paragone.fit(votes(), items=tmp_path / "items.csv", use=["none"])
    assert same == paragone.fit(votes())


def test_the_plain_model_takes_no_columns():
    with pytest.raises(InvalidConfig, match=r"the plain model takes no columns \(--use, --adjust-for\)"):
        paragone.fit(votes(), items=rows(), use="stars", plain=True)


BESIDE = {
    "columns": {"items": rows(), "use": "stars", "adjust_for": "kind"},
    "prior": {"prior": {row["id"]: row["stars"] ** 0.5 for row in rows()}},
}


@pytest.mark.parametrize("extras", BESIDE.values(), ids=BESIDE)
def test_bootstrap_intervals_beside_columns_or_a_prior(extras):
    """What they count for is held, so that replicates scatter around the board and not around that of the votes."""
    board = paragone.fit(votes(), bootstrap=40, **extras)
    assert board.bootstrap is not None
    for row, drawn in zip(board.items, board.bootstrap.items, strict=True):
        assert drawn.low - 20 <= row.rating <= drawn.high + 20
        assert 0.2 < (drawn.high - drawn.low) / (row.high - row.low) < 1.6


def test_a_table_of_items_of_which_nothing_is_read_is_refused():
    with pytest.raises(InvalidConfig, match="name those that may count"):
        paragone.fit(votes(), items=rows())


def test_extras_in_one_value_are_those_one_by_one():
    extras = FitExtras(items=rows(), use="stars")
    assert paragone.fit(votes(), extras=extras) == paragone.fit(votes(), items=rows(), use="stars")
    assert paragone.fit(votes(), extras=extras, use="none") == paragone.fit(votes())
    with pytest.raises(TypeError, match="stars"):
        paragone.fit(votes(), stars="stars")


def test_a_fit_without_a_table_of_items_says_where_columns_would_be():
    with pytest.raises(InvalidConfig, match="name their table"):
        paragone.fit(votes(), use="stars")
