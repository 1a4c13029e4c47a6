"""A client of the server: calls with deadlines, steps, and topics that are waited for by stamp."""

import time

import rclpy
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock

import scenes
from messages import bits, fill, message_class

SERVICES = {
    "control_world": "ControlWorld",
    "add_floors": "AddFloors",
    "add_outlines": "AddOutlines",
    "spawn_boxes": "SpawnBoxes",
    "delete_entities": "DeleteEntities",
    "delete_prefix": "DeletePrefix",
    "spawn_robot": "SpawnRobot",
    "set_robot_pose": "SetRobotPose",
    "delete_robot": "DeleteRobot",
    "republish": "Republish",
    "reset": "Reset",
    "get_world": "GetWorld",
    "add_locations": "AddLocations",
    "add_drops": "AddDrops",
    "spawn_chargers": "SpawnChargers",
    "spawn_doors": "SpawnDoors",
    "set_door": "SetDoor",
    "spawn_elevators": "SpawnElevators",
    "call_elevator": "CallElevator",
    "spawn_people": "SpawnPeople",
    "spawn_shelves": "SpawnShelves",
}
# Far above what anything here takes, so that only something that never comes runs into it.
DEADLINE = 20.0


def reliable(depth=500):
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.RELIABLE)


def best_effort(depth=500):
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT)


def latched(depth=100):
    return QoSProfile(depth=depth, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def ns(stamp):
    """A `builtin_interfaces/Time` in nanoseconds."""
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def stamp_of(message):
    """The stamp of any message that has one, in nanoseconds."""
    if isinstance(message, Clock):
        return ns(message.clock)
    if hasattr(message, "header"):
        return ns(message.header.stamp)
    if hasattr(message, "transforms"):
        return max(ns(t.header.stamp) for t in message.transforms)
    return None


class StampingExecutor(SingleThreadedExecutor):
    """Keeps the time at which the server wrote each reply, as `future.sent_ns`."""

    def _take_client(self, client):
        with client.handle:
            header, response = client.handle.take_response(client.srv_type.Response)

        async def execute():
            if header is None:
                return
            try:
                future = client.get_pending_request(header.request_id.sequence_number)
            except KeyError:
                return
            future.sent_ns = header.source_timestamp
            future._set_executor(self)
            future.set_result(response)

        return execute


class Received:
    """One message with the times that the middleware noted."""

    def __init__(self, message, info):
        self.message = message
        self.stamp = stamp_of(message)
        self.sent_ns = info["source_timestamp"]

    @property
    def bits(self):
        return bits(self.message)


class Inbox:
    """Everything that has come on one topic since it was subscribed to or last cleared."""

    def __init__(self, sim, message_type, topic, qos):
        self.sim = sim
        self.topic = topic
        self.received = []
        self.subscription = sim.node.create_subscription(
            message_type, topic, self._take, qos
        )

    def _take(self, message, info):
        self.received.append(Received(message, info))

    @property
    def messages(self):
        return [r.message for r in self.received]

    def clear(self):
        self.received.clear()

    def wait(self, count=1):
        """Waits until that many messages are there. Returns them."""
        self.sim.spin_until(
            lambda: len(self.received) >= count,
            f"{count} messages on {self.topic} (have {len(self.received)})",
        )
        return self.messages

    def entry(self, stamp):
        """Waits for the message with this stamp (ns). Returns the first one with it."""

        def found():
            return next((r for r in self.received if r.stamp == stamp), None)

        self.sim.spin_until(
            lambda: found() is not None,
            lambda: f"stamp {stamp} on {self.topic}, got {[r.stamp for r in self.received][-5:]}",
        )
        return found()

    def at(self, stamp):
        """Waits for the message with this stamp (ns). Returns it."""
        return self.entry(stamp).message

    def stamps(self, after=-1):
        """Stamps that came, each once, in order of arrival."""
        return list(dict.fromkeys(r.stamp for r in self.received if r.stamp > after))


class Sim:
    """One rclpy node with a client for every service of the server."""

    def __init__(self, name="probe"):
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node(
            name, context=self.context, use_global_arguments=False, start_parameter_services=False
        )
        self.executor = StampingExecutor(context=self.context)
        self.executor.add_node(self.node)
        services = {name: message_class(f"tatami_msgs/srv/{kind}") for name, kind in SERVICES.items()}
        self.types = services | {
            "get_parameters": GetParameters,
            "set_parameters": SetParameters,
            "describe_parameters": DescribeParameters,
        }
        self.clients = {}
        self._publishers = []
        self._inboxes = []
        self._releases = []

    def close(self):
        self.release()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    # Waiting

    def spin_until(self, condition, what, deadline=DEADLINE):
        """Handles what comes in until the condition holds; `what` says what it waits for."""
        end = time.monotonic() + deadline
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"waited {deadline} s for {what() if callable(what) else what}")
            self.executor.spin_once(timeout_sec=0.05)

    def wait_for_server(self, deadline=DEADLINE):
        for name in SERVICES:
            client = self.client(name)
            self.spin_until(client.service_is_ready, f"the service {name}", deadline)
        owners = self.node.count_publishers("/clock")
        domain = self.context.get_domain_id()
        assert owners == 1, f"{owners} servers publish /clock in ROS domain {domain}: the tests need one of their own"

    # Services

    def client(self, service):
        """The client of a service, with the queue that many requests at once need."""
        if service not in self.clients:
            self.clients[service] = self.node.create_client(
                self.types[service], f"/tatami/{service}", qos_profile=reliable(100)
            )
        return self.clients[service]

    def send(self, service, **fields):
        """Sends a request. Returns the future of its reply."""
        client = self.client(service)
        self.spin_until(client.service_is_ready, f"the service {service}")
        return client.call_async(fill(self.types[service].Request(), fields))

    def reply(self, future, what="a reply", deadline=DEADLINE):
        self.spin_until(future.done, what, deadline)
        return future.result()

    def call(self, service, deadline=DEADLINE, **fields):
        """Sends a request and waits for its reply, whatever it says."""
        return self.reply(self.send(service, **fields), f"the reply of {service}", deadline)

    def ok(self, service, **fields):
        """A call that must succeed."""
        response = self.call(service, **fields)
        assert response.success, f"{service} was refused: {response.message}"
        return response

    def refused(self, service, *words, **fields):
        """A call that must fail with a message that holds all the words."""
        response = self.call(service, **fields)
        assert not response.success, f"{service} was not refused, message {response.message!r}"
        for word in words:
            assert word in response.message, f"{word!r} is not in {response.message!r}"
        return response

    def step(self, steps=1, **inputs):
        """Takes exactly that many steps; inputs as in `ControlWorld`."""
        response = self.ok("control_world", pause=True, multi_step=steps, **inputs)
        assert response.steps_taken == steps, f"took {response.steps_taken} steps, wanted {steps}"
        return response

    def now(self):
        """Sim time in ns."""
        return ns(self.ok("get_world").sim_time)

    def robots(self):
        """The state of every robot by name."""
        response = self.ok("control_world", report=True)
        return {state.name: state for state in response.robots}

    def robot(self, name="bot"):
        return self.robots()[name]

    def entities(self):
        """Every entity by name."""
        return {entity.name: entity for entity in self.ok("get_world").entities}

    def existing(self):
        """Every entity and robot with all that get_world tells of it, by name, in text that shows every bit."""
        world = self.ok("get_world")
        named = [(entity.name, entity) for entity in world.entities]
        named += [(robot.state.name, robot) for robot in world.robots]
        return {name: repr(message) for name, message in named}

    def drive(self, robot="bot", linear=0.0, lateral=0.0, angular=0.0):
        """A `RobotCommand` for the inputs of a step."""
        twist = {"linear": {"x": linear, "y": lateral}, "angular": {"z": angular}}
        return {"robot": robot, "twist": twist}

    def spawn_bot(self, name="bot", **fields):
        """Spawns the plain test robot of `scenes`, with some fields replaced."""
        return self.ok("spawn_robot", **scenes.bot(name, **fields))

    # Parameters

    def parameter(self, name):
        return self.call("get_parameters", names=[name]).values[0]

    def send_parameter(self, name, value):
        """Asks for a parameter to be set. Returns the future of the reply."""
        kinds = {
            bool: (ParameterType.PARAMETER_BOOL, "bool_value"),
            int: (ParameterType.PARAMETER_INTEGER, "integer_value"),
            float: (ParameterType.PARAMETER_DOUBLE, "double_value"),
            str: (ParameterType.PARAMETER_STRING, "string_value"),
        }
        kind, field = kinds[type(value)]
        parameter = Parameter(name=name, value=ParameterValue(type=kind, **{field: value}))
        return self.send("set_parameters", parameters=[parameter])

    def set_parameter(self, name, value):
        """Tries to set a parameter. Returns the result with its reason."""
        return self.reply(self.send_parameter(name, value), f"the reply about {name}").results[0]

    # Topics

    def subscribe(self, message_type, topic, qos=None, ready=True):
        """Subscribes and, with `ready`, waits until the server is known to reach us.

        That takes a message: the publisher's side of the match can't be seen from here. So robots are
        asked to publish again until one comes, which is then thrown away.
        """
        inbox = Inbox(self, message_type, topic, qos or reliable())
        self._inboxes.append(inbox)
        if ready:
            self.make_ready(inbox)
        return inbox

    def make_ready(self, *inboxes):
        end = time.monotonic() + DEADLINE
        while not all(inbox.received for inbox in inboxes):
            silent = [inbox.topic for inbox in inboxes if not inbox.received]
            assert time.monotonic() < end, f"nothing comes on {silent}"
            self.ok("republish", prefix="")
            self.executor.spin_once(timeout_sec=0.02)
        for inbox in inboxes:
            inbox.clear()

    def subscribe_all(self, *pairs):
        """Several (type, topic) at once."""
        inboxes = [self.subscribe(kind, topic, ready=False) for kind, topic in pairs]
        self.make_ready(*inboxes)
        return inboxes

    def publisher(self, message_type, topic, qos=None):
        """A publisher that the server has been matched with."""
        publisher = self.node.create_publisher(message_type, topic, qos or reliable(100))
        self._publishers.append(publisher)
        self.spin_until(lambda: publisher.get_subscription_count() > 0, f"a reader of {topic}")
        return publisher

    def release_later(self, release):
        """Has this called when the test gives back what it has opened."""
        self._releases.append(release)

    def release(self):
        """Gives back what a test has opened."""
        for release in self._releases:
            release()
        self._releases.clear()
        for inbox in self._inboxes:
            self.node.destroy_subscription(inbox.subscription)
        for publisher in self._publishers:
            self.node.destroy_publisher(publisher)
        self._inboxes.clear()
        self._publishers.clear()

    def clean(self):
        """Brings the server back to an empty, paused world."""
        self.release()
        self.ok("control_world", pause=True)
        world = self.ok("get_world")
        for robot in world.robots:
            self.ok("delete_robot", name=robot.state.name)
        if world.entities:
            self.ok("delete_entities", names=[entity.name for entity in world.entities])
