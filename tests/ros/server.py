"""Starts and ends real `tatami_server` processes."""

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# How long a server that was asked to end may take before it is killed.
GRACE = 10.0


def binary():
    """The program under test: TATAMI_SERVER, this checkout's release build, or the one on PATH."""
    given = os.environ.get("TATAMI_SERVER")
    if given:
        return given
    built = ROOT / "target" / "release" / "tatami_server"
    return str(built) if built.exists() else (shutil.which("tatami_server") or str(built))


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """In the child before it becomes the server: it shall not outlive tests that were killed."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def text_of(value):
    """A parameter as the command line wants it: YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Server:
    """One server process. Its output goes to a file, so that a full pipe can't stop it."""

    def __init__(self, *arguments, **parameters):
        self.parameters = parameters
        self._log = tempfile.NamedTemporaryFile(prefix="tatami_server_", suffix=".log")
        arguments = [binary(), *arguments]
        if parameters:
            arguments.append("--ros-args")
        for name, value in parameters.items():
            arguments += ["-p", f"{name}:={text_of(value)}"]
        self.process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            # Ctrl-C in the terminal of the tests is for pytest, which then ends the server.
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
