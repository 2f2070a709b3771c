"""Learning from what was: git's history as sessions, and which model foretells accesses best."""

from paragone.memory.learning.evaluate import Evaluation, choose, evaluate
from paragone.memory.learning.git import Learned, learn_git

__all__ = ["Evaluation", "Learned", "choose", "evaluate", "learn_git"]
