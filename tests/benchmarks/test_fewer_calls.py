"""The benchmark's own book-keeping: runs that are kept, both rules of pairing in one run, bars that are marked."""

import json


def test_both_rules_are_run_kept_and_read_again(script, tmp_path, capsys, monkeypatch):
    from paragone.pairing import gain

    kept = tmp_path / "runs.jsonl"
    options = ["--contenders", "order", "order-before", "--items", "12", "--multiples", "2", "--cache", str(kept)]
    runs = [script.simulate(name, 12, seed, (2,)) for name in ("order", "order-before") for seed in (0, 1)]
    assert gain.MOST_ITEMS == 1000
    assert runs[0]["points"][0]["tau"] != runs[2]["points"][0]["tau"], "another rule, other pairs"
    kept.write_text("".join(json.dumps(run) + "\n" for run in runs))
    monkeypatch.setattr(script, "simulate", None)  # nothing is run again
    script.main([*options, "--seeds", "2", "--first", "0"])
    printed = capsys.readouterr().out
    assert "| Kendall's tau | 2 |" in printed
    assert "| whole order, before |" in printed
    assert "[.59" in printed
