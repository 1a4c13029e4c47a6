"""ROS through a process whose Python has it."""

import json
import pathlib
import select
import subprocess
import tempfile
import threading

from process import GRACE, end_with_parent

from .waiting import DEADLINE

HELPER = pathlib.Path(__file__).resolve().parents[1] / "ros_helper.py"


class Ros:
    """The helper process. Several threads may use it; each request waits for its turn."""

    def __init__(self):
        self._log = tempfile.NamedTemporaryFile(prefix="ros_helper_", suffix=".log")
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            # Not this Python but the one of the ROS environment, which is first on PATH there.
            ["python3", str(HELPER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )

    def _ask(self, deadline=None, **request):
        """One request. `deadline` is the helper's own, where it waits; this process waits a little longer."""
        if deadline is None:
            deadline = DEADLINE
        else:
            request["deadline"] = deadline
        with self._turn:
            try:
                self._process.stdin.write(json.dumps(request).encode() + b"\n")
                self._process.stdin.flush()
            except BrokenPipeError:
                raise AssertionError(f"the ROS helper is gone: {self.log()}") from None
            ready, _, _ = select.select([self._process.stdout], [], [], deadline + GRACE)
            line = self._process.stdout.readline() if ready else b""
        assert line, f"the ROS helper gave no answer to {request}: {self.log()}"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def log(self):
        with open(self._log.name, errors="replace") as file:
            return file.read()[-4000:]

    def wait_for_server(self, deadline=DEADLINE):
        self._ask(do="wait_for_server", deadline=deadline)

    def call(self, service, kind, deadline=DEADLINE, **fields):
        """The reply of a service, whatever it says."""
        return self._ask(do="call", service=service, kind=kind, fields=fields, deadline=deadline)

    def spawn_kachaka(self, name, deadline=DEADLINE):
        """Spawns the robot of config/kachaka.yaml. Returns the reply."""
        return self._ask(do="spawn_kachaka", name=name, deadline=deadline)

    def subscribe(self, topic, kind, qos="best_effort", depth=500):
        """Keeps what comes on a topic from now on. `qos` is `reliable`, `best_effort` or `latched`."""
        self._ask(do="subscribe", topic=topic, kind=kind, qos=qos, depth=depth)

    def wait(self, topic, stamp=None, where=(), deadline=DEADLINE):
        """The newest message with this stamp (ns), for which `[path, comparison, value]` hold, once it is there."""
        return self._ask(do="wait", topic=topic, stamp=stamp, where=list(where), deadline=deadline)

    def kept(self, topic):
        """All messages that have come."""
        return self._ask(do="kept", topic=topic)

    def publish(self, topic, kind, qos="reliable", deadline=DEADLINE, **fields):
        self._ask(do="publish", topic=topic, kind=kind, fields=fields, qos=qos, deadline=deadline)

    def close(self):
        """Ends the process: it stops reading at the end of its input."""
        if self._process.poll() is None:
            self._process.stdin.close()
            try:
                self._process.wait(GRACE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process.stdout.close()
