"""paragone within other tools: retrievers and rerankers, scorers and assertions, and a tool for models.

Each module needs the package that it is named after, which is none of paragone's dependencies; ``openai_tools`` and
``promptfoo`` need none. Import the module: ``from paragone.integrations.langchain import RankCompressor``.
"""
