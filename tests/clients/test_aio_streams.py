"""Streams and callbacks of the asynchronous client: what is new comes, and nothing comes twice."""

import asyncio

import grpc
import pytest
from harness.clients import AioClient
from harness.waiting import DEADLINE
from kachaka_api import pb2
from kachaka_api.aio import ResponseHandler

# Attribute: what sets its callback. Everything of the client that streams.
STREAMS = {
    "png_map": "set_png_map_callback",
    "robot_pose": "set_robot_pose_callback",
    "object_detection": "object_detection_callback",
    "object_detection_features": "object_detection_features_callback",
    "ros_imu": "set_ros_imu_callback",
    "ros_odometry": "set_ros_odometry_callback",
    "ros_wheel_odometry": "set_ros_wheel_odometry_callback",
    "ros_laser_scan": "set_ros_laser_scan_callback",
    "front_camera_ros_image": "set_front_camera_ros_image_callback",
    "front_camera_ros_compressed_image": "set_front_camera_ros_compressed_image_callback",
    "command_state": "set_command_state_callback",
    "last_command_result": "set_last_command_result_callback",
    "shelves": "set_shelves_callback",
    "moving_shelf_id": "set_moving_shelf_id_callback",
    "locations": "set_locations_callback",
    "map_list": "set_map_list_callback",
    "current_map_id": "set_current_map_id_callback",
    "history_list": "set_history_list_callback",
    "auto_homing_enabled": "set_auto_homing_enabled_callback",
    "manual_control_enabled": "set_manual_control_enabled_callback",
    "error": "set_error_callback",
}
# Those for which nothing has a source yet, so that nothing new comes.
CANCELLED = {"front_camera_ros_image", "front_camera_ros_compressed_image"}
# The callbacks of these get the parts of a tuple as arguments.
TUPLES = {"object_detection", "object_detection_features", "last_command_result"}


def sensors_move(robot):
    robot.world.seconds(0.2)


def turn(robot):
    robot.place(0.3, 0.1, 0.5)
    robot.world.step()


def run_a_command(robot):
    robot.stub.start(lock_command=pb2.LockCommand(duration_sec=0.2))
    robot.world.seconds(0.5)


def flip(name):
    """Switches something on, which is off after a reset or else was switched off before."""

    def change(robot):
        kind = getattr(pb2, f"Set{name}EnabledRequest")
        enabled = robot.stub.get(f"Get{name}Enabled").enabled
        getattr(robot.stub, f"Set{name}Enabled")(kind(enable=not enabled))

    return change


def stop(robot):
    robot.stub.SetEmergencyStop(pb2.EmptyRequest())


# What makes something new come.
CHANGES = {
    "robot_pose": turn,
    "ros_imu": sensors_move,
    "ros_odometry": sensors_move,
    "ros_wheel_odometry": sensors_move,
    "ros_laser_scan": sensors_move,
    "command_state": run_a_command,
    "last_command_result": run_a_command,
    "history_list": run_a_command,
    "auto_homing_enabled": flip("AutoHoming"),
    "manual_control_enabled": flip("ManualControl"),
    "error": stop,
}


@pytest.fixture
def aio(robot):
    client = AioClient(robot.target)
    yield client
    client.close()


async def first(stream):
    return await asyncio.wait_for(anext(stream), DEADLINE)


def test_every_stream_of_the_client_is_covered(aio):
    handlers = {name for name, value in vars(aio.real).items() if isinstance(value, ResponseHandler)}
    assert handlers == set(STREAMS)
    setters = {name for name in vars(aio.real) if name.endswith("_callback")}
    assert setters == set(STREAMS.values())


@pytest.mark.parametrize("name", sorted(set(STREAMS) - CANCELLED))
def test_stream(robot, aio, name):
    """The value of now comes at once, the next one when there is one, and not before."""

    async def read():
        stream = getattr(aio.real, name).stream()
        await first(stream)
        waiting = asyncio.ensure_future(anext(stream))
        done, _ = await asyncio.wait([waiting], timeout=0.3)
        assert not done, f"a second value came although nothing changed: {waiting.result()}"
        if name in CHANGES:
            await asyncio.to_thread(CHANGES[name], robot)
            await asyncio.wait_for(waiting, DEADLINE)
        else:
            waiting.cancel()

    aio.finish(read())


@pytest.mark.parametrize("name", sorted(CANCELLED))
def test_stream_without_a_source_is_cancelled(aio, name):
    async def read():
        with pytest.raises(grpc.RpcError) as refused:
            await first(getattr(aio.real, name).stream())
        return refused.value.code()

    assert aio.finish(read()) == grpc.StatusCode.CANCELLED


@pytest.mark.parametrize("name", sorted(set(STREAMS) - CANCELLED))
def test_callback(robot, aio, name):
    """The callback is called with the value of now, and with the next one."""
    parts = 2 if name in TUPLES else 1

    async def listen():
        heard = asyncio.Queue()

        async def callback(*values):
            heard.put_nowait(values)

        set_callback = getattr(aio.real, STREAMS[name])
        set_callback(callback)
        assert len(await asyncio.wait_for(heard.get(), DEADLINE)) == parts
        if name in CHANGES:
            await asyncio.to_thread(CHANGES[name], robot)
            assert len(await asyncio.wait_for(heard.get(), DEADLINE)) == parts
        set_callback(None)

    aio.finish(listen())


def test_scans_of_a_stream_are_those_of_the_robot(robot, aio):
    """Each scan once and in order, with the bytes of its message."""
    robot.subscribe("lidar/scan", "sensor_msgs/msg/LaserScan")

    async def read():
        stream = aio.real.ros_laser_scan.stream()
        await first(stream)
        stamps = []
        for _ in range(10):
            waiting = asyncio.ensure_future(anext(stream))
            await asyncio.to_thread(robot.world.seconds, 0.1)
            scan = await asyncio.wait_for(waiting, DEADLINE)
            stamps.append(scan.header.stamp_nsec)
            message = await asyncio.to_thread(robot.message, "lidar/scan", stamp=stamps[-1])
            assert list(scan.ranges) == message["ranges"]
        return stamps

    stamps = aio.finish(read())
    assert [after - before for before, after in zip(stamps, stamps[1:])] == [100_000_000] * 9
