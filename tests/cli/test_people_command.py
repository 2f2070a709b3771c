"""``paragone people`` and the list of tournaments, as somebody at the terminal reads them."""

import re

NEW = ("tournament", "new", "items.csv", "--judge", "python:longer:judge", "--seed", "3", "--similarity", "none")


def test_the_first_link_says_that_its_maker_needs_a_token_from_now_on(paragone):
    assert paragone(*NEW).code == 0
    assert paragone("token", "list").out == "there is no token yet: paragone token add NAME --role ROLE makes one\n"
    assert paragone("people").out == "nobody has a token or an invitation yet: paragone people invite makes a link\n"
    first = paragone("people", "invite", "--uses", "2")
    assert "/join?invite=" in first.out
    assert "paragone token add NAME --role admin" in first.err
    assert paragone("people").out.splitlines()[0].split()[:2] == ["invitation", "may"]
    assert paragone("token", "add", "ada", "--role", "admin").code == 0
    assert "token add" not in paragone("people", "invite").err


def test_the_list_of_tournaments_has_times_to_the_minute(paragone):
    assert paragone(*NEW).code == 0
    listing = paragone("tournament", "list").out
    assert re.search(r"items-1 .* active +\d{4}-\d\d-\d\d \d\d:\d\d UTC", listing), listing
