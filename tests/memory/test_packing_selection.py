"""What a pack shows of each file: worked numbers, a plain twin, and a budget that holds for any files."""

import math
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paragone.memory.packing.selection import BODY, MATCH, NOTHING, OUTLINES, SIGNATURE, Choices, minimum, select


def choices(files, units):
    """Files as (chance, path, section, pinned, closed, absent), units as (file, signature, body, share, match)."""
    columns = list(zip(*files, strict=True)) or [()] * 6
    rows = list(zip(*units, strict=True)) or [()] * 5
    return Choices(
        chance=np.array(columns[0], float),
        path=np.array(columns[1], np.int64),
        section=np.array(columns[2], np.int64),
        pinned=np.array(columns[3], np.bool_),
        closed=np.array(columns[4], np.bool_),
        absent=np.array(columns[5], np.bool_),
        file=np.array(rows[0], np.int64),
        signature=np.array(rows[1], np.int64),
        body=np.array(rows[2], np.int64),
        share=np.array(rows[3], float),
        match=np.array(rows[4], float),
    )


def file(chance, path=4, section=10, pinned=False, closed=False, absent=False):
    return chance, path, section, pinned, closed, absent


def cost(made, chosen):
    """Tokens of what was chosen: paths of files without bodies, frames of those with some, signatures and bodies."""
    opened = {made.file[unit] for unit in np.flatnonzero(chosen.forms == BODY)}
    frames = sum(
        made.section[number] if number in opened else made.path[number] for number in np.flatnonzero(chosen.listed)
    )
    return frames + made.signature[chosen.forms == SIGNATURE].sum() + made.body[chosen.forms == BODY].sum()


def test_all_files_are_named_before_the_likeliest_has_a_body():
    made = choices([file(0.9), file(0.1)], [(0, 6, 60, 1.0, 0.0), (1, 6, 60, 1.0, 0.0)])
    # 0.35 x 100 holds both paths with signatures, 20; 80 are left, and the body costs 60 - 6 and a frame of 10 - 4
    assert select(made, 100).forms.tolist() == [BODY, SIGNATURE]
    assert select(made, 79).forms.tolist() == [SIGNATURE, SIGNATURE]
    assert select(made, 18).forms.tolist() == [SIGNATURE, NOTHING]
    assert select(made, 18).listed.tolist() == [True, True], "a path without a signature"


def test_without_a_budget_all_is_whole():
    made = choices([file(0.9), file(0.1)], [(0, 6, 60, 1.0, 0.0), (1, 6, 60, 0.5, 0.0), (1, 0, 900, 0.5, 0.0)])
    assert select(made, math.inf).forms.tolist() == [BODY] * 3


def test_a_query_buys_the_bodies_that_answer_it_and_leaves_every_file_named():
    units = [(0, 6, 60, 1.0, 0.0), (1, 6, 60, 1.0, 0.0)]
    asked = [(0, 6, 60, 1.0, 0.0), (1, 6, 60, 1.0, 1.0)]
    files = [file(0.9), file(0.1)]
    without, given_query = select(choices(files, units), 100), select(choices(files, asked), 100)
    assert (without.forms.tolist(), given_query.forms.tolist()) == ([BODY, SIGNATURE], [SIGNATURE, BODY])
    assert given_query.listed.all()
    assert math.exp(MATCH) * 0.1 > 0.9, "so much the better answer counts"


def test_a_body_costs_its_part_of_the_frame_so_a_file_of_a_word_is_no_bargain():
    units = [(0, 0, 1, 1.0, 0.0), (1, 0, 30, 0.5, 0.0), (1, 0, 60, 0.5, 0.0)]
    made = choices([file(0.05, section=20), file(0.6, section=20)], units)
    # .05 over 1 token and a frame of 20; .3 over 30 tokens and a third of a frame of 20, and over 60 and two thirds
    expected = [math.log(0.05 / 21), math.log(0.3 / (30 + 20 / 3)), math.log(0.3 / (60 + 40 / 3))]
    chosen = select(made, 60)
    assert np.allclose(chosen.gains, expected, rtol=0, atol=1e-8)
    assert chosen.forms.tolist() == [NOTHING, BODY, NOTHING], "by the body alone the word came first"


def test_low_r_has_no_body_what_is_pinned_comes_first_and_what_is_gone_stays_out():
    units = [(number, 6, 60, 1.0, 0.0) for number in range(3)]
    files = [file(0.9, closed=True), file(0.001, pinned=True), file(0.8, absent=True)]
    chosen = select(choices(files, units), 100)
    assert chosen.forms.tolist() == [SIGNATURE, BODY, NOTHING]
    assert chosen.listed.tolist() == [True, True, False]


@st.composite
def any_choices(draw):
    count = draw(st.integers(1, 7))
    files = [
        file(
            draw(st.floats(1e-4, 1.0)),
            path=draw(st.integers(1, 12)),
            section=draw(st.integers(12, 20)),
            pinned=draw(st.sampled_from([False, False, True])),
            closed=draw(st.booleans()),
            absent=False,
        )
        for _ in range(count)
    ]
    files = [
        (chance, path, section, pinned, closed and not pinned, absent)
        for chance, path, section, pinned, closed, absent in files
    ]
    units = [
        (
            number,
            draw(st.integers(0, 9)),
            draw(st.integers(0, 90)),
            draw(st.floats(0.01, 1.0)),
            draw(st.floats(0.0, 1.0)),
        )
        for number in range(count)
        for _ in range(draw(st.integers(1, 4)))
    ]
    return choices(files, units)


@given(any_choices(), st.integers(0, 500))
def test_the_budget_holds_and_pinned_files_are_in(made, more):
    budget = minimum(made) + more
    chosen = select(made, budget)
    assert cost(made, chosen) <= budget
    assert chosen.listed[made.pinned].all()
    assert not np.any((chosen.forms == BODY) & made.closed[made.file])
    assert not np.any((chosen.forms != NOTHING) & ~chosen.listed[made.file])


@given(any_choices(), st.integers(0, 500))
def test_a_query_takes_no_file_out_where_the_outlines_have_room_for_all(made, more):
    outlines = made.path.sum() + made.signature.sum() + made.section.sum()
    budget = minimum(made) + made.body[made.pinned[made.file]].sum() + outlines / OUTLINES + more
    without = replace(made, match=np.zeros(len(made.file)))
    assert select(without, budget).listed.all()
    assert select(made, budget).listed.all()


def plain(made, budget):  # noqa: C901 - plain rather than short
    """The twin: the same rules, one after another, with dictionaries and plain sorting."""
    files, units = range(len(made.chance)), range(len(made.file))
    log = lambda value: math.log(max(float(value), 1e-12))
    asked = [log(made.chance[made.file[u]]) + log(made.share[u]) + MATCH * float(made.match[u]) for u in units]
    everything = sum(sum(costs.tolist()) for costs in (made.path, made.section, made.signature, made.body))
    budget = min(budget, everything / OUTLINES)
    left, listed, forms = float(budget), set(), {}

    def opened(number):
        return any(form == BODY and made.file[u] == number for u, form in forms.items())

    def embody(order):
        nonlocal left
        for u in order:
            number = int(made.file[u])
            if forms.get(u) == BODY or not made.body[u] or made.closed[number]:
                continue
            price = int(made.body[u]) - (int(made.signature[u]) if forms.get(u) == SIGNATURE else 0)
            if not opened(number):
                price += int(made.section[number]) - (int(made.path[number]) if number in listed else 0)
            if price <= left:
                left -= price
                forms[u] = BODY
                listed.add(number)

    def sign(most):
        nonlocal left
        spent = sum(int(made.path[n]) for n in listed if not opened(n))
        spent += sum(int(made.signature[u]) for u, form in forms.items() if form == SIGNATURE)
        room = min(left, most - spent)
        for u in sorted(units, key=lambda u: (-round(asked[u] - log(made.signature[u]), 9), u)):
            if 0 < made.signature[u] <= room and u not in forms and int(made.file[u]) in listed:
                forms[u] = SIGNATURE
                room -= int(made.signature[u])
                left -= int(made.signature[u])

    for number in files:
        if made.pinned[number]:
            listed.add(number)
            left -= int(made.path[number])
    embody([u for u in units if made.pinned[made.file[u]]])
    best = {}
    for u in units:
        number = int(made.file[u])
        if made.signature[u] and (
            number not in best or round(float(made.share[u]), 9) > round(float(made.share[best[number]]), 9)
        ):
            best[number] = u
    price = {n: int(made.path[n]) + (int(made.signature[best[n]]) if n in best else 0) for n in files}

    def outline(most):
        nonlocal left
        floor = max(left - most, 0.0)
        for number in sorted(files, key=lambda n: (-round(log(made.chance[n]) - log(price[n]), 9), n)):
            if number in listed:
                continue
            if left - price[number] >= floor:
                left -= price[number]
                listed.add(number)
                if number in best:
                    forms[best[number]] = SIGNATURE
            elif left - int(made.path[number]) >= floor:
                left -= int(made.path[number])
                listed.add(number)

    outline(OUTLINES * budget)
    sign(OUTLINES * budget)
    embody(sorted(units, key=lambda u: (-round(asked[u] - log(made.body[u]), 9), u)))
    sign(budget)
    outline(budget)
    return listed, forms


@given(any_choices(), st.integers(0, 500))
def test_it_chooses_what_the_plain_twin_chooses(made, more):
    budget = minimum(made) + more
    chosen = select(made, budget)
    listed, forms = plain(made, budget)
    assert set(np.flatnonzero(chosen.listed).tolist()) == listed
    assert {unit: int(form) for unit, form in enumerate(chosen.forms) if form} == forms
