"""Launch and parameter files: they compile, name what the server has, and leave none of its parameters out."""

import ast
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
LAUNCH_FILES = sorted((ROOT / "launch").glob("*.py"))
# Declared by every node; a source of time takes none from a launch file.
NOT_FOR_LAUNCH = {"use_sim_time"}


def tree_of(path):
    return ast.parse(path.read_text(), filename=str(path))


def assigned(path, name):
    """The keys or items of a literal that a launch file assigns to a name; none when it does not."""
    for node in tree_of(path).body:
        if isinstance(node, ast.Assign) and [getattr(t, "id", None) for t in node.targets] == [name]:
            items = node.value.keys if isinstance(node.value, ast.Dict) else node.value.elts
            return [ast.literal_eval(item) for item in items]
    return []


def parameters_of_nodes(path):
    """Names that stand literally in the `parameters=` of a node."""
    names = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.keyword) and node.arg == "parameters":
            for mapping in ast.walk(node.value):
                if isinstance(mapping, ast.Dict):
                    names += [ast.literal_eval(key) for key in mapping.keys]
    return names


@pytest.fixture
def listed(sim):
    """What the running server says its parameters are."""
    from rcl_interfaces.srv import ListParameters

    client = sim.node.create_client(ListParameters, "/tatami/list_parameters")
    sim.spin_until(client.service_is_ready, "list_parameters")
    return set(sim.reply(client.call_async(ListParameters.Request())).result.names)


def test_there_are_launch_files():
    assert [path.name for path in LAUNCH_FILES] == ["kachaka.launch.py", "server.launch.py"]


@pytest.mark.parametrize("path", LAUNCH_FILES, ids=lambda path: path.name)
def test_it_compiles_and_describes_a_launch(path):
    compile(path.read_text(), str(path), "exec")
    functions = [node.name for node in tree_of(path).body if isinstance(node, ast.FunctionDef)]
    assert "generate_launch_description" in functions


@pytest.mark.parametrize("path", LAUNCH_FILES, ids=lambda path: path.name)
def test_every_parameter_it_names_is_one_of_the_server(path, listed):
    named = set(assigned(path, "SERVER_PARAMETERS")) | set(parameters_of_nodes(path))
    assert named <= listed, f"the server has no {sorted(named - listed)}"


def test_every_parameter_of_the_server_is_a_launch_argument(listed):
    arguments = set(assigned(ROOT / "launch" / "server.launch.py", "SERVER_PARAMETERS"))
    assert arguments == listed - NOT_FOR_LAUNCH


def test_the_parameter_file_holds_the_defaults(sim, listed):
    from rcl_interfaces.srv import GetParameters

    given = yaml.safe_load((ROOT / "config" / "server.yaml").read_text())["/**"]["ros__parameters"]
    assert set(given) == listed - NOT_FOR_LAUNCH
    # These are what the tests' own server was started with.
    names = sorted(set(given) - set(sim.server.parameters))
    client = sim.node.create_client(GetParameters, "/tatami/get_parameters")
    sim.spin_until(client.service_is_ready, "get_parameters")
    values = sim.reply(client.call_async(GetParameters.Request(names=names))).values
    fields = {1: "bool_value", 2: "integer_value", 3: "double_value", 4: "string_value"}
    for name, value in zip(names, values):
        found = getattr(value, fields[value.type])
        assert (type(found), found) == (type(given[name]), given[name]), name


def test_settings_of_the_robot_are_keys_of_a_layout():
    keys = [key for _, key, _ in assigned(ROOT / "launch" / "kachaka.launch.py", "ROBOT_ARGUMENTS")]
    documented = (ROOT / "docs" / "layouts.md").read_text()
    assert keys
    for key in keys:
        assert f"`{key}`" in documented, f"docs/layouts.md has no key {key}"


def test_arguments_of_the_grpc_interface_are_its_parameters_with_their_defaults():
    documented = (ROOT / "docs" / "grpc.md").read_text()
    arguments = assigned(ROOT / "launch" / "kachaka.launch.py", "GRPC_ARGUMENTS")
    assert [parameter for _, parameter, _, _ in arguments] == ["port", "host"]
    for _, parameter, default, _ in arguments:
        assert f"| `{parameter}` | {default} |" in documented, f"docs/grpc.md has no {parameter} of {default}"
