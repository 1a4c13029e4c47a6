"""What the clients of kachaka-api read is what the simulator has."""

import io
import math

import grpc
import numpy
import pytest
from harness import room
from harness.waiting import eventually
from kachaka_api import geometry_util, pb2
from PIL import Image

GRAY = {174: 100, 253: 0, 234: -1}


def pairs(vector, names="xyz"):
    return [getattr(vector, name) for name in names]


def same_pose(found, truth, within=1e-3):
    near = found.x, found.y, found.theta
    wanted = truth.x, truth.y, truth.yaw
    assert near == pytest.approx(wanted, abs=within), f"the client reads {near}, the truth is {truth}"


@pytest.mark.calls("get_robot_serial_number", "get_robot_version")
def test_identity(client):
    assert client.get_robot_serial_number() == room.SERIAL_NUMBER
    assert client.get_robot_version() == "3.17.5"


@pytest.mark.calls("get_robot_pose")
def test_pose_is_the_true_one(robot, client):
    for x, y, yaw in ((0.4, -0.3, 0.7), (-1.2, 0.6, -2.9), (0.0, 0.0, 3.1)):
        robot.place(x, y, yaw)
        robot.world.step()
        eventually(
            client.get_robot_pose,
            lambda pose: math.hypot(pose.x - x, pose.y - y) < 1e-3 and abs(pose.theta - yaw) < 1e-3,
            f"the pose ({x}, {y}, {yaw})",
        )


@pytest.mark.calls("get_robot_pose", "get_ros_odometry")
def test_pose_is_the_true_one_after_a_drive(robot, client):
    robot.subscribe("ground_truth", "nav_msgs/msg/Odometry")
    client.start_command(
        pb2.Command(move_to_pose_command=pb2.MoveToPoseCommand(x=0.6, y=0.4, yaw=1.0)), wait_for_completion=False
    )
    # It turns first.
    stamp = robot.world.seconds(2.0)
    eventually(client.get_ros_odometry, lambda odometry: odometry.header.stamp_nsec == stamp, "odometry of now")
    truth = robot.message("ground_truth", stamp=stamp)["pose"]["pose"]
    robot.pose_shown(robot.truth())
    pose = client.get_robot_pose()
    same_pose(pose, robot.truth())
    assert (pose.x, pose.y) == pytest.approx((truth["position"]["x"], truth["position"]["y"]), abs=1e-3)
    assert math.hypot(pose.x, pose.y) > 0.05, f"it has hardly moved: {pose}"


@pytest.mark.calls("get_ros_laser_scan")
def test_scan_equals_the_message(robot, client):
    robot.subscribe("lidar/scan", "sensor_msgs/msg/LaserScan")
    robot.place(0.5, -0.25, 0.3)
    stamp = robot.world.to_sensors(1.0)
    message = robot.message("lidar/scan", stamp=stamp)
    scan = eventually(client.get_ros_laser_scan, lambda scan: scan.header.stamp_nsec == stamp, "the scan of now")
    assert scan.header.frame_id == "laser_frame"
    for name in ("angle_min", "angle_max", "angle_increment", "time_increment", "scan_time", "range_min", "range_max"):
        assert getattr(scan, name) == message[name], name
    assert len(scan.ranges) == len(message["ranges"]) > 100
    for index, (shown, sent) in enumerate(zip(scan.ranges, message["ranges"])):
        # What was not measured is 0 for clients and not finite on the topic.
        wanted = sent if math.isfinite(sent) else 0.0
        assert shown == wanted, f"beam {index}: the client reads {shown}, the message says {sent}"
    assert list(scan.intensities) == message["intensities"]


@pytest.mark.calls("get_ros_laser_scan")
def test_scan_sees_the_walls(robot, client):
    """The beam straight ahead, which is a quarter turn from the laser's own x, which looks left."""
    robot.place(1.0, 0.0, 0.0)
    stamp = robot.world.to_sensors(1.0)
    scan = eventually(client.get_ros_laser_scan, lambda scan: scan.header.stamp_nsec == stamp, "the scan of now")
    ahead = round((-math.pi / 2 - scan.angle_min) / scan.angle_increment)
    # The lidar stands 0.156 m in front of the robot's origin; its noise has a deviation of 0.03 m.
    assert scan.ranges[ahead] == pytest.approx(room.HALF_X - 1.0 - 0.156, abs=0.15)


@pytest.mark.calls("get_ros_imu")
def test_imu_equals_the_message(robot, client):
    robot.subscribe("imu/imu", "sensor_msgs/msg/Imu")
    stamp = robot.world.to_sensors(0.5)
    message = robot.message("imu/imu", stamp=stamp)
    imu = eventually(client.get_ros_imu, lambda imu: imu.header.stamp_nsec == stamp, "the IMU of now")
    assert imu.header.frame_id == "imu_link"
    for name in ("angular_velocity", "linear_acceleration"):
        assert pairs(getattr(imu, name)) == [message[name][axis] for axis in "xyz"], name
    assert pairs(imu.orientation, "xyzw") == [message["orientation"][axis] for axis in "xyzw"]
    for name in ("orientation_covariance", "angular_velocity_covariance", "linear_acceleration_covariance"):
        assert list(getattr(imu, name)) == message[name] and len(message[name]) == 9, name
    assert imu.linear_acceleration.z == pytest.approx(9.81, abs=0.5)


@pytest.mark.calls("get_ros_odometry", "get_ros_wheel_odometry")
@pytest.mark.parametrize("name", ["odometry", "wheel_odometry"])
def test_odometry_equals_the_message(robot, client, name):
    robot.subscribe(f"{name}/{name}", "nav_msgs/msg/Odometry")
    getters = {"odometry": client.get_ros_odometry, "wheel_odometry": client.get_ros_wheel_odometry}
    robot.stub.start(move_forward_command=pb2.MoveForwardCommand(distance_meter=1.0, speed=0.3))
    stamp = robot.world.seconds(1.0)
    message = robot.message(f"{name}/{name}", stamp=stamp)
    odometry = eventually(getters[name], lambda found: found.header.stamp_nsec == stamp, "the odometry of now")
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("odom", "base_footprint")
    pose, sent = odometry.pose.pose, message["pose"]["pose"]
    assert pairs(pose.position) == [sent["position"][axis] for axis in "xyz"]
    assert pairs(pose.orientation, "xyzw") == [sent["orientation"][axis] for axis in "xyzw"]
    for part in ("linear", "angular"):
        assert pairs(getattr(odometry.twist.twist, part)) == [message["twist"]["twist"][part][axis] for axis in "xyz"]
    for part in ("pose", "twist"):
        covariance = list(getattr(odometry, part).covariance)
        assert len(covariance) == 36 and covariance == message[part]["covariance"], part
    # 1 s at 0.3 m/s, but for the 0.15 s in which it speeds up by 2 m/s2.
    assert pose.position.x == pytest.approx(0.2775, abs=0.02)
    assert odometry.twist.twist.linear.x == pytest.approx(0.3, abs=0.01)


@pytest.mark.calls("get_battery_info")
def test_battery_goes_down_as_its_model_says(robot, client):
    robot.subscribe("robot_info/battery_state", "sensor_msgs/msg/BatteryState")
    before, status = client.get_battery_info()
    assert before == pytest.approx(100.0, abs=0.1)
    assert status == pb2.POWER_SUPPLY_STATUS_DISCHARGING
    robot.world.seconds(600.0)

    def told_again():
        """What the client reads when all is told again: of a burst the last message may be lost, since no reader is owed it."""
        reply = robot.world.ros.call("/tatami/republish", "tatami_msgs/srv/Republish", prefix="")
        assert reply["success"], reply
        return client.get_battery_info()[0]

    # Ten minutes at 10 W out of 74 Wh.
    used = 100 * (10.0 / 6) / 74.0
    eventually(told_again, lambda now: before - now == pytest.approx(used, rel=0.02), f"{used} % less than {before} %")
    # The message has it as float32. Both come to the same in the end.
    messages = robot.topic("robot_info/battery_state")
    eventually(
        lambda: (told_again(), robot.world.ros.kept(messages)[-1]["percentage"]),
        lambda both: both[0] == pytest.approx(100.0 * both[1], abs=1e-3),
        "the percentage of the message through the adapter",
    )


def occupancy(png):
    """A map of the client as the bridge reads it: cells of an OccupancyGrid, from the lowest row up."""
    gray = numpy.array(Image.open(io.BytesIO(png.data)).convert("L"))
    assert set(numpy.unique(gray)) <= set(GRAY), f"grays that no client knows: {sorted(set(numpy.unique(gray)))}"
    return numpy.vectorize(GRAY.get)(numpy.flipud(gray))


@pytest.mark.calls("get_png_map")
def test_map_equals_the_message(robot, client):
    robot.subscribe("mapping/map", "nav_msgs/msg/OccupancyGrid", "latched")
    message = robot.message("mapping/map")
    png = client.get_png_map()
    cells = occupancy(png)
    info = message["info"]
    assert (png.width, png.height) == (info["width"], info["height"]) == cells.shape[::-1]
    # The message has it as float32.
    assert png.resolution == pytest.approx(0.025, abs=1e-7) == info["resolution"]
    origin = info["origin"]["position"]
    assert (png.origin.x, png.origin.y, png.origin.theta) == (origin["x"], origin["y"], 0.0)
    assert png.name != ""
    different = numpy.flatnonzero(cells.flatten() != numpy.array(message["data"]))
    assert different.size == 0, f"{different.size} cells differ, the first is {different[0]}"


@pytest.mark.calls("get_png_map")
def test_map_shows_the_room(robot, client):
    """Each cell by its place, as kachaka-api itself computes the place of a pixel."""
    png = client.get_png_map()
    cells = occupancy(png)
    geometry = geometry_util.MapImage2DGeometry(png)
    seen = {"free": 0, "unknown": 0, "inside the box": 0}
    for row in range(png.height):
        for column in range(png.width):
            place = geometry.calculate_robot_pose_matrix_from_pixel((column, row))
            x, y = place[0, 2], place[1, 2]
            wanted = room.what_is_at(x, y, reach=1.5 * png.resolution)
            if wanted is None:
                continue
            seen[wanted] += 1
            found = cells[png.height - 1 - row, column]
            fits = found == {"free": 0, "unknown": -1}.get(wanted, found) and (wanted == "free") == (found == 0)
            assert fits, f"the cell at ({x:.4f}, {y:.4f}) is {found}, but {wanted}"
    assert min(seen.values()) > 100, seen
    # Along the wall at the right, between the corners, each row has an occupied cell.
    right = geometry.calculate_robot_pose_matrix_in_pixel(pb2.Pose(x=room.HALF_X, y=0.0))
    columns = cells[:, round(right[0, 2]) - 1 : round(right[0, 2]) + 2]
    middle = columns[png.height // 2 - 50 : png.height // 2 + 50]
    assert (middle == 100).any(axis=1).all(), "the wall at the right has gaps"


@pytest.mark.calls("get_locations", "get_default_location_id")
def test_locations(client):
    found = {
        place.id: (place.name, place.type, place.pose.x, place.pose.y, place.pose.theta)
        for place in client.get_locations()
    }
    assert found == room.LOCATIONS
    assert client.get_default_location_id() == room.DEFAULT_LOCATION


@pytest.mark.calls("update_resolver")
def test_resolver_knows_the_names(client):
    client.update_resolver()
    resolver = client.resolver
    assert resolver.get_location_name_by_id("L01") == "Kitchen"
    assert resolver.get_location_id_by_name("Desk") == "L02"
    assert sorted(resolver.get_location_list()) == [(key, value[0]) for key, value in room.LOCATIONS.items()]


@pytest.mark.calls("get_shelves", "get_moving_shelf_id")
def test_there_are_no_shelves_yet(client):
    assert list(client.get_shelves()) == []
    assert client.get_moving_shelf_id() == ""


@pytest.mark.calls("get_object_detection", "get_object_detection_features")
def test_nothing_is_detected_yet(client):
    header, objects = client.get_object_detection()
    assert isinstance(header, pb2.RosHeader) and list(objects) == []
    header, features = client.get_object_detection_features()
    assert isinstance(header, pb2.RosHeader) and list(features) == []


@pytest.mark.calls(
    "get_front_camera_ros_camera_info",
    "get_front_camera_ros_image",
    "get_front_camera_ros_compressed_image",
    "get_back_camera_ros_camera_info",
    "get_back_camera_ros_image",
    "get_back_camera_ros_compressed_image",
    "get_tof_camera_ros_camera_info",
)
def test_cameras_cancel_until_they_are_there(client):
    for camera in ("front", "back"):
        for what in ("camera_info", "image", "compressed_image"):
            with pytest.raises(grpc.RpcError) as refused:
                getattr(client, f"get_{camera}_camera_ros_{what}")()
            assert refused.value.code() == grpc.StatusCode.CANCELLED, (camera, what, refused.value)
    with pytest.raises(grpc.RpcError) as refused:
        client.get_tof_camera_ros_camera_info()
    assert refused.value.code() == grpc.StatusCode.CANCELLED


@pytest.mark.calls("get_tof_camera_ros_image", "get_tof_camera_ros_compressed_image")
def test_tof_camera_is_not_available(client):
    for read in (client.get_tof_camera_ros_image, client.get_tof_camera_ros_compressed_image):
        with pytest.raises(Exception, match="tof is not available"):
            read()


@pytest.mark.calls("get_error", "get_robot_error_code")
def test_errors(robot, client):
    assert list(client.get_error()) == []
    table = client.get_robot_error_code()
    for code in (10001, 10105, 10107, 10253, 12401, 13003, 13151, 19001, 21051, 21052):
        entry = table[code]
        assert entry.code == code and entry.title_en and entry.title, entry
        assert entry.error_type in ("Ignore", "Warn", "Error", "Bug", "Fatal", "Recoverable", "CallForSupport"), entry
    robot.stub.SetEmergencyStop(pb2.EmptyRequest())
    assert list(client.get_error()) == [21051]


def test_static_transforms_are_those_of_the_description(robot):
    response = robot.stub.get("GetStaticTransform")
    found = {transform.child_frame_id: transform for transform in response.transforms}
    laser = found["laser_frame"]
    assert laser.header.frame_id == "base_link"
    assert pairs(laser.translation) == pytest.approx([0.156, 0.0, 0.1049])
    assert pairs(laser.rotation, "xyzw") == pytest.approx([0, 0, math.sqrt(0.5), math.sqrt(0.5)])
    # Registered places are frames of the map.
    kitchen = found["L01"]
    assert kitchen.header.frame_id == "map"
    assert pairs(kitchen.translation) == pytest.approx([1.5, 0.5, 0.0])
