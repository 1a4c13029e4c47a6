"""The MCP server of kachaka-sdk-toolkit over standard input and output, as an assistant runs it."""

import asyncio
import concurrent.futures
import json
import pathlib
import sys
import tempfile

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from .loop import Loop
from .waiting import DEADLINE

# Beside the Python that runs the tests.
PROGRAM = pathlib.Path(sys.executable).parent / "kachaka-mcp"


class McpServer:
    """A `kachaka-mcp` process with a client that has said hello."""

    def __init__(self):
        self._log = tempfile.NamedTemporaryFile("w+", prefix="kachaka_mcp_", suffix=".log")
        self._loop = Loop()
        self._client = None
        ready = concurrent.futures.Future()
        self._ended = self._loop.start(self._serve(ready))
        try:
            ready.result(DEADLINE)
        except BaseException:
            self._loop.close()
            raise

    async def _serve(self, ready):
        """The whole life of the client, in one task as its library wants it."""
        transport = stdio_client(StdioServerParameters(command=str(PROGRAM)), errlog=self._log)
        try:
            async with Client(transport) as self._client:
                self._stop = asyncio.Event()
                ready.set_result(None)
                await self._stop.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise

    def log(self):
        with open(self._log.name, errors="replace") as file:
            return file.read()[-4000:]

    def tools(self):
        """Names of all tools."""
        return {tool.name for tool in self._loop.finish(self._client.list_tools()).tools}

    def start(self, tool, **arguments):
        """Calls a tool. Returns the future of what it answers."""
        return self._loop.start(self._call(tool, arguments))

    def call(self, tool, **arguments):
        """What a tool answers: its JSON, or a list of contents where it has pictures."""
        return self.start(tool, **arguments).result(2 * DEADLINE)

    async def _call(self, tool, arguments):
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, f"{tool}: {result.content}\n{self.log()}"
        if any(content.type != "text" for content in result.content) or len(result.content) != 1:
            return result.content
        return json.loads(result.content[0].text)

    def close(self):
        """Ends the server: its standard input ends."""
        try:
            self._loop.finish(self._say_stop())
            self._ended.result(DEADLINE)
        finally:
            self._loop.close()

    async def _say_stop(self):
        self._stop.set()

