"""Which claims of agents held: counts from a ledger, and which agent wrote which file."""

from collections.abc import Iterable, Iterator, Mapping

from paragone.analysis.content import Checked
from paragone.domain import ItemKind, VerificationResult
from paragone.errors import NotFound
from paragone.ledger import Ledger, without_password


def checked_claims(ledger: str) -> dict[str, Checked]:
    """Proven and disproven claims by agent, summed over all pools of agents of a ledger; nothing is written.

    Args:
        ledger: A file or URL.

    Raises:
        NotFound: If there is no such ledger.
    """
    try:
        opened = Ledger.open(ledger, create=False)
    except NotFound:
        place = without_password(ledger)
        raise NotFound(f"there is no ledger in {place}; name one in memory.toml: [truth] ledger") from None
    found: dict[str, Checked] = {}
    with opened:
        for pool in opened.pools.all():
            if pool.kind is ItemKind.AGENT:
                for test in opened.agents.tests(pool.id):
                    _count(found, test.test)
    return found


def _count(found: dict[str, Checked], test: object) -> None:
    if isinstance(test, VerificationResult):
        one = Checked(verified=test.verified, disproven=test.disproven)
        found[test.item] = found.get(test.item, Checked()) + one


def authors_of(paths: Iterable[str], authors: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each path with the agent who wrote it, by the first pattern that matches; others are left out.

    Args:
        paths: Below the root, with slashes.
        authors: By pattern of path, as in a .gitignore file, the agent.
    """
    from pathspec import GitIgnoreSpec

    known = [(GitIgnoreSpec.from_lines([pattern]), agent) for pattern, agent in authors.items()]
    for path in paths:
        agent = next((agent for spec, agent in known if spec.match_file(path)), None)
        if agent is not None:
            yield path, agent
