//! Copies of a layout: under other names, at another place.

use super::Layout;
use crate::world::Pose2;

impl Layout {
    /// The same layout somewhere else: everything that stands, and the places, moved by so
    /// many metres.
    #[must_use]
    pub fn moved_by(mut self, [dx, dy]: [f64; 2]) -> Self {
        let put = |pose: &mut Pose2| {
            pose.x += dx;
            pose.y += dy;
        };
        let put_point = |point: &mut [f64; 2]| {
            point[0] += dx;
            point[1] += dy;
        };
        let rings = self.outlines.iter_mut().map(|item| &mut item.points);
        let regions = self.drops.iter_mut().map(|item| &mut item.points);
        rings.chain(regions).flatten().for_each(put_point);
        let stops = self.elevators.iter_mut().flat_map(|item| &mut item.stops);
        (self.boxes.iter_mut().map(|item| &mut item.pose))
            .chain(self.doors.iter_mut().map(|item| &mut item.pose))
            .chain(stops.map(|stop| &mut stop.pose))
            .chain(self.chargers.iter_mut().map(|item| &mut item.pose))
            .chain(self.shelves.iter_mut().map(|item| &mut item.pose))
            .chain(self.people.iter_mut().map(|item| &mut item.pose))
            .chain(self.robots.iter_mut().map(|item| &mut item.pose))
            .chain(
                self.places
                    .locations
                    .iter_mut()
                    .map(|place| &mut place.pose),
            )
            .for_each(put);
        let walks = self.people.iter_mut().filter_map(|item| item.walk.as_mut());
        let waypoints = walks.flat_map(|walk| &mut walk.waypoints);
        waypoints.for_each(|waypoint| put_point(&mut waypoint.at));
        self
    }

    /// The same layout with a prefix before everything that tells it from another copy: the
    /// names of all things, and the namespaces and frames of robots. Topics that start with
    /// a slash, `tf_topic` and `world_frame` stay, and so do the ids of places, which belong
    /// to the robots that know them.
    #[must_use]
    pub fn with_prefix(mut self, prefix: &str) -> Self {
        if prefix.is_empty() {
            return self;
        }
        let put = |text: &mut String| text.insert_str(0, prefix);
        let put_unless_empty = |text: &mut String| {
            if !text.is_empty() {
                text.insert_str(0, prefix);
            }
        };
        (self.floors.iter_mut().map(|item| &mut item.name))
            .chain(self.outlines.iter_mut().map(|item| &mut item.name))
            .chain(self.boxes.iter_mut().map(|item| &mut item.name))
            .chain(self.doors.iter_mut().map(|item| &mut item.name))
            .chain(self.drops.iter_mut().map(|item| &mut item.name))
            .chain(self.elevators.iter_mut().map(|item| &mut item.name))
            .chain(self.chargers.iter_mut().map(|item| &mut item.name))
            .chain(self.shelves.iter_mut().map(|item| &mut item.name))
            .chain(self.people.iter_mut().map(|item| &mut item.name))
            .chain(
                (self.robots.iter_mut()).flat_map(|item| [&mut item.name, &mut item.frame_prefix]),
            )
            .for_each(put);
        let stops = self.elevators.iter_mut().flat_map(|item| &mut item.stops);
        (self.doors.iter_mut().map(|item| &mut item.floor))
            .chain(self.drops.iter_mut().map(|item| &mut item.floor))
            .chain(stops.map(|stop| &mut stop.floor))
            .chain(self.chargers.iter_mut().map(|item| &mut item.floor))
            .chain(self.shelves.iter_mut().map(|item| &mut item.floor))
            .chain(self.people.iter_mut().map(|item| &mut item.floor))
            .chain(self.robots.iter_mut().map(|item| &mut item.floor))
            .for_each(put_unless_empty);
        for robot in &mut self.robots {
            if !robot.robot_namespace.is_empty() {
                let below = robot.robot_namespace.trim_start_matches('/');
                robot.robot_namespace = format!("/{prefix}{below}");
            }
        }
        self
    }
}
