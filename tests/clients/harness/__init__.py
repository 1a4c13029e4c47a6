"""What the tests with real clients start and control: a server, adapters, and a helper that speaks ROS for them."""

import pathlib
import sys

# The tests of the server have what starts and ends programs. Behind everything else, so that no name here is taken.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "ros"))
