"""A Kachaka in the tests: how it is spawned, and a client of everything below its namespace."""

import math
import pathlib

import yaml
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from tatami_msgs.msg import CommandHistory, OnboardState

import bridge_surface
import scenes
from messages import build, fill, message_class
from sim import best_effort, latched, ns, reliable

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = yaml.safe_load((ROOT / "config" / "kachaka.yaml").read_text())
URDF = (ROOT / "urdf" / "kachaka.urdf").read_text()

SERVICES = bridge_surface.SERVICES | bridge_surface.SIM_SERVICES
# Fields of the model that the request has under the same name.
SAME = ("odom_frame", "base_frame", "z_min", "height", "drive", "sensors", "reliable", "publish_description")


def spawn_request(name="kachaka", config=None, **fields):
    """The fields of a `SpawnRobot` for the robot of config/kachaka.yaml.

    `config` are sections of its `onboard_config` with some values replaced, as plain data.
    """
    request = {"name": name, "urdf": URDF, "onboard": "kachaka"}
    request |= {key: MODEL[key] for key in SAME}
    request["footprint"] = scenes.points(*MODEL["footprint"])
    request["onboard_config"] = yaml.safe_dump(config) if config else ""
    return request | fields


class Kachaka:
    """A client of one robot. Calls wait for their replies."""

    def __init__(self, sim, name="kachaka", namespace=None):
        self.sim = sim
        self.name = name
        self.namespace = namespace or f"/{name}"
        self.states = self.latched("sim/state", OnboardState)
        self.histories = self.latched("sim/command/history", CommandHistory)
        self._clients = {}
        self._actions = []
        sim.release_later(self.close)

    def close(self):
        """Gives back its clients; at the end of the test at the latest."""
        for client in self._clients.values():
            self.sim.node.destroy_client(client)
        for action in self._actions:
            action.destroy()
        self._clients.clear()
        self._actions.clear()

    # Topics

    def topic(self, name):
        return bridge_surface.absolute(self.namespace, name)

    def latched(self, name, kind):
        """A reader that gets what was sent before, too; the kind may be the name of one."""
        kind = message_class(kind) if isinstance(kind, str) else kind
        return self.sim.subscribe(kind, self.topic(name), latched(), ready=False)

    def subscribe(self, name, kind, qos=None):
        """A reader that the server is known to reach."""
        return self.sim.subscribe(kind, self.topic(name), qos or best_effort())

    def listen(self, name, kind):
        """A reliable reader of a topic that `republish` does not write to."""
        return self.sim.subscribe(kind, self.topic(name), reliable(), ready=False)

    def present(self, inbox):
        """The message of a topic for the present time, asked for again until it has come: no reader is owed it."""
        now = self.sim.now()

        def found():
            message = next((r.message for r in inbox.received if r.stamp == now), None)
            if message is None:
                self.sim.ok("republish", prefix=self.name)
            return message

        self.sim.spin_until(found, lambda: f"stamp {now} on {inbox.topic}, got {inbox.stamps()[-5:]}")
        return found()

    def publisher(self, name, kind, qos=None):
        return self.sim.publisher(kind, self.topic(name), qos)

    # Services

    def client(self, name):
        if name not in self._clients:
            kind = message_class(SERVICES[name])
            self._clients[name] = self.sim.node.create_client(kind, self.topic(name), qos_profile=reliable(100))
        return self._clients[name]

    def send(self, name, /, **fields):
        client = self.client(name)
        self.sim.spin_until(client.service_is_ready, f"the service {name}")
        return client.call_async(fill(client.srv_type.Request(), fields))

    def call(self, name, /, **fields):
        """A request and its reply, whatever it says."""
        return self.sim.reply(self.send(name, **fields), f"the reply of {name}")

    def ok(self, name, /, **fields):
        """A call that must succeed."""
        response = self.call(name, **fields)
        assert response.success, f"{name} was refused: {response}"
        return response

    def refused(self, name, code, /, *words, **fields):
        """A call that must fail with a code and a message that holds all the words."""
        before = self.now()
        response = self.call(name, **fields)
        assert not response.success, f"{name} was not refused: {response}"
        assert response.error_code == code, f"{name}: {response}, expected the code {code}"
        for word in words:
            assert word in response.message, f"{word!r} is not in {response.message!r}"
        assert response.sequence == before.sequence, f"{response} has changed the state {before}"
        return response

    def start(self, type_, cancel_all=False, expect=None, **fields):
        """Starts a command, whose fields are those of OnboardCommand. Returns its id."""
        around = {key: fields.pop(key) for key in ("tts_on_success", "title", "lock_on_end") if key in fields}
        number = getattr(build("tatami_msgs/OnboardCommand"), type_)
        response = self.ok(
            "sim/command/start", command={"type": number, **fields}, cancel_all=cancel_all, **around
        )
        assert response.command_id, response
        return response.command_id

    def action(self):
        kind = message_class("kachaka_interfaces/action/ExecKachakaCommand")
        client = ActionClient(self.sim.node, kind, self.topic("kachaka_command/execute"))
        self._actions.append(client)
        self.sim.spin_until(client.server_is_ready, "the action server")
        return client

    # State

    def state(self, sequence=None):
        """The latest state, not before one of that sequence has come."""
        self.sim.spin_until(lambda: self.states.received, "a state")
        if sequence is not None:
            self.sim.spin_until(
                lambda: self.states.messages[-1].sequence >= sequence,
                lambda: f"the state {sequence}, have {self.states.messages[-1].sequence}",
            )
        return self.states.messages[-1]

    def after(self, name, /, **fields):
        """A call that must succeed, and the state that its reply names."""
        response = self.ok(name, **fields)
        return self.state(response.sequence)

    def now(self):
        """The latest state, after everything that is on its way."""
        # Changes nothing, and its reply names the present sequence.
        return self.state(self.call("sim/map/get").sequence)

    def results(self):
        """All results so far by command id."""
        self.now()
        self.sim.spin_until(lambda: self.histories.received, "a history")
        return {result.id: result for result in self.histories.messages[-1].results}

    def result(self, command_id):
        """The result of a command that has ended."""
        results = self.results()
        assert command_id in results, f"no result of {command_id} in {list(results)}"
        return results[command_id]

    def step_until(self, condition, what, steps=10, limit=6000):
        """Steps until the condition holds; returns how many steps that took."""
        taken = 0
        while not condition():
            assert taken < limit, f"{taken} steps and no {what}: {self.now()}"
            self.sim.step(steps)
            taken += steps
        return taken

    def run(self, type_, limit=6000, **fields):
        """Starts a command and steps until it has ended. Returns its result."""
        command_id = self.start(type_, **fields)
        self.step_until(lambda: self.now().command_id != command_id, f"end of {type_}", limit=limit)
        return self.result(command_id)

    def pose(self):
        """The true pose as (x, y, yaw)."""
        return scenes.planar(self.sim.robot(self.name).pose)

    def truth(self):
        """A reader of the true odometry."""
        return self.subscribe("ground_truth", Odometry, reliable())


def spawn(sim, name="kachaka", namespace=None, config=None, **fields):
    """Spawns a Kachaka and returns its client."""
    request = spawn_request(name, config, **fields)
    if namespace:
        request["robot_namespace"] = namespace
    robot = Kachaka(sim, name, namespace)
    sim.ok("spawn_robot", **request)
    first = robot.state()
    # The topic of results may still hold those of a robot before it.
    sim.spin_until(
        lambda: any(history.sequence >= first.sequence for history in robot.histories.messages),
        f"a history that is not older than the state {first.sequence}",
    )
    robot.histories.received = robot.histories.received[-1:]
    return robot


def distance(a, b):
    return math.dist(a[:2], b[:2])
