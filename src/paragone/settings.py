"""Settings from the environment; the only module that reads it.

Each setting is a variable ``PARAGONE_<NAME>``. Keys of model providers are not settings: the providers' own libraries
read them, so that they pass through nothing of ours.
"""

import os
from collections.abc import Mapping
from functools import cache

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from paragone.errors import InvalidConfig


class Settings(BaseSettings):
    """What the environment may set; an option on the command line goes before it.

    Attributes:
        db: File or URL of the ledger.
        judge: Judge spec for commands that need one.
        concurrency: Judge calls at once.
        timeout: Seconds a call may take.
        attempts: Tries a call before it counts as failed.
    """

    model_config = SettingsConfigDict(env_prefix="PARAGONE_", frozen=True, extra="ignore")

    db: str = Field(default="paragone.db", min_length=1, repr=False)  # a URL may hold a password
    judge: str | None = None
    concurrency: int = Field(default=8, ge=1)
    timeout: float = Field(default=300.0, gt=0)
    attempts: int = Field(default=3, ge=1)


def environment() -> Mapping[str, str]:
    """The environment's variables, for those who must know which are there."""
    return os.environ


@cache
def settings() -> Settings:
    """The settings, read once.

    Raises:
        InvalidConfig: Naming the variable that is wrong.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        raise InvalidConfig(f"environment variable PARAGONE_{name}: {first['msg'].lower()}") from None
