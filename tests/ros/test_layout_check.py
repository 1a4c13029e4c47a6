"""`tatami_layout --check` refuses what the server would refuse for its names."""

import copy
import re
import subprocess

import pytest
import yaml

from process import ROOT, binary

DOCUMENT = ROOT / "docs" / "kachaka.md"


def check(folder, text, *arguments):
    """Exit status and messages for a layout with this text."""
    file = folder / "room.yaml"
    file.write_text(text)
    command = [binary("tatami_layout"), "--check", file, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def examples():
    """Each layout that the documents show: where, and its text."""
    for name in ("layouts.md", "kachaka.md"):
        shown = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "docs" / name).read_text(), re.MULTILINE | re.DOTALL)
        assert shown, name
        yield from ((f"{name} {index}", text) for index, text in enumerate(shown))


@pytest.mark.parametrize("text", [pytest.param(text, id=where) for where, text in examples()])
def test_layouts_of_the_documents(tmp_path, text):
    status, said = check(tmp_path, text)
    assert status == 0, said


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


def test_arguments_that_ros_can_not_read(tmp_path):
    file = tmp_path / "room.yaml"
    file.write_text(ROBOT % "")
    command = [binary("tatami_layout"), file, "--ros-args", "-p"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "arguments" in said and "panicked" not in said, said


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


def documented_ranges():
    """Of each range in the tables of docs/kachaka.md: section, key, values that may just be, values that just may not."""
    section, found = "", []
    for line in DOCUMENT.read_text().splitlines():
        if line.startswith("### "):
            section = line.strip("# `")
        row = re.match(r"\| `(\w+)` \| ([\d.]+) \|[^|]*\| (> )?(-?[\d.,]+) to ([\d.,]+) \|", line)
        if row:
            key, default, is_open = row[1], row[2], row[3] is not None
            least, most = (yaml.safe_load(row[group].replace(",", "")) for group in (4, 5))
            # Parameters that are whole numbers have such defaults.
            beyond = lambda bound: 1 if "." not in default else 0.01 * (abs(bound) or 1)  # noqa: E731
            within = [most] if is_open else [least, most]
            found.append((section, key, within, [least if is_open else least - beyond(least), most + beyond(most)]))
    return found


# What has to be given along with a bound for it to be possible.
BESIDE = {"drive": {"front_stop": {"enabled": False}}, "front_stop": {"front_stop": {"enabled": False}}}
BESIDE_KEY = {
    ("battery", "low"): {"empty": 0.0},
    ("battery", "empty"): {"low": 1.0},
    ("commands", "queue_limit"): {"history_limit": 1000},
    ("commands", "history_limit"): {"queue_limit": 0},
}


def config_with(section, key, value):
    """The text of a layout with that value of a parameter of a Kachaka."""
    config = copy.deepcopy(BESIDE.get(section, {}))
    config.setdefault(section, {}).update(BESIDE_KEY.get((section, key), {}) | {key: value})
    robot = {"name": "k", "model": "kachaka", "onboard_config": config}
    return yaml.safe_dump({"robots": [robot]})


def test_parameters_of_a_kachaka_may_be_what_is_documented_and_nothing_else(tmp_path):
    ranges = documented_ranges()
    assert len(ranges) > 50, ranges
    for section, key, within, beyond in ranges:
        for value in within:
            status, said = check(tmp_path, config_with(section, key, value))
            assert status == 0, f"{section}.{key} of {value}: {said}"
        for value in beyond:
            status, said = check(tmp_path, config_with(section, key, value))
            assert status == 1 and f"{section}.{key}" in said, f"{section}.{key} of {value}: {status}, {said}"
