"""Starts the Tatami server with a Kachaka in a room.

    ros2 launch tatami kachaka.launch.py x:=1.0 yaw:=1.57 physics_dt:=0.01

Takes the arguments of server.launch.py, too. Nodes beside it need use_sim_time:=true: the server owns /clock.
"""

from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    OpaqueFunction,
    Shutdown,
)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

# Arguments that set a value of the robot: name, key in the layout, meaning.
ROBOT_ARGUMENTS = (
    ('namespace', 'robot_namespace', 'namespace of its topics'),
    ('frame_prefix', 'frame_prefix', 'put before each of its frames'),
    ('x', 'x', 'm, world frame'),
    ('y', 'y', 'm, world frame'),
    ('yaw', 'yaw', 'rad'),
)


def fill_world(context):
    """The client that reads the layout, with the values that were given as arguments."""
    robot = LaunchConfiguration('robot').perform(context)
    settings = []
    for name, key, _ in ROBOT_ARGUMENTS:
        value = LaunchConfiguration(name).perform(context)
        if value:
            settings += ['--set', f'{robot}.{key}={value}']
    return [
        Node(
            package='tatami',
            executable='tatami_layout',
            output='screen',
            arguments=[LaunchConfiguration('layout')] + settings,
            on_exit=end_if_failed,
        )
    ]


def end_if_failed(event, _context):
    """Ends everything when the world is not what the layout says."""
    if event.returncode:
        return [Shutdown(reason='the layout could not be put into the world')]
    return []


def generate_launch_description():
    """The arguments, the server and what fills its world."""
    share = FindPackageShare('tatami')
    arguments = [
        DeclareLaunchArgument(
            'layout',
            default_value=PathJoinSubstitution([share, 'config', 'layouts', 'default_room.yaml']),
            description='YAML file with what stands in the world',
        ),
        DeclareLaunchArgument(
            'robot',
            default_value='kachaka',
            description='name of the robot in the layout that the arguments below are for',
        ),
    ]
    for name, _, meaning in ROBOT_ARGUMENTS:
        arguments.append(
            DeclareLaunchArgument(
                name, default_value='', description=f'{meaning}; empty = as in the layout'
            )
        )
    server = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([share, 'launch', 'server.launch.py']))
    )
    return LaunchDescription(arguments + [server, OpaqueFunction(function=fill_world)])
