"""The two clients of kachaka-api behind one face, with a note of which of their methods a test has called."""

import inspect

import grpc
import kachaka_api
from kachaka_api import pb2
from kachaka_api.generated.kachaka_api_pb2_grpc import KachakaApiStub

from .loop import Loop
from .waiting import DEADLINE


def methods(client_class):
    """Names of the public methods of a client."""
    members = inspect.getmembers(client_class, inspect.isfunction)
    return {name for name, _ in members if not name.startswith("_")}


class SyncClient:
    """`kachaka_api.KachakaApiClient`."""

    def __init__(self, target):
        self.called = set()
        self.real = kachaka_api.KachakaApiClient(target)

    def __getattr__(self, name):
        self.called.add(name)
        return getattr(self.real, name)

    def close(self):
        """Nothing: a channel of grpc ends with the last reference to it."""


class AioClient:
    """`kachaka_api.aio.KachakaApiClient`: its methods return when their coroutines do, which run in a thread of their own."""

    def __init__(self, target):
        self.called = set()
        self._loop = Loop()
        self.real = self.finish(self._made(target))

    @staticmethod
    async def _made(target):
        # The channel belongs to the loop in which it was made.
        return kachaka_api.aio.KachakaApiClient(target)

    def finish(self, coroutine):
        """Runs a coroutine in the client's loop. Returns its result."""
        return self._loop.finish(coroutine)

    def __getattr__(self, name):
        self.called.add(name)
        attribute = getattr(self.real, name)
        if not inspect.iscoroutinefunction(attribute):
            return attribute
        return lambda *arguments, **keywords: self.finish(attribute(*arguments, **keywords))

    def close(self):
        self._loop.close()


CLIENTS = {"sync": SyncClient, "aio": AioClient}


class Stub:
    """The RPCs themselves, each with a deadline, so that what never answers fails a test."""

    def __init__(self, target, deadline=DEADLINE):
        # It shall see soon that an adapter is there again.
        self.channel = grpc.insecure_channel(target, options=[("grpc.max_reconnect_backoff_ms", 500)])
        self._stub = KachakaApiStub(self.channel)
        self._deadline = deadline

    def __getattr__(self, name):
        rpc = getattr(self._stub, name)
        return lambda request, timeout=self._deadline: rpc(request, timeout=timeout)

    def get(self, name, cursor=0, timeout=None):
        """A `GetRequest` to an RPC."""
        request = pb2.GetRequest(metadata=pb2.Metadata(cursor=cursor))
        return getattr(self, name)(request, timeout=timeout or self._deadline)

    def start(self, cancel_all=True, **command):
        """Starts a command, such as `start(lock_command=pb2.LockCommand(duration_sec=1))`. Returns the response."""
        return self.StartCommand(pb2.StartCommandRequest(command=pb2.Command(**command), cancel_all=cancel_all))

    def close(self):
        self.channel.close()
