"""What wins and what loses: features of texts, criteria, topics and their trends.

Pure: decided matches and texts come in, findings in plain words go out. scikit-learn is imported where it is used.
"""

from paragone.analysis.patterns.analysis import Patterns, analyse
from paragone.analysis.patterns.decided_matches import DecidedMatch, decided_matches
from paragone.analysis.patterns.features import FeatureKind
from paragone.analysis.patterns.topic_trends import TopicTrend

__all__ = [
    "DecidedMatch",
    "FeatureKind",
    "Patterns",
    "TopicTrend",
    "analyse",
    "decided_matches",
]
