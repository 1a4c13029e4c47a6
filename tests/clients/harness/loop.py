"""An event loop in a thread of its own, for tests that are not asynchronous themselves."""

import asyncio
import threading

from .waiting import DEADLINE


class Loop:
    """Runs coroutines, and returns their results to the thread that asks."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def start(self, coroutine):
        """Starts a coroutine. Returns its future."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def finish(self, coroutine, deadline=2 * DEADLINE):
        """Runs a coroutine. Returns its result."""
        return self.start(coroutine).result(deadline)

    def close(self):
        """Ends the thread. What has not ended by then is cancelled."""
        self.finish(self._cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(DEADLINE)
        self._loop.close()

    @staticmethod
    async def _cancel_all():
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
