"""What becomes of two standings that are one, since a file got the path of another that is known already."""

from paragone.domain.content import Standing, TruthSource, UsageConfig


def merged(moving: Standing, there: Standing, config: UsageConfig) -> Standing:
    """One standing of two: the rating of the busier, the uses of both.

    Where both had as many updates, the one that is there already counts as the busier. R is that of the one that is
    there, and of the other one where it has none.
    """
    busier = moving if moving.updates > there.updates else there
    truth = dict((*moving.truth, *there.truth))
    return Standing(
        content=there.content,
        elo=busier.elo,
        initial=busier.initial,
        updates=moving.updates + there.updates,
        uses=moving.uses + there.uses,
        first_use=min(_known(moving.first_use, there.first_use), default=None),
        last_use=max(_known(moving.last_use, there.last_use), default=None),
        recent=tuple(sorted((*moving.recent, *there.recent)))[-config.need_recent :],
        truth=tuple((source, truth[source]) for source in TruthSource if source in truth),
    )


def _known(*times: float | None) -> list[float]:
    return [time for time in times if time is not None]
