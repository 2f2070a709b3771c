"""A fit holds BLAS to one thread, and puts back what its caller had set."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from paragone.errors import NotConverged
from paragone.ratings import Evidence, FitOptions, draws, fit
from paragone.ratings.model.curvature import DenseCurvature, lapack, one_thread

CALLERS = 2
EVIDENCE = Evidence.from_arrays(3, [0, 1, 2, 0], [1, 2, 0, 2], [1.0, 1.0, 0.0, 0.5])


def threads():
    """Settings of the libraries that a fit calls: faiss brings a BLAS of its own, which may be loaded at any time."""
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    return {library.num_threads for library in libraries if "faiss" not in library.filepath}


@pytest.fixture(autouse=True)
def _two_threads():
    lapack()
    with threadpool_limits(CALLERS, user_api="blas"):
        if threads() != {CALLERS}:
            pytest.skip("BLAS was built for one thread")
        yield


def test_a_fit_and_its_draws_take_one_thread(monkeypatch):
    """Seen from within: the curvature of a fit is solved and sampled by BLAS."""
    seen, solve = [], DenseCurvature.solve

    def watched(curvature, right):
        seen.append(threads())
        return solve(curvature, right)

    monkeypatch.setattr(DenseCurvature, "solve", watched)
    draws(fit(EVIDENCE), 10, np.random.default_rng(0))
    assert seen
    assert all(each == {1} for each in seen)
    assert threads() == {CALLERS}


def test_a_fit_that_fails_puts_the_setting_back():
    with pytest.raises(NotConverged):
        fit(EVIDENCE, FitOptions(max_iterations=0))
    assert threads() == {CALLERS}


def test_the_last_of_several_to_leave_puts_the_setting_back():
    """One enters, another enters, the first leaves: still one thread; the second leaves: what it was."""
    both_in, first_out = Barrier(2, timeout=30), Barrier(2, timeout=30)

    def first():
        with one_thread:
            both_in.wait()
        first_out.wait()

    def second():
        with one_thread:
            both_in.wait()
            first_out.wait()
            return threads()

    with ThreadPoolExecutor(2) as pool:
        leaving, staying = pool.submit(first), pool.submit(second)
        leaving.result()
        assert staying.result() == {1}
    assert threads() == {CALLERS}


def test_libraries_that_are_loaded_meanwhile_are_limited_too():
    with one_thread:
        threadpool_limits(CALLERS, user_api="blas")  # as a library is that has just been loaded
        one_thread.look_again()
        assert threads() == {1}
    assert threads() == {CALLERS}
