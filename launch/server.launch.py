"""Starts the Tatami server.

Every parameter of the server is an argument of the same name:

    ros2 launch tatami server.launch.py physics_dt:=0.01 paused:=true
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

SERVER_PARAMETERS = {
    'physics_dt': (float, 's of sim time per physics step'),
    'paused': (bool, 'whether time stands still at start'),
    'dynamics': (str, 'rigid or kinematic'),
    'seed': (int, 'seed of all noise'),
    'run_id': (int, 'part of the ids of commands, 0 = another one at every start'),
    'real_time_factor': (float, 'sim seconds per wall second, 0 = as fast as it can'),
    'clock_rate': (float, 'messages on /clock per second of sim time, 0 = every step'),
    'paused_clock_period': (float, 's of wall time between messages on /clock while paused'),
}


def start_server(context):
    """The node, with the parameters that were given as arguments on top of the file."""
    given = {}
    for name, (value_type, _) in SERVER_PARAMETERS.items():
        argument = LaunchConfiguration(name)
        if argument.perform(context):
            given[name] = ParameterValue(argument, value_type=value_type)
    return [
        Node(
            package='tatami',
            executable='tatami_server',
            output='screen',
            parameters=[LaunchConfiguration('params_file')] + ([given] if given else []),
            on_exit=Shutdown(reason='the server has ended'),
        )
    ]


def generate_launch_description():
    """The arguments and the server."""
    share = FindPackageShare('tatami')
    arguments = [
        DeclareLaunchArgument(
            'params_file',
            default_value=PathJoinSubstitution([share, 'config', 'server.yaml']),
            description='YAML file with parameters of the server',
        )
    ]
    for name, (_, meaning) in SERVER_PARAMETERS.items():
        arguments.append(
            DeclareLaunchArgument(
                name, default_value='', description=f'{meaning}; empty = as in params_file'
            )
        )
    return LaunchDescription(arguments + [OpaqueFunction(function=start_server)])
