"""Speaks ROS for tests whose Python can't: a request on each line of standard input, its answer on standard output.

A request is a JSON object with `do` and what that takes, its answer `{"value": ...}` or `{"error": "..."}`. Numbers that
JSON has no word for are written as Python's json writes them: Infinity, -Infinity and NaN.
"""

import collections
import json
import operator
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "ros"))

import kachaka  # noqa: E402
from messages import fill, message_class  # noqa: E402
from sim import Sim, best_effort, latched, reliable, stamp_of  # noqa: E402

QOS = {"reliable": reliable, "best_effort": best_effort, "latched": latched}
COMPARISONS = {"==": operator.eq, ">=": operator.ge, "!=": operator.ne}
# Messages of a topic that are kept.
KEPT = 2000


def plain(value):
    """A message, or a value of one, as what JSON has."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return list(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    return [plain(item) for item in value]


def look_up(message, path):
    """The value at `a.b.c` of a message."""
    for name in path.split("."):
        message = message[int(name)] if name.isdigit() else getattr(message, name)
    return message


class Topic:
    """What has come on one topic."""

    def __init__(self, sim, name, kind, qos, depth):
        self.name = name
        self.messages = collections.deque(maxlen=KEPT)
        self.subscription = sim.node.create_subscription(
            message_class(kind), name, self.take, QOS[qos](depth)
        )

    def take(self, message):
        self.messages.append(message)


class Helper:
    """Does what the requests ask for."""

    def __init__(self):
        self.sim = Sim("clients_probe")
        self.services = {}
        self.topics = {}
        self.publishers = {}

    def wait_for_server(self, deadline):
        self.sim.wait_for_server(deadline)

    def call(self, service, kind, fields, deadline):
        """Calls a service. Returns its reply, whatever it says."""
        service_type = message_class(kind)
        if service not in self.services:
            self.services[service] = self.sim.node.create_client(service_type, service, qos_profile=reliable(100))
        client = self.services[service]
        self.sim.spin_until(client.service_is_ready, f"the service {service}", deadline)
        future = client.call_async(fill(service_type.Request(), fields))
        return plain(self.sim.reply(future, f"the reply of {service}", deadline))

    def spawn_kachaka(self, name, deadline):
        """Spawns the robot of config/kachaka.yaml. Returns the reply."""
        fields = kachaka.spawn_request(name)
        return self.call("/tatami/spawn_robot", "tatami_msgs/srv/SpawnRobot", fields, deadline)

    def subscribe(self, topic, kind, qos, depth):
        """Starts to keep what comes on a topic; what was kept of it before is dropped."""
        if topic in self.topics:
            self.sim.node.destroy_subscription(self.topics.pop(topic).subscription)
        self.topics[topic] = Topic(self.sim, topic, kind, qos, depth)

    def wait(self, topic, stamp, where, deadline):
        """Waits for the newest message with this stamp (ns) and these `[path, comparison, value]`."""
        kept = self.topics[topic].messages

        def fits(message):
            stamped = stamp is None or stamp_of(message) == stamp
            return stamped and all(COMPARISONS[sign](look_up(message, path), value) for path, sign, value in where)

        def found():
            return next((message for message in reversed(kept) if fits(message)), None)

        def what():
            newest = plain(kept[-1]) if kept else "nothing"
            return f"{topic} with stamp {stamp} and {where}; the newest of {len(kept)} messages is {newest!s:.1500}"

        self.sim.spin_until(lambda: found() is not None, what, deadline)
        return plain(found())

    def kept(self, topic):
        """All kept messages of a topic, after what is there has been taken."""
        for _ in range(20):
            self.sim.executor.spin_once(timeout_sec=0.0)
        return [plain(message) for message in self.topics[topic].messages]

    def publish(self, topic, kind, fields, qos, deadline):
        """Sends a message, once somebody reads the topic."""
        message_type = message_class(kind)
        if topic not in self.publishers:
            self.publishers[topic] = self.sim.node.create_publisher(message_type, topic, QOS[qos](10))
        publisher = self.publishers[topic]
        self.sim.spin_until(lambda: publisher.get_subscription_count() > 0, f"a reader of {topic}", deadline)
        publisher.publish(fill(message_type(), fields))

    def answer(self, request):
        """The answer to one request."""
        do = request.pop("do")
        try:
            return {"value": getattr(self, do)(**request)}
        except Exception as error:
            # Whatever it is, it belongs to the test that asked; this process stays for the next request.
            return {"error": f"{do}: {type(error).__name__}: {error}"}


def main():
    helper = Helper()
    for line in sys.stdin:
        print(json.dumps(helper.answer(json.loads(line))), flush=True)
    helper.sim.close()


if __name__ == "__main__":
    main()
