"""`tatami_layout --check` refuses what the server would refuse for its names."""

import subprocess

import pytest

from process import binary


def check(folder, text, *arguments):
    """Exit status and messages for a layout with this text."""
    file = folder / "room.yaml"
    file.write_text(text)
    command = [binary("tatami_layout"), "--check", file, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


ROBOT = "robots:\n  - {name: k, model: kachaka%s}\n"


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (', robot_namespace: "1a b"', ["robot_namespace"]),
        (', frame_prefix: "a b/"', ["odom_frame", "white space"]),
        (", tf_topic: /clock", ["tf_topic", "/clock"]),
        ("}\n  - {name: l, model: kachaka", ["robots[1]", "frame_prefix", "k"]),
    ],
)
def test_names_that_the_server_refuses(tmp_path, rest, words):
    status, said = check(tmp_path, ROBOT % rest)
    assert status == 1, said
    assert "room.yaml" in said, said
    for word in words:
        assert word in said, (word, said)


PLACES = "locations:\n  - {id: a}\n  - id: %s\n"


@pytest.mark.parametrize(
    ("robots", "id_", "words"),
    [
        (ROBOT % "", "odom", [":5:9:", '"odom"', "odom_frame"]),
        (ROBOT % "", "laser_frame", [":5:9:", '"laser_frame"', "urdf"]),
        (ROBOT % "", "map", [":5:9:", '"map"', "the frame of the map"]),
        (ROBOT % "", '"a b"', [":5:9:", '"a b"', "white space"]),
        # What another robot's odometry hangs under.
        (ROBOT % "}\n  - {name: p, model: kachaka, frame_prefix: p/", "p/odom", [":6:9:", '"p/odom"']),
    ],
)
def test_places_that_can_not_be_frames(tmp_path, robots, id_, words):
    status, said = check(tmp_path, robots + PLACES % id_)
    assert status == 1, said
    for word in ["room.yaml", "locations[1].id", '"k"', *words]:
        assert word in said, (word, said)


def test_places_that_are_frames_of_nobody(tmp_path):
    status, said = check(tmp_path, ROBOT % ", frame_prefix: k/" + PLACES % "laser")
    assert status == 0, said


def test_two_robots_that_are_told_apart(tmp_path):
    status, said = check(tmp_path, ROBOT % "}\n  - {name: l, model: kachaka, frame_prefix: l/, x: 1.0")
    assert status == 0, said


def test_a_prefix_that_makes_a_bad_name(tmp_path):
    status, said = check(tmp_path, ROBOT % "", "--prefix", "9/")
    assert status == 1, said
    assert "robots[0]" in said, said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ROBOT % ", onboard_config: {battery: {intial: 1.0}}", [":2:", "onboard_config.battery", '"initial"']),
        (ROBOT % ", onboard_config: {speaker: {volume: 11}}", [":2:", "onboard_config.speaker.volume", "0 to 10"]),
        (ROBOT % ", onboard: kachakka", [":2:", "robots[0].onboard", '"kachaka"']),
        ("locations:\n  - {id: a}\n  - {id: a}\n", [":3:", "locations[1].id", "locations[0]"]),
    ],
)
def test_software_and_places_that_can_not_be(tmp_path, text, words):
    status, said = check(tmp_path, text)
    assert status == 1, said
    assert "room.yaml" in said, said
    for word in words:
        assert word in said, (word, said)
