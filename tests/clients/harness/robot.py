"""A Kachaka as a test sees it: from inside the world and through its adapter."""

import grpc
from kachaka_api import pb2

from .clients import Stub
from .waiting import eventually


class Robot:
    """A Kachaka of a world, with its adapter."""

    def __init__(self, world, name="kachaka", namespace=None, there=True, **parameters):
        """Starts the adapter, and waits until it has found the robot, unless that is not `there` yet."""
        self.world = world
        self.name = name
        self.namespace = namespace or name
        self.adapter = world.adapter(self.namespace, **parameters)
        self.stub = Stub(self.adapter.target)
        if there:
            self.wait_for_adapter()
            self.subscribe("sim/state", "tatami_msgs/msg/OnboardState", "latched", depth=10)

    def wait_for_adapter(self):
        """Waits until the adapter answers for the robot."""
        eventually(self._refusal, lambda refusal: refusal is None, "an adapter that has found its robot")

    def _refusal(self):
        """Why it does not answer; None when it does, to a read and to a request to the robot that changes nothing."""
        try:
            self.stub.get("GetRobotPose")
            self.stub.StopSound(pb2.StopSoundRequest())
        except grpc.RpcError as error:
            return error
        return None

    @property
    def target(self):
        return self.adapter.target

    def close(self):
        """Ends the stub and the adapter. Returns the adapter's exit code."""
        self.stub.close()
        self.world.adapters.remove(self.adapter)
        return self.adapter.stop()

    # Its topics and services

    def topic(self, name):
        return f"/{self.namespace}/{name}"

    def subscribe(self, name, kind, qos="best_effort", depth=500):
        self.world.ros.subscribe(self.topic(name), kind, qos, depth)

    def message(self, name, **wanted):
        """Waits for a message of a topic that was subscribed to, as `Ros.wait` does."""
        return self.world.ros.wait(self.topic(name), **wanted)

    def call(self, name, kind, **fields):
        """Calls a service of `tatami_msgs` below the namespace, which must accept."""
        response = self.world.ros.call(self.topic(name), f"tatami_msgs/srv/{kind}", **fields)
        assert response["success"], response
        return response

    def state(self, *where):
        """The newest `sim/state` for which these `[path, comparison, value]` hold, once it is there."""
        return self.message("sim/state", where=where)

    def press_power_button(self):
        self.world.press_power_button(self.namespace)

    # Truth

    def truth(self):
        return self.world.truth(self.name)

    def speed(self):
        return self.world.speed(self.name)

    def place(self, x, y, yaw):
        self.world.place(x, y, yaw, self.name)

    def come_to_rest(self, seconds=10.0):
        """Lets time pass until it stands."""
        for _ in range(round(seconds / 0.1)):
            self.world.seconds(0.1)
            if max(map(abs, self.speed())) == 0.0:
                return
        raise AssertionError(f"after {seconds} s it still moves: {self.speed()}")

    # Through the adapter

    def pose_shown(self, pose, within=1e-3):
        """Waits until the adapter shows a pose. Returns what it shows."""
        return eventually(
            lambda: self.stub.get("GetRobotPose").pose,
            lambda shown: abs(shown.x - pose.x) < within
            and abs(shown.y - pose.y) < within
            and abs(shown.theta - pose.yaw) < within,
            f"the pose {pose} through the adapter",
        )

    def is_idle(self):
        return self.stub.get("GetCommandState").state == pb2.COMMAND_STATE_PENDING

    def idle(self):
        """Waits until no command runs, in the adapter's view too."""
        eventually(self.is_idle, bool, "an idle robot")

    def result_of(self, command_id):
        """Lets time pass until a command has ended. Returns its result."""
        future = self.world.start(
            eventually,
            lambda: self.stub.get("GetLastCommandResult"),
            lambda last: last.command_id == command_id,
            f"the result of {command_id}",
        )
        return self.world.finish(future).result

    def errors(self):
        return list(self.stub.get("GetError").error_codes)

    def settled(self):
        """Waits until the adapter shows a robot as it is after a reset."""
        self.idle()
        eventually(self.errors, lambda errors: errors == [], "no errors")
        eventually(
            lambda: self.stub.get("GetManualControlEnabled").enabled, lambda on: not on, "no manual control"
        )
