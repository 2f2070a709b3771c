from pathlib import Path

import bm25s

paths = sorted(Path().rglob("*.md"))
retriever = bm25s.BM25()
retriever.index(bm25s.tokenize([path.read_text() for path in paths]))
results, scores = retriever.retrieve(bm25s.tokenize("calls that a comparison of two prompts takes"), k=10)
for document, score in zip(results[0], scores[0]):
    print(f"{score:.1f}", paths[document])
