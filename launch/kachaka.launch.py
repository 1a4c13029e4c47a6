"""Starts the Tatami server with a Kachaka in a room, and the gRPC interface of the Kachaka.

    ros2 launch tatami kachaka.launch.py x:=1.0 yaw:=1.57 physics_dt:=0.01 grpc_port:=26401

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
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

# Arguments that set a value of the robot: name, key in the layout, meaning.
ROBOT_ARGUMENTS = (
    ('namespace', 'robot_namespace', 'namespace of its topics'),
    ('frame_prefix', 'frame_prefix', 'put before each of its frames'),
    ('x', 'x', 'm, world frame'),
    ('y', 'y', 'm, world frame'),
    ('yaw', 'yaw', 'rad'),
)
# Arguments for the gRPC interface: name, parameter of its node, default, meaning.
GRPC_ARGUMENTS = (
    ('grpc_port', 'port', '26400', 'port of the gRPC interface'),
    (
        'grpc_host',
        'host',
        '127.0.0.1',
        'address that it listens on; it has no password, and 0.0.0.0 lets the whole network in',
    ),
)
GRPC_TYPES = {'port': int, 'host': str}


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


def start_adapter(context):
    """The gRPC interface, for the namespace that the robot has."""
    namespace = LaunchConfiguration('namespace').perform(context)
    parameters = {
        parameter: ParameterValue(LaunchConfiguration(name), value_type=GRPC_TYPES[parameter])
        for name, parameter, _, _ in GRPC_ARGUMENTS
    }
    if namespace:
        parameters['robot_namespace'] = namespace
    return [
        Node(
            package='tatami',
            executable='kachaka_grpc',
            output='screen',
            parameters=[parameters],
            on_exit=Shutdown(reason='the gRPC interface has ended'),
        )
    ]


def end_if_failed(event, _context):
    """Ends everything when the world is not what the layout says."""
    if event.returncode:
        return [Shutdown(reason='the layout could not be put into the world')]
    return []


def generate_launch_description():
    """The arguments, the server, what fills its world, and the gRPC interface."""
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
    for name, _, default, meaning in GRPC_ARGUMENTS:
        arguments.append(DeclareLaunchArgument(name, default_value=default, description=meaning))
    server = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([share, 'launch', 'server.launch.py']))
    )
    return LaunchDescription(
        arguments
        + [server, OpaqueFunction(function=fill_world), OpaqueFunction(function=start_adapter)]
    )
