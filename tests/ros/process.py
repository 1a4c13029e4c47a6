"""Starts and ends the programs under test."""

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# How long a program that was asked to end may take before it is killed.
GRACE = 10.0

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def binary(name):
    """The program under test: what TATAMI_SERVER and its like name, this checkout's release build, or the one on PATH."""
    given = os.environ.get(name.upper())
    if given:
        return given
    built = ROOT / "target" / "release" / name
    return str(built) if built.exists() else (shutil.which(name) or str(built))


def end_with_parent():
    """In the child before it becomes the program: it shall not outlive tests that were killed."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def text_of(value):
    """A parameter as the command line wants it: YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def ros_arguments(parameters):
    """Parameters of a node on its command line."""
    arguments = ["--ros-args"] if parameters else []
    for name, value in parameters.items():
        arguments += ["-p", f"{name}:={text_of(value)}"]
    return arguments


class Process:
    """One program that runs. Its output goes to a file, so that a full pipe can't stop it."""

    def __init__(self, name, *arguments):
        self.name = name
        self._log = tempfile.NamedTemporaryFile(prefix=f"{name}_", suffix=".log")
        self.process = subprocess.Popen(
            [binary(name), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            # Ctrl-C in the terminal of the tests is for pytest, which then ends the program.
            start_new_session=True,
            preexec_fn=end_with_parent,
        )

    @property
    def pid(self):
        return self.process.pid

    def alive(self):
        return self.process.poll() is None

    def log(self):
        """Everything it has written so far."""
        with open(self._log.name, errors="replace") as file:
            return file.read()

    def wait(self, timeout):
        """Its exit code once it ends by itself."""
        return self.process.wait(timeout)

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def kill(self):
        """Ends it as a crash would."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it the polite way, in the end by force. Returns its exit code."""
        if self.alive():
            self.interrupt()
            try:
                self.process.wait(GRACE)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode

    def resident_kilobytes(self):
        """Resident memory, as the kernel counts it."""
        with open(f"/proc/{self.pid}/status") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])
        raise AssertionError(f"no VmRSS of process {self.pid}")
