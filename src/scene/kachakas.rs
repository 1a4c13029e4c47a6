//! The Kachakas of a scene: their own software, stepped with it.

use super::{Scene, SceneError};
use crate::building::Building;
use crate::kachaka::{Around, Kachaka, LocationChange, Order, Refusal, Seen, Situation};
use crate::robot::Robot;
use crate::world::{BodyState, World};

impl Scene {
    /// The software of a Kachaka by the robot's name.
    #[must_use]
    pub fn kachaka(&self, name: &str) -> Option<&Kachaka> {
        self.kachakas.get(name)
    }

    /// The software of a Kachaka by the robot's name, to ask it for something.
    pub fn kachaka_mut(&mut self, name: &str) -> Option<&mut Kachaka> {
        self.kachakas.get_mut(name)
    }

    /// All Kachakas, by name.
    pub fn kachakas(&self) -> impl Iterator<Item = &Kachaka> {
        self.kachakas.values()
    }

    /// Puts one Kachaka back to its spawn pose, the shelf that it carries home, and what it is about back to how it was
    /// spawned. With `clear_map` the drift of its odometry is gone, too.
    ///
    /// # Errors
    /// No Kachaka of this name.
    pub fn reset_kachaka(&mut self, name: &str, clear_map: bool) -> Result<(), SceneError> {
        let unknown = || SceneError::NotKachaka {
            name: name.to_owned(),
        };
        let robot = self.robots.get_mut(name).ok_or_else(unknown)?;
        let kachaka = self.kachakas.get_mut(name).ok_or_else(unknown)?;
        if let Some(shelf) = self.world.carried_by(name).map(ToOwned::to_owned) {
            self.building.send_home(&mut self.world, &shelf);
        }
        self.world.respawn_robot(name)?;
        robot.reset();
        if let Some((seen, around)) = look(&self.world, &self.building, robot, self.seed) {
            kachaka.reset(seen, &around, clear_map);
        }
        Ok(())
    }

    /// Adds, replaces or removes registered places of a Kachaka, of all of them with "".
    ///
    /// # Errors
    /// No Kachaka of this name, or the first place that is wrong; then nothing is changed.
    pub fn add_locations(
        &mut self,
        robot: &str,
        change: &LocationChange,
    ) -> Result<(), SceneError> {
        self.check_locations(robot, change)?;
        let named = self.kachakas.iter_mut();
        for (name, kachaka) in named.filter(|(name, _)| is_meant(robot, name)) {
            let applied = kachaka.change_locations(change);
            applied.map_err(|reason| refused(name, reason))?;
        }
        Ok(())
    }

    /// Whether [`Self::add_locations`] would take them.
    ///
    /// # Errors
    /// As there.
    pub fn check_locations(&self, robot: &str, change: &LocationChange) -> Result<(), SceneError> {
        if !robot.is_empty() && !self.kachakas.contains_key(robot) {
            return Err(SceneError::NotKachaka {
                name: robot.to_owned(),
            });
        }
        let named = self.kachakas.iter();
        for (name, kachaka) in named.filter(|(name, _)| is_meant(robot, name)) {
            let checked = kachaka.locations().check(change);
            checked.map_err(|reason| refused(name, reason))?;
        }
        Ok(())
    }

    /// Makes the maps of all Kachakas anew at once where the geometry has changed. Steps do so
    /// by themselves, but not more often than `mapping.period`, and not while time stands
    /// still.
    pub fn update_maps(&mut self) {
        for (name, kachaka) in &mut self.kachakas {
            let robot = self.robots.get(name);
            let look = robot.and_then(|robot| look(&self.world, &self.building, robot, self.seed));
            if let Some((_, around)) = look {
                kachaka.show_geometry(&around);
            }
        }
    }

    /// Gives a robot that was just put into the world its own software, if it has any.
    pub(super) fn start_software(&mut self, name: &str) {
        self.end_software(name);
        let Some(robot) = self.robots.get(name) else {
            return;
        };
        let config = robot.spec().onboard.clone();
        let counters = self.counters.get(name).copied().unwrap_or_default();
        let look = look(&self.world, &self.building, robot, self.seed);
        if let (Some(config), Some((seen, around))) = (config, look) {
            let kachaka = Kachaka::new(name, config, seen, &around, self.run, counters);
            self.kachakas.insert(name.to_owned(), kachaka);
        }
    }

    /// Takes the software of a robot away, but for the numbers that go on.
    pub(super) fn end_software(&mut self, name: &str) {
        if let Some(kachaka) = self.kachakas.remove(name) {
            self.counters.insert(name.to_owned(), kachaka.counters());
        }
    }

    /// Before a step: each Kachaka tells its drive what to do.
    pub(super) fn let_kachakas_decide(&mut self) {
        let (now, dt) = (self.world.time(), self.world.dt());
        for (name, kachaka) in &mut self.kachakas {
            let Some(robot) = self.robots.get_mut(name) else {
                continue;
            };
            match kachaka.decide(|twist| robot.setpoint_after(twist, dt)) {
                Order::Halt => robot.halt(),
                Order::Drive(twist) => robot.follow_order(twist, now),
            }
        }
    }

    /// After a step: each Kachaka sees what came of it.
    pub(super) fn let_kachakas_observe(&mut self) {
        for (name, kachaka) in &mut self.kachakas {
            let Some(robot) = self.robots.get(name) else {
                continue;
            };
            if let Some((seen, around)) = look(&self.world, &self.building, robot, self.seed) {
                kachaka.observe(seen, &around);
            }
        }
    }

    /// After a reset of the world: each Kachaka is as freshly spawned.
    pub(super) fn reset_kachakas(&mut self) {
        for (name, kachaka) in &mut self.kachakas {
            let Some(robot) = self.robots.get(name) else {
                continue;
            };
            if let Some((seen, around)) = look(&self.world, &self.building, robot, self.seed) {
                kachaka.respawn(seen, &around);
            }
        }
    }

    /// After a teleport: the Kachaka sees where it is, while time stands still.
    pub(super) fn show_place(&mut self, name: &str) {
        let (Some(robot), Some(kachaka)) = (self.robots.get(name), self.kachakas.get_mut(name))
        else {
            return;
        };
        if let Some((seen, around)) = look(&self.world, &self.building, robot, self.seed) {
            kachaka.see(seen, &around);
        }
    }
}

/// Whether a request for a Kachaka, or for all of them with "", means this one.
fn is_meant(asked: &str, name: &str) -> bool {
    asked.is_empty() || asked == name
}

fn refused(name: &str, reason: Refusal) -> SceneError {
    SceneError::Kachaka {
        name: name.to_owned(),
        reason,
    }
}

/// What a robot notices of the building where it stands.
fn situation(world: &World, building: &Building, robot: &Robot, body: &BodyState) -> Situation {
    let depth_at = |spot| building.depth_at(world, &body.level, spot);
    let onboard = robot.spec().onboard.as_ref();
    let spots = onboard.map(|config| config.step_sensors.spots(&body.pose));
    Situation {
        depths: spots.map_or([0.0; 2], |spots| spots.map(depth_at)),
        on_charger: (building.charger_at(world, &body.level, &body.pose)).is_some(),
        shelf: world
            .carried_by(robot.name())
            .unwrap_or_default()
            .to_owned(),
    }
}

/// What a robot has seen of itself by now, and what is around it.
fn look<'a>(
    world: &'a World,
    building: &Building,
    robot: &Robot,
    seed: i64,
) -> Option<(Seen, Around<'a>)> {
    let key = robot.key()?;
    let body = world.state_of(key)?;
    let wheels = robot.odometry();
    let drive = robot.drive_model();
    let seen = Seen {
        now: world.time(),
        dt: world.dt(),
        truth: body.pose,
        wheels: wheels.pose,
        twist: wheels.twist,
        lag: [drive.lag[0], drive.lag[2]],
        decel: [drive.linear.decel, drive.angular.decel],
        gain: drive.gain[0],
        top_speed: drive.linear.high,
        setpoint: robot.setpoint(),
    };
    let around = Around {
        situation: situation(world, building, robot, &body),
        world,
        key,
        body,
        seed,
    };
    Some((seen, around))
}
