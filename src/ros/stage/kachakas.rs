//! The Kachakas on the stage: their surfaces are served and kept up to date.

use std::collections::{BTreeMap, BTreeSet};

use r2r::Node;
use r2r::tatami_msgs::srv::AddLocations;

use super::{Stage, StageError};
use crate::kachaka::error_codes::code;
use crate::kachaka::{LocationChange, Refusal};
use crate::ros::convert;
use crate::ros::kachaka::{self, Beyond};
use crate::ros::plan::Plan;
use crate::ros::replies::Replies;
use crate::ros::robot_topics::RobotTopics;

impl Stage {
    /// Publishes what requests have changed, once for all of them, before they are answered.
    pub(in crate::ros) fn settle(&mut self, node: &mut Node) {
        if std::mem::take(&mut self.maps_are_old) {
            self.scene.update_maps();
        }
        let mut moved = std::mem::take(&mut self.moved);
        for (name, topics) in &mut self.robots {
            if let (Some(surface), Some(kachaka)) = (topics.surface(), self.scene.kachaka(name))
                && surface.is_placed_anew(kachaka)
            {
                moved.insert(name.clone());
            }
        }
        if !moved.is_empty() {
            self.catch_up_clock();
        }
        for name in moved {
            self.publish_one(&name);
        }
        self.publish_kachakas(node);
        self.building.publish_changes(&self.scene);
    }

    /// Has the maps of all Kachakas made anew when the stage settles, as steps do it from time
    /// to time.
    pub(in crate::ros) fn update_maps(&mut self) {
        self.maps_are_old = true;
    }

    /// Has it told where a robot is when the stage settles, be it another place or not.
    pub(super) fn tell_place(&mut self, name: &str) {
        if let Some(surface) = self.robots.get_mut(name).and_then(RobotTopics::surface) {
            surface.tell_place_again();
        }
        self.moved.insert(name.to_owned());
    }

    /// Publishes what has become another on the surfaces of Kachakas, their places included.
    fn publish_kachakas(&mut self, node: &mut Node) {
        let now = self.scene.time();
        for (name, topics) in &mut self.robots {
            if let (Some(surface), Some(kachaka)) = (topics.surface(), self.scene.kachaka_mut(name))
            {
                surface.publish_changes(now, kachaka);
            }
            let (Some(robot), Some(kachaka)) = (self.scene.robot(name), self.scene.kachaka(name))
            else {
                continue;
            };
            match topics.update_places(node, robot, kachaka, &mut self.fixed) {
                Ok(false) => {}
                Ok(true) => {
                    let topic = topics.plan().tf_static_topic();
                    self.fixed.publish_stamped(&topic, &convert::stamp(now));
                }
                Err(error) => tracing::error!("can't publish the places of {name:?}: {error}"),
            }
        }
    }

    /// Ends every command of a Kachaka that is about to go, and tells so.
    pub(super) fn shut_down_software(&mut self, name: &str) {
        let now = self.scene.time();
        let surface = self.robots.get_mut(name).and_then(RobotTopics::surface);
        if let (Some(surface), Some(kachaka)) = (surface, self.scene.kachaka_mut(name)) {
            kachaka.shut_down();
            surface.publish_changes(now, kachaka);
        }
    }

    /// Carries out what has arrived at the services and actions of Kachakas.
    pub(in crate::ros) fn serve_kachakas(&mut self, replies: &mut Replies) {
        let now = self.scene.time();
        let mut beyond = Vec::new();
        for (name, topics) in &mut self.robots {
            if let (Some(surface), Some(kachaka)) = (topics.surface(), self.scene.kachaka_mut(name))
            {
                surface.serve(now, kachaka, replies);
                while let Some(request) = surface.next_beyond() {
                    beyond.push((name.clone(), request));
                }
            }
        }
        for (name, request) in beyond {
            let data = request.data();
            let asked = match request {
                Beyond::Reset(_) => self.reset_kachaka(&name, data),
                Beyond::ShelfDock(_) if data => self.dock_shelf(&name),
                Beyond::ShelfDock(_) => self.undock_shelf(&name),
            };
            request.answer(asked, replies);
        }
    }

    /// A Kachaka takes up the shelf above it.
    ///
    /// # Errors
    /// [`code::NO_SHELF_HERE`] when there is none that its pin would find.
    fn dock_shelf(&mut self, name: &str) -> Result<(), Refusal> {
        match self.scene.dock_shelf(name) {
            Ok(_) => Ok(()),
            Err(error) => Err(Refusal::new(code::NO_SHELF_HERE, error.to_string())),
        }
    }

    /// A Kachaka puts down the shelf that it carries.
    ///
    /// # Errors
    /// [`code::NO_SHELF_CARRIED`] when it carries none.
    fn undock_shelf(&mut self, name: &str) -> Result<(), Refusal> {
        match self.scene.undock_shelf(name) {
            Ok(shelf) if !shelf.is_empty() => Ok(()),
            _ => Err(Refusal::of(code::NO_SHELF_CARRIED)),
        }
    }

    /// Puts one Kachaka back to its spawn pose.
    ///
    /// # Errors
    /// When there is none of this name.
    fn reset_kachaka(&mut self, name: &str, clear_map: bool) -> Result<(), Refusal> {
        let gone = |_| Refusal::of(code::ROBOT_REMOVED);
        (self.scene.reset_kachaka(name, clear_map)).map_err(gone)?;
        let life = self.next_life();
        if let Some(topics) = self.robots.get_mut(name) {
            topics.begin_life(life);
        }
        self.tell_place(name);
        Ok(())
    }

    /// Adds, replaces or removes places of one Kachaka, of all of them with "".
    ///
    /// # Errors
    /// When there is none of this name, a place is wrong, or its id can't be a frame; then
    /// nothing has changed.
    pub(in crate::ros) fn add_locations(
        &mut self,
        request: &AddLocations::Request,
    ) -> Result<(), StageError> {
        let change = kachaka::location_change(request)?;
        self.scene.check_locations(&request.robot, &change)?;
        let plans = self.plans_with(&change, &request.robot)?;
        self.scene.add_locations(&request.robot, &change)?;
        for (name, plan) in plans {
            if let Some(topics) = self.robots.get_mut(&name) {
                *topics.plan_mut() = plan;
            }
        }
        Ok(())
    }

    /// The plans of one Kachaka, or of all of them with "", after a change of their places that
    /// they take.
    ///
    /// # Errors
    /// When an id can't be a frame beside all others.
    fn plans_with(
        &self,
        change: &LocationChange,
        robot: &str,
    ) -> Result<BTreeMap<String, Plan>, StageError> {
        let removed: BTreeSet<&str> = change.remove.iter().map(String::as_str).collect();
        let added = change.add.iter().map(|place| place.id.as_str());
        let mut plans = BTreeMap::new();
        for (name, topics) in &self.robots {
            let is_meant = robot.is_empty() || robot == name;
            let Some(kachaka) = self.scene.kachaka(name).filter(|_| is_meant) else {
                continue;
            };
            let before = kachaka.locations().all().iter();
            let before = before.map(|place| place.id.as_str());
            let mut ids: BTreeSet<&str> = before.filter(|id| !removed.contains(id)).collect();
            ids.extend(added.clone());
            let mut plan = topics.plan().clone();
            plan.set_places(ids.into_iter())?;
            plans.insert(name.clone(), plan);
        }
        for (name, plan) in &plans {
            for (other, topics) in self.robots.iter().filter(|(other, _)| *other != name) {
                plan.check_frames_beside(plans.get(other).unwrap_or(topics.plan()))?;
            }
        }
        Ok(plans)
    }
}
