"""Fills ROS messages from plain data, as `ros2 service call` does with its YAML."""

import importlib
import re
import struct

SEQUENCE = re.compile(r"sequence<(?P<type>[^,>]+)(, *\d+)?>$")
ARRAY = re.compile(r"(?P<type>.+)\[\d+\]$")


def message_class(name):
    """`geometry_msgs/Twist`, `geometry_msgs/msg/Twist` or `std_srvs/srv/Trigger` as a class."""
    parts = name.split("/")
    kind = parts[1] if len(parts) == 3 else "msg"
    return getattr(importlib.import_module(f"{parts[0]}.{kind}"), parts[-1])


def fill(message, fields):
    """Sets fields of a message from a dict, nested ones and lists included. Returns the message."""
    types = message.get_fields_and_field_types()
    for name, value in fields.items():
        if name not in types:
            raise AssertionError(f"{type(message).__name__} has no field {name!r}, only {sorted(types)}")
        setattr(message, name, _value(types[name], value, getattr(message, name)))
    return message


def build(name, **fields):
    """A new message of a type with some fields set."""
    return fill(message_class(name)(), fields)


def bits(message):
    """All fields of a message in bytes, numbers bit by bit: equal bytes are equal messages.

    The middleware's own serialisation would not do, because the padding in it may hold anything.
    """
    if hasattr(message, "get_fields_and_field_types"):
        return b"".join(bits(getattr(message, name)) for name in message.get_fields_and_field_types())
    if isinstance(message, float):
        return struct.pack("<d", message)
    if isinstance(message, int):
        return message.to_bytes(9, "little", signed=True)
    if isinstance(message, str):
        message = message.encode()
    if hasattr(message, "tobytes"):
        message = message.tobytes()
    if isinstance(message, bytes):
        return len(message).to_bytes(8, "little") + message
    return len(message).to_bytes(8, "little") + b"".join(map(bits, message))


def _value(type_name, value, current):
    listed = SEQUENCE.match(type_name) or ARRAY.match(type_name)
    if listed:
        element = listed["type"]
        return [_value(element, item, None) for item in value]
    if isinstance(value, dict):
        return fill(current if current is not None else message_class(type_name)(), value)
    if type_name in ("double", "float"):
        return float(value)
    return value
