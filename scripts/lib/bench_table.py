"""Prints one table from what the benches left in cargo's target folder.

Usage: bench_table.py TARGET_FOLDER [--markdown]
"""

import json
import pathlib
import platform
import sys

# Sim time that one iteration of the scene bench covers: 300 steps of 1/30 s.
SCENE_SECONDS = 10.0
BEAMS = 400


def estimate(target, name):
    """Median time of one iteration in seconds, by the path of a criterion bench."""
    file = target / 'criterion' / name / 'new' / 'estimates.json'
    return json.loads(file.read_text())['median']['point_estimate'] * 1e-9


def rays(target, walls, goal):
    """Rows of one scene of the ray bench: rays a second, and the ratio to the plain loop."""
    nearest = estimate(target, f'{walls}_walls/nearest')
    plain = estimate(target, f'{walls}_walls/plain_loop')
    ratio = f'{plain / nearest:.0f}x a plain loop'
    yield f'400-beam fan, {walls} walls', BEAMS / nearest / 1e6, 'million rays/s', goal, ratio


def scene(target, robots, goal):
    """Row of the scene bench: sim time per time."""
    factor = SCENE_SECONDS / estimate(target, f'scene/{robots}_kachakas_300_steps')
    name = f'library, {robots} Kachaka{"s" if robots > 1 else ""} with lidar'
    yield name, factor, 'x real time', goal, ''


def physics(target, name, title, goal):
    """Row of the physics bench: time of one step."""
    yield title, estimate(target, name) * 1e6, 'us', goal, ''


def camera(target, name, title, goal):
    """Row of the camera bench: time of one picture."""
    yield title, estimate(target, f'camera/{name}') * 1e3, 'ms', goal, ''


def figures(target, bench):
    """Rows of a bench that has written its own figures: through ROS or gRPC."""
    for row in json.loads((target / f'{bench}_bench.json').read_text()):
        yield row['what'], row['value'], row['unit'], row['target'], ''


def rows(target):
    """All rows: what, value, unit, target, ratio."""
    yield from rays(target, 60, '>= 20')
    yield from rays(target, 1004, '>= 10')
    yield from scene(target, 1, '>= 2000')
    yield from scene(target, 32, '>= 60')
    alone = 'step_1 robot, 20 obstacles, nothing near'
    yield from physics(target, alone, 'physics step, 1 robot, nothing near', '<= 4')
    crowd = 'step_32 robots, 60 segments'
    yield from physics(target, crowd, 'physics step, 32 robots, 60 walls', '<= 150')
    yield from camera(target, 'rgb_1280x720_room', '1280x720 RGB, room, drawn', '<= 15 both')
    yield from camera(target, 'jpeg_1280x720_room', '1280x720 RGB, room, as JPEG', '<= 15 both')
    yield from camera(target, 'rgb_1280x720_warehouse', '1280x720 RGB, warehouse, drawn', '')
    yield from camera(target, 'jpeg_1280x720_warehouse', '1280x720 RGB, warehouse, as JPEG', '')
    yield from camera(target, 'depth_160x120', '160x120 depth with noise', '<= 0.5')
    yield from figures(target, 'ros')
    yield from figures(target, 'grpc')


def processor():
    """The name of the processor, as Linux has it."""
    for line in pathlib.Path('/proc/cpuinfo').read_text().splitlines():
        if line.startswith('model name'):
            return line.split(':', 1)[1].strip()
    return platform.processor() or 'unknown processor'


def main():
    target = pathlib.Path(sys.argv[1])
    markdown = '--markdown' in sys.argv[2:]
    separator = ' | ' if markdown else '  '
    print(f'{processor()}, {platform.system()} {platform.release()}\n')
    if markdown:
        print('| what | measured | unit | target | ratio |\n|---|---|---|---|---|')
    for what, value, unit, goal, ratio in rows(target):
        cells = [f'{what:42}', f'{value:10.3f}', f'{unit:14}', f'{goal:8}', ratio]
        line = separator.join(cells)
        print(f'| {line} |' if markdown else line.rstrip())


if __name__ == '__main__':
    main()
