"""A stand-in package must be the same type as the package it stands in for, or DDS keeps the two apart.

rosidl writes the hash of every type into the JSON files of a package's share folder; type_hashes.txt holds those of the
public packages.
"""

import json
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_prefix

REPOSITORY = Path(__file__).resolve().parents[2]


def read_expected():
    """Type name to hash, for every row of type_hashes.txt."""
    lines = Path(__file__).with_name("type_hashes.txt").read_text().splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


EXPECTED = read_expected()
STANDINS = sorted(path.parent.name for path in (REPOSITORY / "msg_pkg" / "standins").glob("*/package.xml"))


def interfaces_of(package):
    """Name of each interface of an installed stand-in, to the hashes in its JSON file."""
    prefix = Path(get_package_prefix(package))
    if not prefix.is_relative_to(REPOSITORY / ".ros" / "msgs"):
        pytest.skip(f"{package} comes with the ROS 2 installation in {prefix}: no stand-in is in use")
    found = {}
    for kind in ("msg", "srv", "action"):
        for file in (prefix / "share" / package / kind).glob("*.json"):
            hashes = json.loads(file.read_text())["type_hashes"]
            found[f"{package}/{kind}/{file.stem}"] = {row["type_name"]: row["hash_string"] for row in hashes}
    assert found, f"{prefix} holds no interface of {package}"
    return found


def test_every_stand_in_has_rows():
    without_rows = [name for name in STANDINS if not any(row.startswith(f"{name}/") for row in EXPECTED)]
    assert not without_rows, f"no row of type_hashes.txt is about {without_rows}"


@pytest.mark.parametrize("package", STANDINS)
def test_every_interface_has_a_row_and_every_row_an_interface(package):
    interfaces = interfaces_of(package)
    built = {name for hashes in interfaces.values() for name in hashes}
    rows = {name for name in EXPECTED if name.startswith(f"{package}/")}
    assert set(interfaces) <= rows, f"no row for {sorted(set(interfaces) - rows)}"
    assert rows <= built, f"{package} lacks {sorted(rows - built)}"


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_type_hash(name):
    package = name.split("/")[0]
    built = {key: value for hashes in interfaces_of(package).values() for key, value in hashes.items()}
    assert built.get(name) == EXPECTED[name], f"{name}: built {built.get(name)}, should be {EXPECTED[name]}"
