"""How walls stop robots: by height, without jitter, tunnelling or snagging."""

import math

import pytest

import scenes


def test_things_at_another_height_are_not_touched(sim):
    boxes = [scenes.wall("shelf", x=0.55, z_min=0.6), scenes.wall("behind", x=1.55)]
    sim.ok("spawn_boxes", boxes=boxes)
    sim.spawn_bot()
    state = sim.step(150, commands=[sim.drive(linear=1.0)], report=True).robots[0]
    scenes.assert_near(state.pose.position.x, 1.5 - 0.2, 0.005, "x at the wall behind")
    assert [contact.name for contact in state.contacts] == ["behind"]


def test_a_pressed_robot_stands_still(sim):
    """Against a wall it stays within 0.1 mm a step (C-32)."""
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=0.55)])
    sim.spawn_bot()
    sim.step(50, commands=[sim.drive(linear=0.5)])
    x = sim.robot().pose.position.x
    for _ in range(50):
        now = sim.step(1, report=True).robots[0].pose.position.x
        assert abs(now - x) < 1e-4, f"moved from {x} to {now} in a step"
        x = now


def test_no_tunnelling_through_a_thin_wall(sim):
    """2 m/s into 1 cm (C-32)."""
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=1.005, thickness=0.01)])
    sim.spawn_bot(radius=0.05)
    state = sim.step(100, commands=[sim.drive(linear=2.0)], report=True).robots[0]
    scenes.assert_near(state.pose.position.x, 1.0 - 0.05, 0.005, "x at the wall")


def wall_of_cells(sim):
    """13 m of boxes of 5 cm whose lower side is at y = 0.5."""
    cells = [scenes.box(f"cell{i}", 0.025 + 0.05 * i, 0.525, size_x=0.05, size_y=0.05) for i in range(260)]
    sim.ok("spawn_boxes", boxes=cells)


def wall_of_segments(sim):
    """The same as one outline with a point every 5 cm."""
    below = [{"x": 0.05 * i, "y": 0.5} for i in range(261)]
    above = [{"x": 13.0, "y": 1.0}, {"x": 0.0, "y": 1.0}]
    sim.ok("add_outlines", outlines=[{"name": "wall", "points": below + above, "z_max": 2.0}])


@pytest.mark.parametrize("build_wall", [wall_of_cells, wall_of_segments])
@pytest.mark.parametrize("body", ["disc", "footprint"])
def test_sliding_along_a_wall_of_cells_is_smooth(sim, build_wall, body):
    """10 m at 20 degrees along pieces of 5 cm: x only grows, bounce below 5 mm (C-32)."""
    build_wall(sim)
    corners = [{"x": x, "y": y} for x, y in ((-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2))]
    sim.spawn_bot(x=0.5, y=0.25, **({} if body == "disc" else {"radius": 0.0, "footprint": corners}))
    heading = math.radians(20)
    sim.step(10, commands=[sim.drive(linear=0.5 * math.cos(heading), lateral=0.5 * math.sin(heading))])
    sim.step(20)
    x = sim.robot().pose.position.x
    lowest = highest = sim.robot().pose.position.y
    for _ in range(110):
        pose = sim.step(10, report=True).robots[0].pose.position
        assert pose.x > x, f"x went from {x} to {pose.x}"
        x, lowest, highest = pose.x, min(lowest, pose.y), max(highest, pose.y)
    assert x > 10.0, x
    assert highest - lowest < 0.005, (lowest, highest)
