"""Long calls let other threads run and stop at Ctrl-C."""

import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import kvproof

CALLS = {
    "certify": "kvproof.certify(*big, calibration='self', threads={threads})",
    "read": "kvproof.read(*big, calibration='self', threads={threads})",
    "probe": "kvproof.probe('hypercube:5', 5, 3, coins='none')",
}

PROGRAM = """
    import os, signal, threading
    import numpy as np
    import kvproof
    rng = np.random.default_rng(0)
    keys, values = rng.normal(size=(2, 8, 2, 4000, 64))
    big = keys, values, rng.normal(size=(8, 4, 2000, 64))
    kvproof.lloyd_table()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted")
    else:
        print("finished")
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_arrives(name, threads):
    program = textwrap.dedent(PROGRAM).format(call=CALLS[name].format(threads=threads))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # each of these calls takes far longer than the timer
    assert done.stdout == "interrupted\n"


def test_other_threads_run_meanwhile():
    rng = np.random.default_rng(0)
    keys, values = rng.normal(size=(2, 2, 600, 64))
    queries = rng.normal(size=(4, 300, 64))
    steps = []
    done = threading.Event()

    def count():
        while not done.is_set():
            steps.append(None)
            done.wait(0.001)

    other = threading.Thread(target=count)
    other.start()
    before = len(steps)
    kvproof.certify(keys, values, queries, calibration="self")
    during = len(steps) - before
    done.set()
    other.join()
    assert during > 1


def test_signal_handlers_are_left_alone():
    before = signal.getsignal(signal.SIGINT)
    kvproof.choose_depths([1.0], budget=1)
    assert signal.getsignal(signal.SIGINT) is before
