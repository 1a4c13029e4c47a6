"""Waiting for conditions."""

import time

# s of wall time, far above what anything takes, so that only what never comes runs into it.
DEADLINE = 30.0


def eventually(read, condition, what, deadline=DEADLINE):
    """Reads again and again until the condition holds for what was read. Returns that."""
    end = time.monotonic() + deadline
    while True:
        value = read()
        if condition(value):
            return value
        assert time.monotonic() < end, f"waited {deadline} s for {what}; the last was {value!r}"
        # Whoever is waited for needs the processor, too.
        time.sleep(0.005)
