"""LlamaIndex: a retriever over a memory, and a node postprocessor that reranks by a judge.

Source: the reference of llama-index-core, ``BaseRetriever`` and ``BaseNodePostprocessor``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

from paragone.domain import BoardRow
from paragone.integrations.reranking import CRITERIA, aorder, figures, order, passages

if TYPE_CHECKING:
    from paragone.memory import Memory


class MemoryRetriever(BaseRetriever):
    """Retrieves passages of a `paragone.Memory`; what it returns is logged, so ratings follow use.

    Args:
        memory: The memory. It is used in the thread that calls.
        limit: Passages at most.
        whole: Whether nodes hold passages whole, which logs them as read, or snippets.
        search: Further arguments of ``Memory.search``, such as ``glob``.
    """

    def __init__(self, memory: "Memory", *, limit: int = 10, whole: bool = True, **search: Any) -> None:  # noqa: ANN401
        super().__init__()
        self._memory, self._limit, self._whole, self._search = memory, limit, whole, search

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        retrieved = passages(self._memory, query_bundle.query_str, limit=self._limit, whole=self._whole, **self._search)
        return [
            NodeWithScore(node=TextNode(id_=each.id, text=each.text, metadata=each.metadata), score=each.score)
            for each in retrieved
        ]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._retrieve(query_bundle)  # in this thread: a memory belongs to the one that opened it


class RankPostprocessor(BaseNodePostprocessor):
    """Reranks nodes by comparing them in pairs, and keeps the best; their scores become ratings in Elo points.

    Attributes:
        judge: A judge: a spec, or a function of two items and the criteria.
        top_n: Nodes to keep; None for all.
        criteria: What makes one better; ``{query}`` stands for the query.
        options: Further arguments of ``paragone.rank``, such as ``budget``, ``max_cost`` and ``seed``.
    """

    judge: Any
    top_n: int | None = None
    criteria: str = CRITERIA
    options: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def class_name(cls) -> str:
        """Its name in serialized pipelines."""
        return "ParagoneRankPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if len(nodes) < 2:
            return nodes
        return _best(nodes, order(self, _texts(nodes), _query(query_bundle)))

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if len(nodes) < 2:
            return nodes
        return _best(nodes, await aorder(self, _texts(nodes), _query(query_bundle)))


def _query(bundle: QueryBundle | None) -> str:
    return "" if bundle is None else bundle.query_str


def _texts(nodes: Sequence[NodeWithScore]) -> list[str]:
    return [node.node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]


def _best(nodes: Sequence[NodeWithScore], ranking: Sequence[tuple[int, BoardRow]]) -> list[NodeWithScore]:
    ranked = []
    for index, row in ranking:
        node = nodes[index].node.model_copy(deep=True)
        node.metadata["paragone"] = figures(row)
        ranked.append(NodeWithScore(node=node, score=row.rating))
    return ranked
