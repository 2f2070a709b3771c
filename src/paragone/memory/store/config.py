"""What a store is configured to do. Each section is a table of ``memory.toml``; what it leaves out has its default."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from paragone.domain.content import UsageConfig
from paragone.errors import InvalidConfig
from paragone.wire.pack import PackMode
from paragone.wire.search import SearchMode

RankBy = Literal["elo", "need"]


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexConfig:
    """What is indexed. Patterns are those of .gitignore files.

    Attributes:
        include: Only what matches one of these.
        exclude: Not what matches one of these.
        secrets: Patterns of secrets besides the built-in ones: never indexed, shown, read or packed.
        gitignore: Whether .gitignore files are honoured.
        max_bytes: Larger files are not indexed.
        chunk_tokens: About how many tokens a chunk holds at most.
        decisions: Files that are decision records.
        decision_id: A regular expression (RE2) for the id of a record, in its name or its first heading; its first
            group is the id, or its number.
    """

    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    gitignore: bool = True
    max_bytes: int = 1_000_000
    chunk_tokens: int = 256
    decisions: tuple[str, ...] = ("**/decisions/**/*.md", "**/adr/**/*.md", "**/adrs/**/*.md", "**/ADR-*.md")
    decision_id: str = r"(?i)\b(ADR-?\d+)\b"


@dataclass(frozen=True, kw_only=True, slots=True)
class TierConfig:
    """Initial ratings by path; the first section with a pattern that matches holds, patterns being as in .gitignore.

    Attributes:
        high: 1600, and pinned: never pruned, always packed.
        medium: 1200.
        low: 800.
        default: Of what nothing matches.
    """

    high: tuple[str, ...] = ("LAW/CANON/**", "AGENTS.md", "NAVIGATION/MAPS/**")
    medium: tuple[str, ...] = ("CAPABILITY/SKILLS/**", "LAW/CONTEXT/decisions/**")
    low: tuple[str, ...] = ("THOUGHT/LAB/**", "MEMORY/ARCHIVE/**", "**/fixtures/**")
    default: Literal["high", "medium", "low"] = "medium"


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingConfig:
    """How search results are ordered.

    Attributes:
        mode: ``relevance``, ``bounded`` or ``document``.
        rank_by: Which rating counts and is shown as the rating: the running Elo, or need.
        bound: How far a rating moves a score at most under ``bounded``, either way.
    """

    mode: SearchMode = "relevance"
    rank_by: RankBy = "elo"
    bound: float = 0.15


@dataclass(frozen=True, kw_only=True, slots=True)
class TruthConfig:
    """Where R of content comes from, besides being supplied.

    Attributes:
        ledger: File or URL of a ledger of agents, whose verified and disproven claims speak for what they wrote.
        authors: By pattern of path, the agent who wrote it.
    """

    ledger: str = ""
    authors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class PackConfig:
    """How packs are made.

    Attributes:
        mode: ``budget`` or ``tiers``.
        tokens: The budget, in real tokens of ``cl100k_base``.
        order: Which rating orders files under ``budget``.
        exclude: Patterns of paths that are never packed, besides secrets.
    """

    mode: PackMode = "budget"
    tokens: int = 32_000
    order: RankBy = "need"
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PruneConfig:
    """What may be archived.

    Attributes:
        scope: Patterns of what is short-term memory; nothing else is ever pruned, and nothing where none is named.
        below: Elo points below which a rating is low.
        stale_days: Days without a use after which content is stale.
    """

    scope: tuple[str, ...] = ()
    below: float = 1200.0
    stale_days: float = 90.0


@dataclass(frozen=True, kw_only=True, slots=True)
class LogConfig:
    """How logs are kept.

    Attributes:
        rotate_bytes: A log goes on in another file before it is larger than this.
    """

    rotate_bytes: int = 64 * 1024 * 1024


_LEAST = (
    ("index", "max_bytes", 1),
    ("index", "chunk_tokens", 1),
    ("pack", "tokens", 1),
    ("prune", "below", 0),
    ("prune", "stale_days", 0),
    ("logs", "rotate_bytes", 1),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryConfig:
    """A store's whole configuration."""

    index: IndexConfig = field(default_factory=IndexConfig)
    tiers: TierConfig = field(default_factory=TierConfig)
    ratings: UsageConfig = field(default_factory=UsageConfig)
    ranking: RankingConfig = field(default_factory=RankingConfig)
    truth: TruthConfig = field(default_factory=TruthConfig)
    pack: PackConfig = field(default_factory=PackConfig)
    prune: PruneConfig = field(default_factory=PruneConfig)
    logs: LogConfig = field(default_factory=LogConfig)

    def __post_init__(self) -> None:
        for section, name, least in _LEAST:
            value = getattr(getattr(self, section), name)
            if not least <= value < math.inf:
                raise InvalidConfig(f"{section}.{name} is {least} or more, not {value}", key=f"{section}.{name}")
        if not 0.0 <= self.ranking.bound < 1.0:
            raise InvalidConfig(f"ranking.bound lies in [0, 1), not {self.ranking.bound}", key="ranking.bound")
