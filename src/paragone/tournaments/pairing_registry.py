"""Pairing policies by name: the modules ``NAME_policy`` of ``tournaments.planning``, and those that plugins bring."""

from collections.abc import Callable
from functools import partial
from importlib import import_module

from paragone.domain import PAIRED, PairingPolicy
from paragone.domain.refusals import listed
from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidConfig
from paragone.plugins import Registry, require_callable


def _built_in(name: str) -> object:
    return import_module(f"paragone.tournaments.planning.{name.replace('-', '_')}_policy")


def _of_plugin(name: str, policy: object) -> Callable[[], object]:
    for member in ("plan", "most_comparisons"):
        require_callable(f"{name}.{member}", getattr(policy, member, None))
    return lambda: policy


PAIRINGS: Registry[Callable[[], object]] = Registry(
    "pairings",
    {name: partial(_built_in, name) for name in map(str, PairingPolicy)},
    _of_plugin,
    reserved=frozenset({PAIRED}),
)
"""The function that returns the policy of a name, a `paragone.tournaments.planning.schedule.Policy`."""


def check_pairing(name: object) -> None:
    """Refuse the name of a pairing that does not exist.

    Raises:
        InvalidConfig: If nothing has the name.
        PluginRefused: If the plugin that has it cannot be used.
    """
    if PAIRINGS.get(str(name)) is None:
        raise InvalidConfig(f"pairing must be {listed(PAIRINGS)}, not {name!r}{did_you_mean(str(name), PAIRINGS)}")


def policy_named(name: str) -> object:
    """The policy of a tournament on record.

    Raises:
        InvalidConfig: If the plugin that brought it is not installed.
        PluginRefused: If the plugin that brings it cannot be used.
    """
    if name == PAIRED:
        return _built_in(name)
    policy = PAIRINGS.get(name)
    if policy is None:
        raise InvalidConfig(
            f"the pairing {name!r} came with a plugin that is not installed; `paragone plugins` lists those that are"
        )
    return policy()
