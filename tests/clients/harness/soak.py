"""Commands, one after the other, while a bridge polls: what must hold after any number of them."""

from kachaka_api import pb2

from .waiting import eventually

# Sim time of a step between two looks, s.
SLICE = 0.1


class Soak:
    """Has a robot carry out commands and counts what the bridge has seen of them."""

    def __init__(self, robot, bridge):
        self.robot = robot
        self.bridge = bridge
        self.ids = []

    @property
    def commands(self):
        return len(self.ids)

    def one_command(self):
        """One command from its start to the bridge's sight of its result."""
        turn = 0.5 if self.commands % 2 else -0.5
        response = self.robot.stub.start(rotate_in_place_command=pb2.RotateInPlaceCommand(angle_radian=turn))
        assert response.result.success, response
        self.ids.append(response.command_id)

        def results():
            if self.robot.world.parameters["paused"]:
                self.robot.world.seconds(SLICE)
            return self.bridge["GetLastCommandResult"].results

        eventually(results, lambda seen: response.command_id in seen, f"the result of {response.command_id}")

    def check(self):
        """No error, no value that came twice, each result once and in order."""
        assert self.bridge.errors() == {}
        seen = [command_id for command_id in self.bridge["GetLastCommandResult"].results if command_id in self.ids]
        assert seen == self.ids, f"results of {len(self.ids)} commands: {len(seen)} came, in this order: {seen[:20]}"
