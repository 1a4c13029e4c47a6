"""The first session of the README works as it stands there."""

import pathlib
import re
import subprocess
import sys

import pytest
from harness.robot import Robot

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
SESSION = re.compile(r"kachaka-client/bin/python - <<'END'\n(?P<program>.*?)\nEND\n", re.DOTALL)


def test_first_session_with_the_client(start_world):
    world = start_world(paused=False, real_time_factor=10.0)
    robot = Robot(world)
    robot.settled()
    program = SESSION.search(README.read_text())["program"]
    assert "127.0.0.1:26400" in program
    done = subprocess.run(
        [sys.executable, "-E", "-c", program.replace("127.0.0.1:26400", robot.target)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    # What it prints is what its comments say.
    said = [line for line in done.stdout.splitlines() if line]
    assert said == re.findall(r"  # (.*)", program), done.stdout
    assert robot.truth().x == pytest.approx(0.5, abs=1e-3)
