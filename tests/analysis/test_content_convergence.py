"""Whether ratings of content have settled, by hand."""

from paragone.analysis.content.convergence import (
    Efficiency,
    RankedFile,
    RatingMove,
    SettledCount,
    convergence,
    efficiency,
)


def test_a_spread_under_forty_points_is_settled_and_one_of_forty_is_not():
    moves = [
        RatingMove(session=0, item="calm", old=1200, new=1239.9),
        RatingMove(session=1, item="calm", old=1239.9, new=1210),
        RatingMove(session=1, item="wild", old=1200, new=1240),
    ]

    assert convergence(moves, [1], window=2) == [SettledCount(session=1, active=2, settled=1)]


def test_what_an_item_stood_at_before_the_window_counts():
    jump = [RatingMove(session=5, item="a", old=1200, new=1250)]

    assert convergence(jump, [5, 6, 7], window=2) == [
        SettledCount(session=5, active=1, settled=0),
        SettledCount(session=6, active=1, settled=0),
        SettledCount(session=7, active=0, settled=0),
    ]


def test_before_the_first_whole_window_there_is_nothing_to_say():
    moves = [RatingMove(session=number, item="a", old=1200, new=1201) for number in range(30)]

    assert [one.session for one in convergence(moves, range(30))] == list(range(19, 30))


def row(path, similarity, score, *, high=False, used=False):
    return RankedFile(path=path, similarity=similarity, score=score, high=high, used=used)


def test_what_ratings_do_for_a_search():
    rows = [row(str(place), 0.9 - place / 10, 0.1, high=place < 2) for place in range(5)]
    late = row("late", 0.1, 0.8, high=True, used=True)

    assert efficiency([*rows, late]) == Efficiency(high=2, shown=5, used=1, used_off=0, used_on=1)


def test_equal_scores_stay_in_the_order_in_which_they_were_shown():
    rows = [row(str(place), 0.5, 0.5, used=place == 0) for place in range(8)]

    assert efficiency(rows) == Efficiency(high=0, shown=5, used=1, used_off=1, used_on=1)
