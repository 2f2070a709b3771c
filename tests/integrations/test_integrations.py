"""paragone within other tools. What needs a large package is tested where that is installed."""

import asyncio
import json

import pytest

from paragone.errors import InvalidConfig, JudgeFailed
from paragone.integrations.openai_tools import RankTool
from paragone.integrations.preference import preference
from paragone.integrations.promptfoo import get_assert

TEXTS = {f"t{size}": "word " * size for size in (3, 1, 4, 2)}


def longer(first, second, criteria):
    if len(first.text) == len(second.text):
        return "tie"
    winner = "first" if len(first.text) > len(second.text) else "second"
    return {"winner": winner, "rationale": "more words"}


def first_shown(first, second, criteria):
    return "first"


def compared(judge, output, reference, **more):
    return asyncio.run(preference(judge, output, reference, **more))


class TestPreference:
    def test_both_orders_are_asked(self):
        better = compared(longer, "a long answer", "short")
        assert better.score == 1.0
        assert better.reason.count("the output is better (more words)") == 2
        assert compared(longer, "short", "a long answer").score == 0.0

    def test_position_bias_cancels(self):
        assert compared(first_shown, "x", "y").score == 0.5

    def test_the_same_text_needs_no_judge(self):
        assert compared("recorded:absent.csv", "x", "x").score == 0.5

    def test_the_prompt_stands_in_the_criteria(self):
        criteria = []
        compared(lambda a, b, c: criteria.append(c) or "tie", "x", "y", criteria="better", prompt="Why?")
        assert set(criteria) == {"better\n\nBoth answer this:\nWhy?"}

    def test_a_judge_that_fails_is_no_tie(self):
        def broken(first, second, criteria):
            raise TypeError("no")

        with pytest.raises(JudgeFailed, match="no answer"):
            compared(broken, "x", "y")


class TestPromptfoo:
    @pytest.fixture
    def judge(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "by_length.py").write_text(
            "def judge(a, b, c):\n    return 'first' if len(a.text) > len(b.text) else 'second'\n"
        )
        return "python:by_length:judge"

    def test_an_output_against_a_variable(self, judge):
        config = {"judge": judge, "reference_var": "old"}
        graded = get_assert("a long answer", {"config": config, "vars": {"old": "short"}, "prompt": "Say something."})
        assert (graded["pass"], graded["score"]) == (True, 1.0)
        assert "the output is better" in graded["reason"]

    def test_an_output_that_is_worse_fails(self, judge):
        config = {"judge": judge, "reference": "a long reference"}
        assert get_assert("short", {"config": config}) | {"reason": ""} == {"pass": False, "score": 0.0, "reason": ""}

    def test_what_the_configuration_lacks_is_named(self):
        with pytest.raises(InvalidConfig, match="needs judge"):
            get_assert("x", {"config": {"reference": "y"}, "vars": {}})


class TestOpenAITools:
    def test_a_model_gets_the_board(self):
        tool = RankTool(judge=longer, options={"seed": 1, "budget": 12})
        items = [{"id": id, "text": text} for id, text in TEXTS.items()]
        answer = json.loads(tool.call(json.dumps({"items": items, "criteria": "longer"})))
        assert [row["id"] for row in answer["items"]] == ["t4", "t3", "t2", "t1"]
        assert 0 < answer["certainty"]["p_best"] <= 1

    def test_the_definition_is_strict(self):
        function = RankTool(judge=longer).definition["function"]
        schema = function["parameters"]
        assert function["name"] == "rank_texts"
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) == set(schema["properties"]) == {"items", "criteria"}
        item = schema["properties"]["items"]["items"]
        assert (item["additionalProperties"], set(item["required"])) == (False, {"id", "text"})
        assert "$ref" not in json.dumps(schema)
        assert RankTool(judge=longer).response_definition["name"] == "rank_texts"

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ("not json", "JSON"),
            ('{"items": [], "criteria": "c"}', "items"),
            ('{"items": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "criteria": "c"}', "the same id"),
            (
                '{"items": [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}], "criteria": "c", "judge": "llm:x"}',
                "judge",
            ),
        ],
    )
    def test_what_a_model_can_mend_is_an_error_in_words(self, arguments, words):
        assert words in json.loads(RankTool(judge=longer).call(arguments))["error"]


@pytest.fixture
def memory(tmp_path):
    from paragone import Memory

    (tmp_path / "cache.md").write_text("# Cache\n\nThe cache forgets the oldest answers first.\n")
    (tmp_path / "retry.md").write_text("# Retry\n\nCalls are tried again after a growing pause.\n")
    with Memory.create(tmp_path) as created:
        created.index()
        yield created


def logged(memory, name):
    path = memory.components.store.path / "logs" / f"{name}.jsonl"
    return path.read_text("utf-8").splitlines()


class TestLangChain:
    def test_a_retriever_over_a_memory_logs_what_was_read(self, memory):
        pytest.importorskip("langchain_core")
        from paragone.integrations.langchain import MemoryRetriever

        retriever = MemoryRetriever(memory=memory, limit=1)
        (document,) = retriever.invoke("what does the cache forget?")
        assert document.metadata["path"] == "cache.md"
        assert "forgets the oldest answers first." in document.page_content
        assert any('"cache.md"' in line for line in logged(memory, "access_log"))
        assert asyncio.run(retriever.ainvoke("cache"))[0].id == document.id

    def test_a_compressor_keeps_the_best(self):
        pytest.importorskip("langchain_core")
        from langchain_core.documents import Document

        from paragone.integrations.langchain import RankCompressor

        documents = [Document(page_content=text, metadata={"name": name}) for name, text in TEXTS.items()]
        compressor = RankCompressor(judge=longer, top_n=2, options={"seed": 1})
        kept = compressor.compress_documents(documents, "length")
        assert [document.metadata["name"] for document in kept] == ["t4", "t3"]
        assert [document.metadata["paragone"]["rank"] for document in kept] == [1, 2]
        assert "paragone" not in documents[0].metadata
        assert asyncio.run(compressor.acompress_documents(documents, "length")) == kept
        assert compressor.compress_documents(documents[:1], "x") == documents[:1]


class TestLlamaIndex:
    def test_a_retriever_over_a_memory(self, memory):
        pytest.importorskip("llama_index.core")
        from paragone.integrations.llama_index import MemoryRetriever

        (node,) = MemoryRetriever(memory, limit=1).retrieve("what does the cache forget?")
        assert node.node.metadata["path"] == "cache.md"
        assert "forgets the oldest answers first." in node.node.get_content()

    def test_a_postprocessor_keeps_the_best(self):
        pytest.importorskip("llama_index.core")
        from llama_index.core.schema import NodeWithScore, TextNode

        from paragone.integrations.llama_index import RankPostprocessor

        nodes = [NodeWithScore(node=TextNode(id_=name, text=text), score=0.5) for name, text in TEXTS.items()]
        ranked = RankPostprocessor(judge=longer, top_n=2, options={"seed": 1}).postprocess_nodes(
            nodes, query_str="length"
        )
        assert [node.node.node_id for node in ranked] == ["t4", "t3"]
        assert ranked[0].score > ranked[1].score


class TestInspect:
    """A whole evaluation would fetch an encoding from the network, so the scorer is called as Inspect calls it."""

    @pytest.mark.parametrize(
        ("output", "against", "score"),
        [("a much longer answer", None, 1.0), ("short", None, 0.0), ("a much longer answer", {"7": "x" * 99}, 0.0)],
    )
    def test_a_scorer_compares_with_the_target_or_another_system(self, output, against, score):
        pytest.importorskip("inspect_ai")
        from inspect_ai.model import ModelName, ModelOutput
        from inspect_ai.scorer import Target
        from inspect_ai.solver import TaskState

        from paragone.integrations.inspect_ai import preferred

        answer = ModelOutput.from_content("mockllm/model", output)
        state = TaskState(
            model=ModelName("mockllm/model"), sample_id=7, epoch=1, input="Say something.", messages=[], output=answer
        )
        scored = asyncio.run(preferred(longer, criteria="longer", against=against)(state, Target("as long as")))
        assert scored.value == score
        assert scored.explanation.startswith("output shown first: ")
