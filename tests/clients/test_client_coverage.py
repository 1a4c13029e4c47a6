"""No method of the clients is left out by the tests."""

import ast
import pathlib

import kachaka_api
from harness.clients import methods

FOLDER = pathlib.Path(__file__).parent


def marked():
    """Names in the `calls` marks of the tests, which fail if they do not call them."""
    names = set()
    for path in FOLDER.glob("test_client_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "calls":
                names |= {ast.literal_eval(argument) for argument in node.args}
    return names


def test_every_method_of_the_client_is_called():
    of_client = methods(kachaka_api.KachakaApiClient)
    assert len(of_client) > 60
    assert marked() == of_client


def test_the_clients_have_the_same_methods():
    assert methods(kachaka_api.KachakaApiClient) == methods(kachaka_api.aio.KachakaApiClient)
