"""Starts and ends real `tatami_server` processes."""

from process import Process, ros_arguments


class Server(Process):
    """A `tatami_server` with these parameters on its command line."""

    def __init__(self, *arguments, **parameters):
        self.parameters = parameters
        super().__init__("tatami_server", *arguments, *ros_arguments(parameters))
