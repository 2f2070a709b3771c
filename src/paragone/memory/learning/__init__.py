"""Learning from the past: git's history as sessions, and which model predicts use best."""

from paragone.memory.learning.evaluate import Evaluation, choose, evaluate
from paragone.memory.learning.git import Learned, learn_git

__all__ = ["Evaluation", "Learned", "choose", "evaluate", "learn_git"]
