//! What furnishes a layout, as the requests of the services.

use r2r::tatami_msgs::msg as tatami;

use crate::building::{
    ChargerSpec, DoorCycle, DoorKind, DoorSpec, DropSpec, ElevatorSpec, ElevatorStop, PersonShape,
    PersonSpec, Repeat, ShelfSpec, SpeedMode, Walk, Waypoint,
};
use crate::ros::convert::points32;

/// A message of a thing at its pose, with its other fields.
macro_rules! placed {
    ($kind:ident, $spec:ident { $($field:ident: $value:expr,)* }) => {
        tatami::$kind {
            name: $spec.name.clone(),
            x: $spec.pose.x,
            y: $spec.pose.y,
            yaw: $spec.pose.yaw,
            floor: $spec.floor.clone(),
            $($field: $value,)*
        }
    };
}

pub(super) fn shelf(spec: &ShelfSpec) -> tatami::Shelf {
    let shape = &spec.shape;
    placed!(
        Shelf,
        spec {
            title: spec.title.clone(),
            home: spec.home.clone(),
            speed_mode: match spec.speed_mode {
                SpeedMode::Default => tatami::Shelf::DEFAULT_SPEED as u8,
                SpeedMode::Low => tatami::Shelf::LOW_SPEED as u8,
                SpeedMode::Normal => tatami::Shelf::NORMAL_SPEED as u8,
            },
            size_x: shape.plate[0],
            size_y: shape.plate[1],
            height: shape.height,
            undersides: shape.undersides.clone(),
            plate_thickness: shape.plate_thickness,
            leg_distance_x: shape.leg_distance[0],
            leg_distance_y: shape.leg_distance[1],
            leg_diameter: shape.leg_diameter,
            mass: spec.mass,
        }
    )
}

pub(super) fn door(spec: &DoorSpec) -> tatami::Door {
    let cycle = spec.cycle.unwrap_or(DoorCycle {
        open: 0.0,
        closed: 0.0,
    });
    let sensor = spec.automatic.unwrap_or_default();
    placed!(
        Door,
        spec {
            type_: match spec.kind {
                DoorKind::Sliding => tatami::Door::SLIDING as u8,
                DoorKind::Hinged => tatami::Door::HINGED as u8,
            },
            width: spec.width,
            panel_width: spec.panel_width.unwrap_or(0.0),
            height: spec.height,
            thickness: spec.thickness,
            wall_thickness: spec.wall_thickness,
            speed: spec.speed,
            open: spec.starts_open,
            pushes: spec.pushes,
            cycle_open: cycle.open,
            cycle_closed: cycle.closed,
            automatic: spec.automatic.is_some(),
            sensor_range: sensor.range,
            sensor_margin: sensor.margin,
            hold: sensor.hold,
        }
    )
}

pub(super) fn person(spec: &PersonSpec) -> tatami::Person {
    let mut message = tatami::Person {
        name: spec.name.clone(),
        x: spec.pose.x,
        y: spec.pose.y,
        yaw: spec.pose.yaw,
        floor: spec.floor.clone(),
        height: spec.height,
        avoids: spec.avoids,
        ..Default::default()
    };
    match spec.shape {
        PersonShape::Disc { radius } => {
            message.shape = tatami::Person::DISC as u8;
            message.radius = radius;
        }
        PersonShape::Legs {
            leg_radius,
            leg_distance,
            radius,
        } => {
            message.shape = tatami::Person::LEGS as u8;
            message.radius = radius;
            message.leg_radius = leg_radius;
            message.leg_distance = leg_distance;
        }
    }
    if let Some(walk) = &spec.walk {
        walk_into(walk, &mut message);
    }
    message
}

fn walk_into(walk: &Walk, message: &mut tatami::Person) {
    let waypoint = |point: &Waypoint| tatami::Waypoint {
        x: point.at[0],
        y: point.at[1],
        pause: point.pause,
    };
    message.waypoints = walk.waypoints.iter().map(waypoint).collect();
    message.speed = walk.speed;
    message.pause = walk.pause;
    message.repeat = match walk.repeat {
        Repeat::Loop => tatami::Person::LOOP as u8,
        Repeat::ThereAndBack => tatami::Person::THERE_AND_BACK as u8,
        Repeat::Once => tatami::Person::ONCE as u8,
    };
}

pub(super) fn charger(spec: &ChargerSpec) -> tatami::Charger {
    placed!(
        Charger,
        spec {
            panel_size_x: spec.panel[0],
            panel_size_y: spec.panel[1],
            panel_height: spec.panel[2],
            panel_distance: spec.panel_distance,
            plate_size_x: spec.plate[0],
            plate_size_y: spec.plate[1],
            plate_height: spec.plate[2],
            tolerance: spec.tolerance,
            angle_tolerance: spec.angle_tolerance,
        }
    )
}

pub(in crate::ros) fn drop_region(spec: &DropSpec) -> tatami::Drop {
    tatami::Drop {
        name: spec.name.clone(),
        floor: spec.floor.clone(),
        points: points32(&spec.points),
        depth: spec.depth,
    }
}

pub(super) fn elevator(spec: &ElevatorSpec) -> tatami::Elevator {
    let stop = |stop: &ElevatorStop| tatami::ElevatorStop {
        name: stop.name.clone(),
        floor: stop.floor.clone(),
        x: stop.pose.x,
        y: stop.pose.y,
        yaw: stop.pose.yaw,
    };
    tatami::Elevator {
        name: spec.name.clone(),
        stops: spec.stops.iter().map(stop).collect(),
        size_x: spec.size[0],
        size_y: spec.size[1],
        height: spec.height,
        wall_thickness: spec.wall_thickness,
        door_width: spec.door_width,
        door_speed: spec.door_speed,
        door_sensor: spec.door_sensor,
        door_hold: spec.door_hold,
        ride_time: spec.ride_time,
    }
}
