"""A `kachaka_grpc` process: the port that clients connect to."""

import re

from process import Process, ros_arguments

from .waiting import eventually

LISTENING = re.compile(r"listening on ([\d.]+):(\d+)")


class Adapter(Process):
    """One adapter, on a port that the system chooses unless one is given."""

    def __init__(self, namespace="kachaka", port=0, **parameters):
        parameters = {"robot_namespace": namespace, "port": port, **parameters}
        super().__init__("kachaka_grpc", *ros_arguments(parameters))
        try:
            self.host, self.port = self._address()
        except BaseException:
            self.stop()
            raise

    def _address(self):
        def read():
            assert self.alive(), f"kachaka_grpc ended with {self.process.returncode}: {self.log()}"
            return LISTENING.search(self.log())

        found = eventually(read, bool, "the line `listening on` of kachaka_grpc")
        return found[1], int(found[2])

    @property
    def target(self):
        """Where clients connect to."""
        return f"{self.host}:{self.port}"
