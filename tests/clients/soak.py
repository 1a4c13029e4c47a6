"""Polls a running Kachaka for minutes as its ROS 2 bridge does, while it carries out commands. Run by scripts/soak.

usage: soak.py [MINUTES]    5 if nothing is said; ends with 1 when anything went wrong or memory grew
"""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from harness.bridge import Bridge  # noqa: E402
from harness.robot import Robot  # noqa: E402
from harness.soak import Soak  # noqa: E402
from harness.world import World  # noqa: E402

# Part of the time after which everything that is kept on purpose should be there.
WARM_UP = 0.3
# What resident memory may grow by after that: an allocator keeps some of what was freed.
GROWTH = 0.03
SLACK_KILOBYTES = 1024


class Memory:
    """Resident memory of a program over time."""

    def __init__(self, process):
        self.process = process
        self.samples = []

    def take(self):
        self.samples.append(self.process.resident_kilobytes())

    def check(self):
        """Prints what it was. Returns whether it stayed."""
        warm = max(self.samples[: max(1, round(len(self.samples) * WARM_UP))])
        end = max(self.samples[-max(1, len(self.samples) // 10) :])
        allowed = round(warm * (1 + GROWTH)) + SLACK_KILOBYTES
        print(f"{self.process.name}: {self.samples[0]} kB at first, {warm} kB warm, {end} kB at the end", flush=True)
        if end > allowed:
            print(f"{self.process.name}: memory grew above {allowed} kB")
        return end <= allowed


def soak(robot, minutes):
    """Runs for that long. Returns whether all was well."""
    memories = [Memory(robot.adapter), Memory(robot.world.server)]
    bridge = Bridge(robot.target)
    try:
        run = Soak(robot, bridge)
        end = time.monotonic() + 60 * minutes
        told = 0.0
        while time.monotonic() < end:
            run.one_command()
            for memory in memories:
                memory.take()
            if time.monotonic() > told + 30:
                told = time.monotonic()
                print(f"{run.commands} commands, {bridge.polls} polls, {end - told:.0f} s to go", flush=True)
    finally:
        bridge.stop()
    run.check()
    print(f"{run.commands} commands, each result seen once; {bridge.polls} polls, none failed")
    for poller in bridge.pollers:
        print(f"  {poller.rpc}: {poller.polls} polls, {poller.values} values, {poller.silent} without news")
    return all([memory.check() for memory in memories])


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    world = World(paused=False)
    try:
        well = soak(Robot(world), minutes)
    finally:
        world.close()
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
