"""Prompts as files, each with its SHA-256, and the fence that keeps items apart from instructions.

A rubric is read from this folder when a judge is made; its hash goes into every verdict, so that a changed prompt is
another judge. Nothing here knows a model.
"""

from paragone.judges.rubrics.fence import cut, encodable, mark
from paragone.judges.rubrics.rubric import Rubric, load

__all__ = ["Rubric", "cut", "encodable", "load", "mark"]
