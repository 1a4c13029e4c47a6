"""What the scripts do with their arguments, before any work."""

import re
import shutil
import subprocess

import pytest

from process import ROOT

# Each with an argument that it has not; scripts/run hands what it does not know to the server.
SCRIPTS = {
    "setup": ["--nobuild"],
    "test": ["tests/ros"],
    "bench": ["--markdwon"],
    "soak": ["--minutes"],
}


@pytest.fixture
def scripts(tmp_path):
    """A copy of the scripts whose setup, with which the others begin their work, only tells that it was called."""
    folder = tmp_path / "scripts"
    shutil.copytree(ROOT / "scripts", folder)
    setup = folder / "setup"
    shutil.copy(setup, folder / "real_setup")
    setup.write_text("#!/usr/bin/env bash\necho WORK\nexit 3\n")
    return folder


def run(scripts, name, *arguments):
    """Exit status, output and errors of a script."""
    file = scripts / ("real_setup" if name == "setup" else name)
    done = subprocess.run([file, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("name", [*SCRIPTS, "run"])
def test_help(scripts, name, option):
    status, said, wrong = run(scripts, name, option)
    assert (status, wrong) == (0, ""), (status, said, wrong)
    assert re.search(rf"^Usage: scripts/{name}\b", said, re.MULTILINE), said
    assert "WORK" not in said and "set -" not in said, said


@pytest.mark.parametrize("name", SCRIPTS)
def test_unknown_arguments(scripts, name):
    for arguments in (SCRIPTS[name], [""]):
        status, said, wrong = run(scripts, name, *arguments)
        assert (status, said) == (2, ""), (arguments, status, said, wrong)
        assert f"unknown argument: {arguments[0]}\n" in wrong, wrong
        assert f"usage: scripts/{name}" in wrong, wrong


@pytest.mark.parametrize("arguments", [["5", "6"], ["-1"], ["five"]])
def test_minutes_that_are_none(scripts, arguments):
    status, said, wrong = run(scripts, "soak", *arguments)
    assert (status, said) == (2, ""), (status, said, wrong)
    assert f"unknown argument: {arguments[-1]}\n" in wrong, wrong


@pytest.mark.parametrize(("name", "arguments"), [("test", []), ("bench", ["--markdown"]), ("soak", ["0.5"]), ("soak", [])])
def test_what_is_known_begins_the_work(scripts, name, arguments):
    status, said, wrong = run(scripts, name, *arguments)
    assert (status, said) == (3, "WORK\n"), (status, said, wrong)
