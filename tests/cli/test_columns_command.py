"""``--use``, ``--adjust-for``, ``--items``, ``--by`` and ``--win-rates`` at the terminal."""

import math

import pytest

ITEMS = 12
STARS = [round(math.exp(2 + 0.5 * at)) for at in range(ITEMS)]


@pytest.fixture
def files(home):
    """Items whose stars go with their worth, with one gap; what a judge says of all pairs; arena votes."""
    rows = [f"i{at:02},text {'x' * (at * 7 % 5)},{'' if at == 3 else STARS[at]},{at % 2},7" for at in range(ITEMS)]
    (home / "tools.csv").write_text("id,text,stars,parity,same\n" + "\n".join(rows) + "\n")
    pairs = [(a, b) for a in range(ITEMS) for b in range(ITEMS) if a != b]
    # One in seven against the stars.
    lines = [f"i{a:02},i{b:02},{'a' if (a > b) != ((a * b) % 7 == 1) else 'b'}" for a, b in pairs]
    (home / "verdicts.csv").write_text("a,b,winner\n" + "\n".join(lines) + "\n")
    (home / "more.csv").write_text("a,b,winner\ni00,i01,a\n")
    arena = [
        f"m{n % 3},m{(n + 1 + n // 3 % 2) % 3},{['model_a', 'model_b', 'tie (bothbad)'][n * n % 7 % 3]},"
        f"{['code', 'essay'][n % 2]},{100 + n * 37 % 90},{100 + n * 53 % 80}"
        for n in range(90)
    ]
    (home / "arena.csv").write_text("model_a,model_b,winner,category,length_a,length_b\n" + "\n".join(arena) + "\n")
    return home


RANK = ("rank", "tools.csv", "-c", "useful", "--judge", "recorded:verdicts.csv", "--budget", "24", "--seed", "1")


def test_a_column_is_used_and_said(paragone, files):
    done = paragone(*RANK, "--use", "stars,same")
    assert done.code == 0, done.err
    assert "note: 1 of 12 cells of 'stars' are empty and count as average" in done.err
    assert "note: 'stars' is skewed to the right, so its logarithm is taken" in done.err
    assert "note: 'same' is left out: it is the same everywhere" in done.err
    assert "rank without" in done.out
    assert "column log stars: +" in done.out
    assert "counts with probability" in done.out
    board = paragone("board", "--json").json
    (column,) = board["side"]["columns"]
    assert (column["group"], column["column"], column["counts"]) == ("stars", "log stars", True)
    assert column["low"] < column["points"] < column["high"]
    assert len(board["side"]["without"]) == ITEMS


def test_reviews_and_earlier_ratings_count_in_a_run_and_in_a_fit(paragone, files):
    scores = [f"i{at:02},{min(1.0, 0.05 + 0.08 * at + 0.03 * (at % 3)):.2f}" for at in range(ITEMS)]
    (files / "reviews.csv").write_text("item,score\n" + "\n".join(scores) + "\n")
    rated = [f"i{at:02},{1000 + 30 * at + 50 * (at % 4)}" for at in range(ITEMS)]
    (files / "earlier.csv").write_text("id,rating\n" + "\n".join(rated) + "\n")
    reviewed = ("--use", "reviews", "--reviews", "reviews.csv")
    for command in ((*RANK, "--budget", "12"), ("fit", "verdicts.csv", "--prior", "earlier.csv")):
        board = paragone(*command, *reviewed, "--json").json
        assert [column["column"] for column in board["side"]["columns"]] == ["review score"]
        assert board["side"]["columns"][0]["points"] > 0
    assert board["prior"]["items"] == ITEMS
    earlier = paragone("fit", "verdicts.csv", "--items", "earlier.csv", "--use", "rating", "--json").json
    assert earlier["side"]["columns"][0]["points"] > 0
    refused = paragone("fit", "verdicts.csv", "--reviews", "reviews.csv")
    assert (refused.code, "add 'reviews' to use (--use)" in refused.err) == (2, True)


def test_the_same_seed_gives_the_same_board_and_no_columns_are_none(paragone, files):
    short = (*RANK, "--budget", "9", "--json")
    first = paragone(*short, "--use", "stars", "--use", "parity").json
    again = paragone(*short, "--use", "parity,stars").json
    assert [item["rating"] for item in first["items"]] == [item["rating"] for item in again["items"]]
    assert paragone(*short, "--use", "none").json["side"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--use", "star"), "did you mean 'stars'?"),
        (("--use", "id"), "different words"),
        (("--use", "stars", "--adjust-for", "stars"), "cannot count and be taken out at once"),
        (("--use", "none,stars"), "'none' stands alone"),
    ],
)
def test_a_wrong_name_is_refused_before_anything_is_asked(paragone, files, options, message):
    refused = paragone(*RANK, *options)
    assert refused.code == 2
    assert message in " ".join(refused.err.split())
    assert paragone("board").code != 0  # nothing was written


def test_what_must_not_count_is_shown_with_and_without(paragone, files):
    done = paragone(*RANK, "--adjust-for", "length", "-o", "board.html")
    assert done.code == 0, done.err
    assert "taken out: length: the judge's" in done.out
    assert "agreement of the orders with and without the columns (Kendall's tau): " in done.out
    assert "rank without" in (files / "board.html").read_text()


def test_votes_take_a_table_of_items(paragone, files):
    done = paragone("fit", "verdicts.csv", "--items", "tools.csv", "--use", "stars", "--adjust-for", "parity", "--json")
    assert done.code == 0, done.err
    assert [column["counts"] for column in done.json["side"]["columns"]] == [True, False]
    refused = paragone("fit", "verdicts.csv", "--use", "stars")
    assert refused.code == 2
    assert "--items" in refused.err


@pytest.mark.parametrize("files_and_place", [("verdicts.csv", "more.csv"), ("verdicts.csv", "--on", "local")])
@pytest.mark.parametrize(
    "option", [("--use", "stars"), ("--by", "a"), ("--win-rates",), ("--gold", "verdicts.csv"), ("--suggest-gold", "2")]
)
def test_votes_that_are_counted_refuse_what_needs_them_one_by_one(paragone, files, files_and_place, option):
    refused = paragone("fit", *files_and_place, *option)
    assert refused.code == 2
    assert f"or leave {option[0]} out" in " ".join(refused.err.split())


def test_an_arena_has_boards_by_slice_and_win_rates_and_is_drawn_and_published(paragone, files):
    done = paragone(
        "fit", "arena.csv", "--by", "category", "--win-rates", "--adjust-for", "length", "-o", "arena.html",
        "--plot", "plots.svg", "--site", "site",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "arena.csv: 90 votes from the columns" in done.err
    assert "Ranks by category:" in done.out
    assert "How often the row's item beat the column's:" in done.out
    assert "category code, 45 votes:" in done.out
    page = (files / "arena.html").read_text()
    assert page.count("<table") == 3
    assert "3 pages; open site/index.html" in done.err
    assert "Strengths by slice" in (files / "plots.svg").read_text()
    assert 'href="slice-02.html"' in (files / "site" / "index.html").read_text()
    refused = paragone("fit", "arena.csv", "--by", "categories")
    assert refused.code == 2
    assert "did you mean 'category'?" in refused.err


def test_plots_and_sites_of_a_wrong_name_are_refused_before_a_file_is_read(paragone, files):
    for option, file, why in (
        ("--plot", "plots.bmp", "plots are written as .svg, .png, .html"),
        ("--site", "arena.csv", "a site is a folder"),
    ):
        refused = paragone("fit", "absent.csv", option, file)
        assert refused.code in (1, 2)
        assert why in refused.err


def test_a_trait_that_goes_with_the_answers_is_warned_of(paragone, files):
    lines = [
        f"i{a:02},i{b:02},{'a' if (a * 7 % 5, a) > (b * 7 % 5, b) else 'b'}"
        for a in range(ITEMS)
        for b in range(ITEMS)
        if a != b
    ]
    (files / "longer.csv").write_text("a,b,winner\n" + "\n".join(lines) + "\n")
    done = paragone("fit", "longer.csv", "--items", "tools.csv", "--use", "length")
    assert "a trait of the text goes with the judge's answers: length" in done.out
    assert "--adjust-for length" in done.out
