"""A ROS domain of one's own, so that two runs of the tests do not meet."""

import fcntl
import os
import pathlib
import tempfile


def reserve_domain():
    """A ROS domain that no other run on this machine has, by the same locks as scripts/test.

    Returns the open lock, which holds the reservation until this process ends.
    """
    for attempt in range(101):
        domain = (os.getpid() + attempt) % 101 + 1
        try:
            lock = open(pathlib.Path(tempfile.gettempdir()) / f"tatami-test-domain-{domain}.lock", "a")
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        return lock
    raise RuntimeError("all ROS domains of this machine are reserved by other runs of the tests")
