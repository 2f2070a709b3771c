"""The benchmark's own book-keeping: runs that are kept, bars that are marked, figures beside one another."""

import json

import pytest

SMALL = ["--items", "30", "--judges", "noise 0.5", "--contenders", "order", "weights", "asap"]


def test_runs_are_kept_continued_and_read(script, tmp_path, capsys):
    kept = tmp_path / "runs.jsonl"
    options = [*SMALL, "--multiples", "2", "--cache", str(kept), "--sections", "ranking", "position", "outlook"]
    assert script.main([*options, "--seeds", "1"]) == 0
    first = kept.read_text()
    with kept.open("a") as lines:
        lines.write('{"cell": "order, 30 items, noi')  # killed while writing

    assert script.main([*options, "--seeds", "2"]) == 0
    runs = [json.loads(line) for line in kept.read_text().splitlines() if not line.endswith("noi")]
    assert kept.read_text().startswith(first)
    assert [run["seed"] for run in runs if run["cell"].startswith("order")] == [0, 1]
    before = kept.read_text()
    capsys.readouterr()

    assert script.main([*options, "--seeds", "2", "--read"]) == 0
    printed = capsys.readouterr().out
    assert kept.read_text() == before
    for line in (
        "30 items, noise 0.5",
        "whole order",
        "T's weights, running Elo",
        "[0.61",
        "Position term",
        "Forecast",
    ):
        assert line in printed


def test_a_run_is_repeatable_and_all_contenders_meet_the_same_items(script):
    from efficiency_cells import Cell
    from efficiency_runs import simulate

    cell = Cell(contender="order", items=30)
    one, again = (simulate(cell, 3, [2]) | {"cpu": 0} for _ in range(2))

    assert one == again
    assert one["points"][0]["calls"] == 2.0


@pytest.mark.parametrize(("value", "text"), [(0.77, " [0.77]"), (0.7699, " [0.77 MISSED]")])
def test_a_bar_that_is_missed_is_marked(script, value, text):
    import efficiency_tables

    assert efficiency_tables.marked(value, 0.77, "[]") == text


def test_means_and_standard_errors_are_those_of_the_runs(script):
    from efficiency_cells import Cell
    from efficiency_tables import summary

    runs = [{"cpu": 1.0, "points": [{"tau": tau, "recall": 0.5, "winner": 1.0, "calls": 5.0}]} for tau in (0.7, 0.8)]
    found = summary(Cell(contender="order", items=150), runs, [5])

    assert found["figures"]["tau"] == {"mean": [0.75], "error": [0.05], "bar": [0.765], "stretch": [0.78]}
    assert found["seeds"] == 2


def test_every_bar_belongs_to_a_cell_that_is_run(script):
    from efficiency_cells import BARS, CELLS, CONTENDERS, JUDGES, STRETCH

    cells = {(cell.judge, cell.items, cell.contender) for cell in CELLS}
    assert {bar[:3] for bar in (*BARS, *STRETCH)} <= cells
    assert {cell.contender for cell in CELLS} == set(CONTENDERS)
    assert {cell.judge for cell in CELLS} == set(JUDGES)


def test_a_round_among_many_is_measured_in_a_process_of_its_own(script):
    from pairing_scale import measure, table

    found = measure(500)
    assert set(found["cpu_seconds"]) == {"order", "balanced", "top", "winner"}
    assert found["memory_gb"] > 0.01
    assert "500 items" in "\n".join(table([found]))


def test_policies_with_exact_draws_take_so_long_that_they_are_run_only_when_named(script):
    from efficiency_cells import EXACT

    assert not set(script.arguments([]).contenders) & set(EXACT)
    cells = script.chosen_cells(script.arguments(["--contenders", *EXACT]))
    assert {cell.contender for cell in cells} == set(EXACT)


def test_reading_without_a_cache_is_refused(script, capsys):
    with pytest.raises(SystemExit):
        script.main(["--read"])
    assert "--cache" in capsys.readouterr().err
