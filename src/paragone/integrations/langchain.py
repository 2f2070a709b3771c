"""LangChain: a retriever over a memory, and a document compressor that reranks by a judge.

Source: the reference of langchain-core, ``BaseRetriever`` and ``BaseDocumentCompressor``.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun, Callbacks
from langchain_core.documents import Document
from langchain_core.documents.compressor import BaseDocumentCompressor
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from paragone.domain import BoardRow
from paragone.integrations.reranking import CRITERIA, aorder, figures, order, passages


class MemoryRetriever(BaseRetriever):
    """Retrieves passages of a `paragone.Memory`; what it returns is logged, so ratings follow use.

    Attributes:
        memory: The memory. It is used in the thread that calls.
        limit: Passages at most.
        whole: Whether documents hold passages whole, which logs them as read, or snippets.
        search: Further arguments of ``Memory.search``, such as ``glob``.
    """

    memory: Any
    limit: int = 10
    whole: bool = True
    search: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002
        return self._documents(query)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return self._documents(query)  # in this thread: a memory belongs to the one that opened it

    def _documents(self, query: str) -> list[Document]:
        retrieved = passages(self.memory, query, limit=self.limit, whole=self.whole, **self.search)
        return [
            Document(id=each.id, page_content=each.text, metadata={**each.metadata, "score": each.score})
            for each in retrieved
        ]


class RankCompressor(BaseDocumentCompressor):
    """Reranks documents by comparing them in pairs, and keeps the best.

    Their metadata gets ``paragone``: rating, rank, and the best and worst rank that the evidence allows.

    Attributes:
        judge: A judge: a spec, or a function of two items and the criteria.
        top_n: Documents to keep; None for all.
        criteria: What makes one better; ``{query}`` stands for the query.
        options: Further arguments of ``paragone.rank``, such as ``budget``, ``max_cost`` and ``seed``.
    """

    judge: Any
    top_n: int | None = None
    criteria: str = CRITERIA
    options: dict[str, Any] = Field(default_factory=dict)

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,  # noqa: ARG002 - as all compressors
    ) -> Sequence[Document]:
        """The best documents, best first."""
        if len(documents) < 2:
            return documents
        return _best(documents, order(self, _texts(documents), query))

    async def acompress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,  # noqa: ARG002
    ) -> Sequence[Document]:
        """The same without blocking the loop while the judge is asked."""
        if len(documents) < 2:
            return documents
        return _best(documents, await aorder(self, _texts(documents), query))


def _texts(documents: Sequence[Document]) -> list[str]:
    return [document.page_content for document in documents]


def _best(documents: Sequence[Document], ranking: Sequence[tuple[int, BoardRow]]) -> list[Document]:
    return [
        documents[index].model_copy(update={"metadata": {**documents[index].metadata, "paragone": figures(row)}})
        for index, row in ranking
    ]
