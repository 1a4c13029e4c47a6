"""Asks a running server about its world, for scripts/run.

usage: world.py wait PID    until the server answers; fails if the process PID ends before that
       world.py show        one line for the world and one for each robot
"""

import math
import os
import sys

import rclpy
from tatami_msgs.srv import GetWorld

ANSWER_TIMEOUT = 10.0  # s of wall time


def is_running(pid):
    """Whether the process is there and has not ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(client, pid):
    """Waits for the service as long as the server's process runs."""
    while not client.wait_for_service(timeout_sec=0.2):
        if not is_running(pid):
            sys.exit("the server ended before it answered")


def get_world(node, client):
    """The world as the server tells it."""
    if not client.wait_for_service(timeout_sec=ANSWER_TIMEOUT):
        sys.exit(f"no server offers {client.srv_name}")
    future = client.call_async(GetWorld.Request())
    rclpy.spin_until_future_complete(node, future, timeout_sec=ANSWER_TIMEOUT)
    if not future.done():
        sys.exit(f"{client.srv_name} did not answer within {ANSWER_TIMEOUT:g} s")
    return future.result()


def show(world):
    """Prints what is where."""
    state = "paused" if world.paused else "running"
    print(f"world     {len(world.entities)} entities, {state}, one step = {world.physics_dt * 1000:.4g} ms")
    for robot in world.robots:
        at, yaw = robot.state.pose.position, math.degrees(robot.state.yaw)
        where = f"x {at.x:.2f} m, y {at.y:.2f} m, yaw {yaw:.0f} deg"
        print(f"robot     {robot.state.name} at {where}; topics and services below /{robot.robot_namespace.strip('/')}")


def main():
    rclpy.init()
    node = rclpy.create_node("tatami_run", use_global_arguments=False)
    client = node.create_client(GetWorld, "/tatami/get_world")
    if sys.argv[1] == "wait":
        wait_for(client, int(sys.argv[2]))
    else:
        show(get_world(node, client))


if __name__ == "__main__":
    main()
