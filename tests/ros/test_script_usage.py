"""The scripts say what they take, and start nothing when they are asked for that or given something else."""

import subprocess

import pytest

from process import ROOT

SCRIPTS = ["run", "setup", "test", "bench", "soak"]


def run(*arguments):
    return subprocess.run([ROOT / "scripts" / arguments[0], *arguments[1:]], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_help_is_the_usage_and_nothing_else(script, option):
    ended = run(script, option)
    assert ended.returncode == 0, ended
    assert f"Usage: scripts/{script}" in ended.stdout, ended
    # Each line of progress would stand there.
    assert ended.stderr == "", ended


@pytest.mark.parametrize("arguments", [("test", "--fast"), ("bench", "markdown"), ("soak", "long"), ("soak", "-1")])
def test_what_a_script_does_not_take_is_named(arguments):
    ended = run(*arguments)
    assert ended.returncode == 2, ended
    assert f'scripts/{arguments[0]} takes no argument "{arguments[1]}"' in ended.stderr, ended
    assert f"Usage: scripts/{arguments[0]}" in ended.stderr, ended
