"""Nouns of content: what agents read, what they did with it, and where it stands by that. Standard library only."""

from paragone.domain.content.content import Content, ContentKind, ContentTier, Quadrant, content_tier
from paragone.domain.content.event import (
    Action,
    Event,
    Pooled,
    PoolSize,
    Renamed,
    Showing,
    Shown,
    TruthFound,
    TruthSource,
    Use,
)
from paragone.domain.content.standing import OpenSearch, Standing, UsageMove
from paragone.domain.content.usage_config import DEFAULT_THRESHOLDS, UsageConfig

__all__ = [
    "DEFAULT_THRESHOLDS",
    "Action",
    "Content",
    "ContentKind",
    "ContentTier",
    "Event",
    "OpenSearch",
    "PoolSize",
    "Pooled",
    "Quadrant",
    "Renamed",
    "Showing",
    "Shown",
    "Standing",
    "TruthFound",
    "TruthSource",
    "UsageConfig",
    "UsageMove",
    "Use",
    "content_tier",
]
