"""The test room in numbers: what layouts/test_room.yaml says, for tests that compare with it."""

# Half the size of the room, m; its middle is the origin.
HALF_X, HALF_Y = 3.0, 2.0
# The box: x from, x to, y from, y to, m.
BOX = (-2.3, -1.7, 1.0, 1.4)
# Id: name, type of kachaka-api, x, y, yaw.
LOCATIONS = {
    "L01": ("Kitchen", 0, 1.5, 0.5, 0.0),
    "L02": ("Desk", 0, 0.0, -1.0, 1.5),
    "M01": ("Marker", 3, -1.0, 0.25, -1.0),
}
DEFAULT_LOCATION = "L02"
SHORTCUTS = {"greet": "Say hello", "dance": "Dance"}
SERIAL_NUMBER = "KCK-TEST-1"


def what_is_at(x, y, reach):
    """Whether a place is `free`, `occupied` or `unknown` on the map; None within `reach` of where that changes."""
    # How far inside each of the two lines that bound what is free.
    to_wall = min(HALF_X - abs(x), HALF_Y - abs(y))
    in_box = min(x - BOX[0], BOX[1] - x, y - BOX[2], BOX[3] - y)
    if abs(to_wall) < reach or abs(in_box) < reach:
        return None
    if to_wall < 0:
        return "unknown"
    return "free" if in_box < 0 else "inside the box"
