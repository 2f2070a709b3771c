"""``paragone rank`` with models that think, fail, refuse and hang behind a real endpoint."""

import re

import pytest

from scripted_endpoint import Model, cut_json, hang, none, refusal, status

PRICE = (1.0, 10.0)


@pytest.fixture
def rank(paragone, home):
    """Rank three texts by six comparisons of a scripted model."""
    (home / "three.txt").write_text("quality 1\nquality 2\nquality 3\n")

    def ranked(endpoint, *options, spec=""):
        judge = f"llm:m{spec}@{endpoint.url}"
        return paragone(
            "rank", "three.txt", "-c", "quality", "-j", judge, "--db", "l.db", "--seed", 1, "--budget", 6,
            "--price", *PRICE, *options,
        )  # fmt: skip

    return ranked


def spending(seen):
    """Decisions, requests, tokens and dollars, as the run ended with."""
    return re.findall(r"^(?:decisions|requests|tokens|dollars): (?:at least )?(\$?[\d.,]*\d)", seen.out, re.MULTILINE)


def counted(endpoint, decisions):
    """The same by the endpoint's own count."""
    count = endpoint.count
    tokens = count.input_tokens + count.output_tokens
    return [f"{decisions}", f"{count.requests}", f"{tokens:,}", f"${count.dollars(*PRICE):.4f}"]


@pytest.mark.parametrize(
    ("model", "faults", "options", "extra"),
    [
        (Model(thinks=900), [], (), 1),
        (Model(), [status(429, retry_after=0), none(), status(500), cut_json(), hang(30)], ("--timeout", 0.7), 4),
        (Model(), [none(), refusal()], (), 1),
    ],
    ids=["thinks", "429, 500, cut, hangs", "refuses"],
)
def test_a_run_gets_past_what_passes(serve_model, rank, model, faults, options, extra):
    endpoint = serve_model(model, faults=faults)
    seen = rank(endpoint, *options)
    assert seen.code == 0, seen.err
    assert "quality 3" in seen.out.splitlines()[1]
    assert endpoint.count.requests == 6 + extra
    assert spending(seen)[1:] == counted(endpoint, 6)[1:], "what is told is what was billed"


@pytest.mark.parametrize(
    ("fault", "options", "code", "requests", "words"),
    [
        (status(401), (), 2, 1, "refused the key (401): check the environment variable OPENAI_API_KEY"),
        (status(403), (), 2, 1, "refused the key (403)"),
        (status(404), (), 2, 1, "has no model 'm' (404): check its name"),
        (status(429, "insufficient_quota: you have no credit"), (), 1, 1, "quota is spent (429)"),
        (status(500), ("--attempts", 1), 1, 3, "failed (500)"),
        (cut_json(), ("--attempts", 1), 1, 3, "gave a malformed answer"),
        (hang(30), ("--attempts", 1, "--timeout", 0.1), 1, 3, "gave no answer within 0.1 s"),
        (refusal(), (), 1, 3, "declined to answer: I cannot help with that."),
    ],
    ids=["401", "403", "404", "quota", "500", "cut", "hangs", "refuses"],
)
def test_a_model_that_cannot_answer_is_found_by_its_first_questions(
    serve_model, rank, paragone, fault, options, code, requests, words
):
    endpoint = serve_model(always=fault)
    seen = rank(endpoint, *options)
    assert (seen.code, endpoint.count.requests) == (code, requests)
    assert seen.err.count(words) == 1
    assert "paragone resume three-1 --db l.db" in seen.err
    assert seen.out == "", "there is nothing to show"

    endpoint.always = None
    again = paragone("resume", "three-1", "--db", "l.db")
    assert again.code == 0, again.err
    assert endpoint.count.requests == requests + 6


def test_what_the_first_answer_showed_stands_in_the_line_that_announces_the_run(serve_model, rank):
    endpoint = serve_model(Model(thinks=900, refuses=frozenset({"logprobs"})))
    seen = rank(endpoint, spec="?effort=medium")
    (line,) = [line for line in seen.err.splitlines() if "at most 6 decisions" in line]
    assert line.endswith(
        "JSON by schema, no log-probabilities (reasons come before the verdict), reasoned for 900 tokens, needs a "
        "limit of 1,024 tokens, $1 and $10 a million tokens in and out"
    )
    assert endpoint.count.requests == 6 + 2, "no question was asked beside the six: one refusal, one cut answer"
    assert {body["reasoning_effort"] for body in endpoint.seen} == {"medium"}


def test_a_run_that_goes_on_asks_nothing_twice(serve_model, rank, paragone):
    endpoint = serve_model()
    assert rank(endpoint, "--budget", 3).code == 0
    assert paragone("resume", "three-1", "--db", "l.db", "--budget", 6).code == 0
    assert "one question first" not in paragone("resume", "three-1", "--db", "l.db").err, "there is none left"
    assert endpoint.count.requests == 6


@pytest.mark.parametrize(
    ("judge", "words"),
    [("llm:m?max_token=9@http://127.0.0.1:9/v1", "did you mean max_tokens?"), ("llm:gpt-5-mini", "OPENAI_API_KEY"),
     ("panel:local + llm:m?efort=low@http://127.0.0.1:9/v1", "did you mean effort?"),
     ("llm:anthropic:claude-haiku-4-5?max_tokens=4000", "ANTHROPIC_API_KEY")],
)  # fmt: skip
def test_a_wrong_spec_or_a_missing_key_leaves_no_ledger_behind(paragone, home, monkeypatch, judge, words):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    seen = paragone("rank", "items.csv", "-c", "x", "-j", judge, "--db", "l.db")
    assert seen.code == 2
    assert words in seen.err
    assert not (home / "l.db").exists()


def test_judges_lists_every_option_with_its_meaning(paragone):
    seen = paragone("judges").out
    for name in ("max_tokens=4000", "temperature=0", "effort=low", "scores=yes", "logprobs=yes", "max_chars=20000",
                 "timeout=120", "noise=0.5"):  # fmt: skip
        assert name in seen
    llm = next(kind for kind in paragone("judges", "--json").json if kind["name"] == "llm")
    assert llm["form"] == "llm:MODEL[?OPTIONS][@URL]"
    assert {option["name"] for option in llm["options"]} >= {"max_tokens", "effort"}
    assert all(option["help"] for option in llm["options"])
