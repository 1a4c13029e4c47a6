//! The bodies of a building's things as the world takes them.

use super::{ChargerSpec, DoorSpec, DropSpec, ElevatorSpec, Kind, PersonSpec, ShelfSpec};
use crate::building::BuildingError;
use crate::world::{Part, PlanarShape, Pose2, ThingMotion, ThingSpec, ZExtent};

impl DoorSpec {
    /// Its panel in the world, as it starts.
    #[must_use]
    pub fn thing(&self) -> ThingSpec {
        let opening = if self.starts_open { 1.0 } else { 0.0 };
        ThingSpec {
            name: self.name.clone(),
            kind: Kind::Door,
            parts: self.parts(),
            pose: self.panel_pose(opening),
            floor: self.floor.clone(),
            motion: ThingMotion::Driven,
        }
    }
}

impl PersonSpec {
    /// The body in the world, at the start.
    #[must_use]
    pub fn thing(&self) -> ThingSpec {
        ThingSpec {
            name: self.name.clone(),
            kind: Kind::Person,
            parts: self.parts(),
            pose: self.pose,
            floor: self.floor.clone(),
            motion: ThingMotion::Driven,
        }
    }
}

impl ShelfSpec {
    /// Its body in the world.
    #[must_use]
    pub fn thing(&self) -> ThingSpec {
        ThingSpec {
            name: self.name.clone(),
            kind: Kind::Shelf,
            parts: self.parts(),
            pose: self.pose,
            floor: self.floor.clone(),
            motion: ThingMotion::Pushed { mass: self.mass },
        }
    }
}

impl ChargerSpec {
    /// Its body in the world.
    #[must_use]
    pub fn thing(&self) -> ThingSpec {
        ThingSpec {
            name: self.name.clone(),
            kind: Kind::Charger,
            parts: self.parts(),
            pose: self.pose,
            floor: self.floor.clone(),
            motion: ThingMotion::Fixed,
        }
    }
}

impl DropSpec {
    /// The region in the world.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn thing(&self) -> Result<ThingSpec, BuildingError> {
        let region = self.region()?;
        let [x, y] = region.first().copied().unwrap_or_default();
        let local = region.iter().map(|p| [p[0] - x, p[1] - y]).collect();
        let z = ZExtent::new(-self.depth, 0.0);
        Ok(ThingSpec {
            name: self.name.clone(),
            kind: Kind::Drop,
            parts: vec![Part::solid(PlanarShape::Convex(local), z)],
            pose: Pose2::new(x, y, 0.0),
            floor: self.floor.clone(),
            motion: ThingMotion::Fixed,
        })
    }
}

impl ElevatorSpec {
    /// Its bodies in the world: the car at each stop, then the door of each. The car of the
    /// first stop has the elevator's name.
    #[must_use]
    pub fn things(&self) -> Vec<ThingSpec> {
        let cars = self
            .stops
            .iter()
            .enumerate()
            .map(|(index, stop)| ThingSpec {
                name: self.car_name(index),
                kind: Kind::Elevator,
                parts: self.parts(),
                pose: stop.pose,
                floor: stop.floor.clone(),
                motion: ThingMotion::Fixed,
            });
        let doors = self.stops.iter().enumerate().map(|(index, stop)| {
            DoorSpec {
                starts_open: index == 0,
                ..self.door(stop)
            }
            .thing()
        });
        cars.chain(doors).collect()
    }

    /// Names of all its bodies, in the order of [`Self::things`].
    pub fn thing_names(&self) -> impl Iterator<Item = String> {
        let cars = (0..self.stops.len()).map(|index| self.car_name(index));
        cars.chain(self.stops.iter().map(|stop| self.door_name(stop)))
    }

    fn car_name(&self, index: usize) -> String {
        match (index, self.stops.get(index)) {
            (1.., Some(stop)) => format!("{}/{}", self.name, stop.name()),
            _ => self.name.clone(),
        }
    }
}
