"""The part of a spec that names a model."""

import re

from paragone.errors import UnknownJudge


def model_and_url(argument: str) -> tuple[str, str | None]:
    """The model's name, and the address of its endpoint where one is given.

    Args:
        argument: ``MODEL``, ``PROVIDER:MODEL`` or ``MODEL@URL``.

    Raises:
        UnknownJudge: If what follows the ``@`` is no address.
    """
    endpoint = re.fullmatch(r"(?P<model>.+?)@(?P<url>https?://\S+)", argument)
    if endpoint is None and re.search(r"@[^@]*[:/]", argument):
        raise UnknownJudge(f"in llm:{argument} the address after '@' must begin with http:// or https://")
    return (argument, None) if endpoint is None else (endpoint["model"], endpoint["url"])
