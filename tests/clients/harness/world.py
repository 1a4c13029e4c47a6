"""A running server with a layout in its world, in lock-step, and the adapters of its Kachakas."""

import concurrent.futures
import math
import pathlib
import subprocess
import time

from process import binary
from server import Server

from .adapter import Adapter
from .ros import Ros
from .waiting import DEADLINE

LAYOUTS = pathlib.Path(__file__).resolve().parents[1] / "layouts"
# s: has an exact number of nanoseconds and divides the lidar's 0.1 s.
DT = 0.02
DT_NS = 20_000_000
# ns: a multiple of the periods of lidar and IMU.
SENSOR_PERIOD = 100_000_000
# Steps between two looks at whether a call has come back.
STRIDE = 5


class Pose:
    """A pose in the plane."""

    def __init__(self, x, y, yaw):
        self.x, self.y, self.yaw = x, y, yaw

    def __repr__(self):
        return f"({self.x:.4f} m, {self.y:.4f} m, {self.yaw:.4f} rad)"

    def distance(self, other):
        return math.hypot(self.x - other.x, self.y - other.y)

    def turn(self, other):
        """Angle from this heading to the other's, -pi to pi."""
        return math.remainder(other.yaw - self.yaw, math.tau)


class World:
    """The server, what stands in its world, and the adapters; paused, so that only `step` lets time pass."""

    def __init__(self, layout="test_room.yaml", paused=True, **parameters):
        self.layout = LAYOUTS / layout
        self.parameters = {"physics_dt": DT, "paused": paused, **parameters}
        self.server = self.ros = None
        self.adapters = []
        self._threads = concurrent.futures.ThreadPoolExecutor()
        try:
            self.start_server()
        except BaseException:
            self.close()
            raise

    def start_server(self):
        """Starts the server and puts the layout into its world.

        With a helper of its own: to one that knew a server which was killed, that server's services look alive for a while.
        """
        self.server = Server(**self.parameters)
        if self.ros:
            self.ros.close()
        self.ros = Ros()
        self.ros.wait_for_server()
        self.fill()

    def fill(self):
        """Puts what the layout has into the world."""
        done = subprocess.run(
            [binary("tatami_layout"), str(self.layout)], capture_output=True, text=True, timeout=DEADLINE
        )
        assert done.returncode == 0, f"{self.layout.name}: {done.stdout}{done.stderr}{self.server.log()[-2000:]}"

    def adapter(self, namespace="kachaka", **parameters):
        """Starts an adapter; it ends with this world."""
        adapter = Adapter(namespace, **parameters)
        self.adapters.append(adapter)
        return adapter

    def processes(self):
        return [process for process in [self.server, *self.adapters] if process]

    def close(self):
        """Ends everything. Returns the exit codes of the adapters and the server."""
        codes = [adapter.stop() for adapter in self.adapters]
        if self.server:
            codes.append(self.server.stop())
        if self.ros:
            self.ros.close()
        # A thread may still wait in a call without a deadline, which the end of its adapter has ended.
        self._threads.shutdown(wait=False, cancel_futures=True)
        return codes

    # Time

    def control(self, **fields):
        response = self.ros.call("/tatami/control_world", "tatami_msgs/srv/ControlWorld", **fields)
        assert response["success"], response["message"]
        return response

    def step(self, steps=1, **inputs):
        """Takes exactly that many steps. Returns the stamp of the last one in ns."""
        response = self.control(pause=True, multi_step=steps, **inputs)
        assert response["steps_taken"] == steps, response
        return response["sim_time"]["sec"] * 1_000_000_000 + response["sim_time"]["nanosec"]

    def seconds(self, duration):
        """Lets this much sim time pass. Returns the stamp in ns."""
        return self.step(round(duration / self.parameters["physics_dt"]))

    def to_sensors(self, duration):
        """Lets at least this much sim time pass, and ends at a step with a scan and a measurement of the IMU.

        Returns the stamp in ns.
        """
        stamp = self.seconds(duration)
        return stamp if stamp % SENSOR_PERIOD == 0 else self.step((SENSOR_PERIOD - stamp % SENSOR_PERIOD) // DT_NS)

    def now(self):
        """Sim time in ns."""
        time_now = self.control(report=True)["sim_time"]
        return time_now["sec"] * 1_000_000_000 + time_now["nanosec"]

    def start(self, call, *arguments, **keywords):
        """Has a blocking call made in a thread. Returns its future."""
        return self._threads.submit(call, *arguments, **keywords)

    def finish(self, future, deadline=DEADLINE):
        """Lets time pass until a call has come back. Returns what it returned."""
        end = time.monotonic() + deadline
        while not future.done():
            assert time.monotonic() < end, f"a call did not come back within {deadline} s of wall time"
            self.step(STRIDE)
        return future.result()

    def run(self, call, *arguments, **keywords):
        """Makes a blocking call while time passes. Returns what it returned."""
        return self.finish(self.start(call, *arguments, **keywords))

    # Truth

    def truth(self, robot="kachaka"):
        """Where a robot is in the world."""
        states = {state["name"]: state for state in self.control(report=True)["robots"]}
        position = states[robot]["pose"]["position"]
        return Pose(position["x"], position["y"], states[robot]["yaw"])

    def speed(self, robot="kachaka"):
        """How fast a robot moves: m/s and rad/s."""
        states = {state["name"]: state for state in self.control(report=True)["robots"]}
        twist = states[robot]["twist"]
        return math.hypot(twist["linear"]["x"], twist["linear"]["y"]), twist["angular"]["z"]

    def place(self, x, y, yaw, robot="kachaka"):
        """Puts a robot somewhere else."""
        response = self.ros.call(
            "/tatami/set_robot_pose", "tatami_msgs/srv/SetRobotPose", name=robot, x=x, y=y, yaw=yaw
        )
        assert response["success"], response["message"]

    def replace(self, robot="kachaka"):
        """Spawns a Kachaka in the place of the one of this name, without what the layout gives that one."""
        response = self.ros.spawn_kachaka(robot)
        assert response["success"], response["message"]

    # The Kachaka's simulator-only surface

    def trigger(self, name, namespace="kachaka"):
        """Calls one of its std_srvs/Trigger services."""
        response = self.ros.call(f"/{namespace}/{name}", "std_srvs/srv/Trigger")
        assert response["success"], response["message"]

    def press_power_button(self, namespace="kachaka"):
        self.trigger("sim/power_button", namespace)

    def reset(self):
        """Brings everything back to how it was spawned."""
        response = self.ros.call("/tatami/reset", "tatami_msgs/srv/Reset")
        assert response["success"], response["message"]

    def log(self):
        """What the programs have written, for the report of a test that failed."""
        return "\n".join(
            f"--- {process.name} (pid {process.pid}, {'running' if process.alive() else process.process.returncode})\n"
            f"{process.log()[-6000:]}"
            for process in self.processes()
        )
