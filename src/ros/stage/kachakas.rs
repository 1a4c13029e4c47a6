//! The Kachakas on the stage: their surfaces are served and kept up to date.

use std::collections::BTreeSet;

use r2r::Node;
use r2r::std_srvs::srv::SetBool;
use r2r::tatami_msgs::srv::AddLocations;

use super::{Stage, StageError};
use crate::ros::convert;
use crate::ros::kachaka;
use crate::ros::robot_topics::RobotTopics;
use crate::ros::services::{done, outcome, respond};

impl Stage {
    /// Publishes what has become another on the surfaces of Kachakas, their places included.
    pub(in crate::ros) fn publish_kachakas(&mut self, node: &mut Node) {
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

    /// Answers what has arrived at the services and actions of Kachakas.
    pub(in crate::ros) fn serve_kachakas(&mut self, node: &mut Node) {
        let now = self.scene.time();
        let mut resets = Vec::new();
        for (name, topics) in &mut self.robots {
            if let (Some(surface), Some(kachaka)) = (topics.surface(), self.scene.kachaka_mut(name))
            {
                surface.serve(now, kachaka);
                while let Some(request) = surface.next_reset() {
                    resets.push((name.clone(), request));
                }
            }
        }
        for (name, request) in resets {
            let reset = self.reset_kachaka(node, &name, request.message.data);
            let (success, message) = outcome(reset.map(done));
            respond(request, SetBool::Response { success, message });
        }
    }

    /// Puts one Kachaka back to its spawn pose and publishes its transforms.
    ///
    /// # Errors
    /// When there is none of this name or its floor is gone.
    fn reset_kachaka(
        &mut self,
        node: &mut Node,
        name: &str,
        clear_map: bool,
    ) -> Result<(), StageError> {
        self.scene.reset_kachaka(name, clear_map)?;
        self.catch_up_clock();
        self.publish_one(name);
        self.publish_kachakas(node);
        Ok(())
    }

    /// Adds, replaces or removes places of one Kachaka, of all of them with "".
    ///
    /// # Errors
    /// When there is none of this name, a place is wrong, or its id can't be a frame; then
    /// nothing has changed.
    pub(in crate::ros) fn add_locations(
        &mut self,
        node: &mut Node,
        request: &AddLocations::Request,
    ) -> Result<(), StageError> {
        let change = kachaka::location_change(request)?;
        let mut plans = Vec::new();
        for (name, topics) in &self.robots {
            let chosen = request.robot.is_empty() || request.robot == *name;
            let Some(kachaka) = self.scene.kachaka(name).filter(|_| chosen) else {
                continue;
            };
            let stays = |id: &&str| !request.removed.iter().any(|removed| removed == id);
            let before = kachaka
                .locations()
                .all()
                .iter()
                .map(|place| place.id.as_str());
            let mut ids: BTreeSet<&str> = before.filter(stays).collect();
            ids.extend(request.locations.iter().map(|place| place.id.as_str()));
            let mut plan = topics.plan().clone();
            plan.set_places(ids.into_iter())?;
            for (other, topics) in &self.robots {
                if other != name {
                    plan.check_frames_beside(topics.plan())?;
                }
            }
            plans.push((name.clone(), plan));
        }
        self.scene.add_locations(&request.robot, &change)?;
        for (name, plan) in plans {
            if let Some(topics) = self.robots.get_mut(&name) {
                *topics.plan_mut() = plan;
            }
        }
        self.publish_kachakas(node);
        Ok(())
    }
}
