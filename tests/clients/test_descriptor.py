"""The interface of the adapter is that of kachaka-api: every message, field, enum and RPC."""

import grpc
import pytest
from google.protobuf.descriptor_pb2 import (
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from kachaka_api import pb2

SERVICE = "kachaka_api.KachakaApi"


@pytest.fixture
def served(robot):
    """The file that the running adapter says it serves."""
    with grpc.insecure_channel(robot.target) as channel:
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE)
        response = next(stub.ServerReflectionInfo(iter([request]), timeout=10))
    for encoded in response.file_descriptor_response.file_descriptor_proto:
        file = FileDescriptorProto.FromString(encoded)
        if file.package == "kachaka_api":
            return file
    raise AssertionError(f"no file of the package in {response}")


def official():
    file = FileDescriptorProto()
    pb2.DESCRIPTOR.CopyToProto(file)
    return file


def fields(message):
    oneofs = [oneof.name for oneof in message.oneof_decl]
    return {
        field.name: (
            field.number,
            FieldDescriptorProto.Type.Name(field.type),
            FieldDescriptorProto.Label.Name(field.label),
            field.type_name,
            oneofs[field.oneof_index] if field.HasField("oneof_index") else None,
            field.proto3_optional,
        )
        for field in message.field
    }


def enum_values(enum: EnumDescriptorProto):
    return {value.name: value.number for value in enum.value}


def walk(messages, enums, scope=""):
    """Every message with its fields and every enum with its values, by full name."""
    found = {f"enum {scope}{enum.name}": enum_values(enum) for enum in enums}
    for message in messages:
        name = f"{scope}{message.name}"
        found[f"message {name}"] = fields(message)
        found |= walk(message.nested_type, message.enum_type, f"{name}.")
    return found


def rpcs(file):
    return {
        f"{service.name}.{method.name}": (
            method.input_type,
            method.output_type,
            method.client_streaming,
            method.server_streaming,
        )
        for service in file.service
        for method in service.method
    }


def differences(found, wanted):
    return {name: (found.get(name), wanted.get(name)) for name in found.keys() | wanted.keys()
            if found.get(name) != wanted.get(name)}


def test_syntax_and_package(served):
    assert (served.package, served.syntax) == (official().package, official().syntax)


def test_messages_and_enums(served):
    found = walk(served.message_type, served.enum_type)
    wanted = walk(official().message_type, official().enum_type)
    assert len(wanted) > 100
    assert differences(found, wanted) == {}


def test_rpcs(served):
    found, wanted = rpcs(served), rpcs(official())
    assert len(wanted) == 64
    assert differences(found, wanted) == {}
