//! Which bodies take part in a step. Pushed things that stand still take part only when
//! something comes near them, so that many of them cost nothing.

use rapier2d::math::Vector;

use super::body::Body;
use super::islands::{self, Island, Room};
use super::{Physics, motion};
use crate::world::BodyKey;

impl Physics {
    pub(super) fn step_islands(&mut self) {
        let mut taking_part = self.restless();
        let mut rooms = self.rooms(&taking_part);
        let mut islands = islands::split(&rooms);
        while !self.places.is_empty() {
            let joining = self.joining(&islands, &rooms, &taking_part);
            if joining.is_empty() {
                break;
            }
            taking_part.extend(joining);
            taking_part.sort_unstable();
            rooms = self.rooms(&taking_part);
            islands = islands::split(&rooms);
        }
        for mut island in islands {
            for member in &mut island.members {
                *member = taking_part[*member];
            }
            motion::move_island(
                &mut self.bodies,
                &island.members,
                island.travel,
                &self.obstacles,
                self.dt,
            );
        }
        if !self.places.is_empty() {
            self.note_moved(&taking_part);
        }
    }

    /// Indices of all robots and of the pushed things that may move without one.
    fn restless(&mut self) -> Vec<usize> {
        if self.places.is_empty() {
            return (0..self.bodies.len()).collect();
        }
        for bounds in self.obstacles.take_disturbed() {
            for key in self.places.near(bounds, 0.0) {
                if let Some(pushed) = self.body_mut(key).and_then(|body| body.pushed.as_mut()) {
                    pushed.restless = true;
                }
            }
        }
        let moves = |body: &Body| body.pushed.is_none_or(|pushed| pushed.restless);
        let bodies = self.bodies.iter().enumerate();
        let moving = bodies.filter(|(_, body)| moves(body));
        moving.map(|(index, _)| index).collect()
    }

    fn rooms(&self, indices: &[usize]) -> Vec<Room> {
        let room = |index: &usize| {
            let body = &self.bodies[*index];
            Room {
                center: body.position(),
                reach: body.reach,
                travel: motion::travel(body, &self.obstacles, self.dt),
                z: body.z,
            }
        };
        indices.iter().map(room).collect()
    }

    /// Indices of the resting things that belong to one of the islands, too.
    fn joining(&self, islands: &[Island], rooms: &[Room], taking_part: &[usize]) -> Vec<usize> {
        let mut joining = Vec::new();
        for island in islands {
            for room in island.members.iter().map(|at| &rooms[*at]) {
                let reach = room.reach + island.travel;
                let bounds = (room.center - reach, room.center + reach);
                for body in self.pushed_near(bounds, 0.0) {
                    // By the rule of the islands.
                    let apart = body.position().distance(room.center);
                    if apart <= body.reach + reach && body.z.overlaps(&room.z) {
                        joining.extend(self.index(body.key).ok());
                    }
                }
            }
        }
        joining.sort_unstable();
        joining.dedup();
        joining.retain(|index| taking_part.binary_search(index).is_err());
        joining
    }

    /// Pushed things whose bounds come within `distance` of a box along both axes.
    pub(super) fn pushed_near(
        &self,
        bounds: (Vector, Vector),
        distance: f64,
    ) -> impl Iterator<Item = &Body> {
        let keys: Vec<BodyKey> = self.places.near(bounds, distance);
        keys.into_iter().filter_map(|key| self.body(key))
    }

    /// Takes down which of the pushed things have moved.
    fn note_moved(&mut self, taking_part: &[usize]) {
        for index in taking_part {
            let body = &mut self.bodies[*index];
            let (pose, bounds) = (body.pose, body.bounds());
            if let Some(pushed) = &mut body.pushed {
                pushed.restless = pose != pushed.settled;
                if pushed.restless {
                    pushed.settled = pose;
                    self.places.update(pushed.slot, bounds);
                    self.moved.push(body.key);
                }
            }
        }
    }
}
