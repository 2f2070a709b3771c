"""``paragone agents`` on a ledger in PostgreSQL: the same numbers as on SQLite."""

import json

RECORD = (
    ("record", "claude=0.8", "gpt4=0.6", "gemini=0.4", "--domain", "security", "--confidence", "0.9", "--id", "d1"),
    ("redteam", "claude", "--robustness", "0.85", "--successful", "3", "--total", "20", "--session", "s1"),
    ("predict", "t1", "claude", "gpt4", "0.75"),
    ("resolve", "t1", "claude"),
    ("import", "past.csv"),
    ("void", "past.csv:2"),
)
LOOK = (("board",), ("board", "--domain", "security"), ("relations", "claude", "gpt4"), ("calibration",))


def test_every_command_comes_to_the_same(paragone, home, schema_url):
    (home / "past.csv").write_text("winner,loser,domain\nclaude,gpt4,law\ngpt4,gemini,\n")
    url = schema_url()
    missing = paragone("agents", "board", "--db", url)
    assert missing.code == 2
    assert "begin with: paragone agents record" in missing.err
    seen = {}
    for db in (url, "local.db"):
        for words in RECORD:
            done = paragone("agents", *words, "--db", db)
            assert done.code == 0, (words, done.err)
        seen[db] = [json.loads(paragone("agents", *words, "--db", db, "--json").out) for words in LOOK]
        assert paragone("agents", "show", "claude", "--db", db).code == 0
        assert paragone("audit", "--db", db).out.startswith("ok")
    assert seen[url] == seen["local.db"]
