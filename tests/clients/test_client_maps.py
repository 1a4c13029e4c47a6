"""Maps through the clients of kachaka-api: what is exported comes back as it was."""

import io

import pytest
from harness.waiting import eventually
from kachaka_api import pb2
from PIL import Image

from test_client_commands import failed, succeeded


@pytest.mark.calls("get_map_list", "get_current_map_id", "load_map_preview", "get_png_map")
def test_the_current_map_is_listed(client):
    current = client.get_current_map_id()
    names = {entry.id: entry.name for entry in client.get_map_list()}
    assert names[current]
    preview, shown = client.load_map_preview(current), client.get_png_map()
    assert preview.name == names[current] == shown.name
    assert preview == shown


@pytest.mark.calls("export_map", "import_map", "get_map_list", "load_map_preview", "get_current_map_id")
def test_export_and_import(client, tmp_path):
    current = client.get_current_map_id()
    file = tmp_path / "room.map"
    succeeded(client.export_map(current, str(file)))
    assert file.stat().st_size > 0
    # In chunks far smaller than the file.
    result, map_id = client.import_map(str(file), chunk_size=1000)
    succeeded(result)
    assert map_id not in ("", current)
    assert map_id in {entry.id for entry in client.get_map_list()}
    before, after = client.load_map_preview(current), client.load_map_preview(map_id)
    assert Image.open(io.BytesIO(before.data)).tobytes() == Image.open(io.BytesIO(after.data)).tobytes()
    assert (after.resolution, after.origin) == (before.resolution, before.origin)
    assert client.get_current_map_id() == current


@pytest.mark.calls("export_map", "load_map_preview")
def test_unknown_maps(client, tmp_path):
    file = tmp_path / "none.map"
    result = client.export_map("no such map", str(file))
    failed(result, 90007)
    assert not file.exists()
    assert client.load_map_preview("no such map").data == b""


@pytest.mark.calls("import_map", "get_map_list")
def test_a_file_that_is_no_map_is_refused(client, tmp_path):
    file = tmp_path / "rubbish.map"
    file.write_bytes(bytes(range(256)) * 100)
    before = [entry.id for entry in client.get_map_list()]
    result, map_id = client.import_map(str(file))
    assert not result.success and result.error_code and map_id == ""
    assert [entry.id for entry in client.get_map_list()] == before


@pytest.mark.calls("switch_map", "get_current_map_id", "get_robot_pose", "import_map", "export_map")
def test_switch_map(robot, client, tmp_path):
    current = client.get_current_map_id()
    file = tmp_path / "room.map"
    succeeded(client.export_map(current, str(file)))
    _, map_id = client.import_map(str(file))
    # A map without a charger needs a pose.
    failed(client.switch_map(map_id), 90008)
    before = robot.truth()
    succeeded(client.switch_map(map_id, pose={"x": 0.25, "y": 0.5, "theta": -0.5}))
    assert client.get_current_map_id() == map_id
    eventually(client.get_robot_pose, lambda pose: abs(pose.x - 0.25) < 1e-3, "the pose on the new map")
    pose = client.get_robot_pose()
    assert (pose.x, pose.y, pose.theta) == pytest.approx((0.25, 0.5, -0.5), abs=1e-3)
    assert robot.truth().distance(before) == 0.0, "the body has moved"
    failed(client.switch_map("no such map"), 90007)
    failed(client.switch_map(current, inherit_docking_state_and_docked_shelf=True), 90009)
    assert client.get_current_map_id() == map_id


def test_import_image_as_map(robot):
    image = Image.new("L", (80, 60), 253)
    image.putpixel((3, 5), 174)
    file = io.BytesIO()
    image.save(file, "PNG")
    data = file.getvalue()

    def chunks():
        for start in range(0, len(data), 64):
            yield pb2.ImportImageAsMapRequest(
                data=data[start : start + 64], charger_pose=pb2.Pose(x=0.5, y=0.25, theta=0.0), resolution=0.05
            )

    response = robot.stub.ImportImageAsMap(chunks())
    succeeded(response.result)
    preview = robot.stub.LoadMapPreview(pb2.LoadMapPreviewRequest(map_id=response.map_id)).map
    assert (preview.width, preview.height) == (80, 60)
    assert preview.resolution == pytest.approx(0.05, abs=1e-6)
    shown = Image.open(io.BytesIO(preview.data)).convert("L")
    assert (shown.getpixel((3, 5)), shown.getpixel((4, 5))) == (174, 253)
    # Its charger is where the robot is after a switch without a pose.
    succeeded(robot.stub.SwitchMap(pb2.SwitchMapRequest(map_id=response.map_id)).result)
    eventually(
        lambda: robot.stub.get("GetRobotPose").pose, lambda pose: abs(pose.x - 0.5) < 1e-3, "the pose of the charger"
    )
