"""Who meets whom: ratings, history and a source of randomness in, pairings out. Pure: no clock, no files, no network.

``gain`` asks what takes most from the risk of a wrong ranking, by the whole posterior;
``informative`` asks near neighbours by means and posterior draws, in larger pools; these two know items as indices.
``forecast`` says how good the ranking is expected to be and when that is enough; ``presentation`` keeps what was asked
and balances who is shown first; ``weighted`` and ``weighted_round`` choose by the specifications' weights.
``swiss`` and ``round_robin`` work on ids and records. Each policy has a module of the
same name in ``tournaments/planning``, which plans a tournament's rounds with it; its name is in ``domain/pairing.py``.
The package may use ``domain``, ``errors`` and numpy; it knows nothing of how ratings are made, of judges, or of the
ledger. Modules are imported by name, so that a Swiss tournament loads no numpy.
"""
