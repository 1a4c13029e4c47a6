"""Polls a robot as its ROS 2 bridge does: a timer of 20 ms for each topic, long polls with the last cursor and a deadline of 5 s."""

import dataclasses
import threading
import time

import grpc
from kachaka_api import pb2
from kachaka_api.generated.kachaka_api_pb2_grpc import KachakaApiStub

PERIOD = 0.02
POLL_DEADLINE = 5.0
# What the bridge takes as "nothing new".
SILENT = (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)
# The topics of the bridge that have a source, and what programs poll beside it: 20 in all.
TOPICS = (
    "GetRosLaserScan", "GetRosImu", "GetRosOdometry", "GetRosWheelOdometry", "GetPngMap", "GetLocations", "GetShelves",
    "GetRobotVersion", "GetBatteryInfo", "GetError", "GetStaticTransform", "GetObjectDetection", "GetRobotPose",
    "GetCommandState", "GetLastCommandResult", "GetManualControlEnabled", "GetAutoHomingEnabled", "GetHistoryList",
    "GetMovingShelfId", "GetSpeakerVolume",
)  # fmt: skip


@dataclasses.dataclass
class Poller:
    """One topic: what came of its polls."""

    rpc: str
    polls: int = 0
    values: int = 0
    silent: int = 0
    errors: list = dataclasses.field(default_factory=list)
    # Cursors that came twice, each of which would be a value that is no news.
    repeated: list = dataclasses.field(default_factory=list)
    # Ids of commands whose result came.
    results: list = dataclasses.field(default_factory=list)

    def run(self, stub, stopped):
        """Polls until `stopped` is set."""
        cursor = 0
        due = time.monotonic()
        while not stopped.is_set():
            due = max(due + PERIOD, time.monotonic() - PERIOD)
            cursor = self._poll(stub, cursor)
            stopped.wait(max(0.0, due - time.monotonic()))

    def _poll(self, stub, cursor):
        self.polls += 1
        try:
            request = pb2.GetRequest(metadata=pb2.Metadata(cursor=cursor))
            response = getattr(stub, self.rpc)(request, timeout=POLL_DEADLINE)
        except grpc.RpcError as error:
            if error.code() in SILENT:
                self.silent += 1
            else:
                self.errors.append(str(error))
            return cursor
        self.values += 1
        if response.metadata.cursor == cursor:
            self.repeated.append(cursor)
        if self.rpc == "GetLastCommandResult" and response.command_id:
            self.results.append(response.command_id)
        return response.metadata.cursor


class Bridge:
    """A thread for each topic, over one channel as in the bridge."""

    def __init__(self, target, topics=TOPICS):
        self.pollers = [Poller(rpc) for rpc in topics]
        self._channel = grpc.insecure_channel(target)
        self._stopped = threading.Event()
        stub = KachakaApiStub(self._channel)
        self._threads = [
            threading.Thread(target=poller.run, args=(stub, self._stopped), daemon=True) for poller in self.pollers
        ]
        for thread in self._threads:
            thread.start()

    def __getitem__(self, rpc):
        return next(poller for poller in self.pollers if poller.rpc == rpc)

    @property
    def polls(self):
        return sum(poller.polls for poller in self.pollers)

    def errors(self):
        """Everything that went wrong, by topic."""
        return {
            poller.rpc: (poller.errors[:3], poller.repeated[:3])
            for poller in self.pollers
            if poller.errors or poller.repeated
        }

    def stop(self):
        """Ends the threads: those that wait in a poll when that has ended."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(2 * POLL_DEADLINE)
        alive = [poller.rpc for poller, thread in zip(self.pollers, self._threads) if thread.is_alive()]
        self._channel.close()
        assert not alive, f"polls that never ended: {alive}"
