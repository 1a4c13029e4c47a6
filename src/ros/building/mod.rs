//! The building as ROS sees it: services that furnish it, and topics that tell what it does.

mod convert;
mod states;

use r2r::tatami_msgs::srv::{
    AddDrops, CallElevator, SetDoor, SpawnChargers, SpawnDoors, SpawnElevators, SpawnPeople,
    SpawnShelves,
};

use super::inbox::poll;
use super::replies::Replies;
use super::service_set::service_set;
use super::services::{done, outcome};
use super::stage::{Stage, StageError};

pub(super) use convert::RefusedItem;
pub(super) use states::BuildingTopics;

service_set! {
    /// The services of the building.
    pub(super) struct BuildingServices {
        spawn_shelves: SpawnShelves,
        spawn_doors: SpawnDoors,
        set_door: SetDoor,
        spawn_people: SpawnPeople,
        spawn_chargers: SpawnChargers,
        add_drops: AddDrops,
        spawn_elevators: SpawnElevators,
        call_elevator: CallElevator,
    }
}

/// Carries out requests that have a list of one kind of things.
macro_rules! furnish {
    ($inbox:expr, $service:ident, $list:ident, $convert:expr, $stage:ident, $method:ident, $replies:ident) => {
        while let Some(request) = poll(&mut $inbox) {
            let specs = convert::all(stringify!($list), &request.message.$list, $convert);
            let taken = specs.map_err(StageError::from).and_then(|specs| {
                $stage.scene.$method(&specs)?;
                Ok("")
            });
            let (success, message) = outcome(taken);
            $replies.add(request, $service::Response { success, message });
        }
    };
}

impl BuildingServices {
    /// Carries out what has arrived.
    pub(super) fn serve(&mut self, stage: &mut Stage, replies: &mut Replies) {
        let before = replies.len();
        furnish!(
            self.spawn_shelves,
            SpawnShelves,
            shelves,
            convert::shelf,
            stage,
            spawn_shelves,
            replies
        );
        furnish!(
            self.spawn_doors,
            SpawnDoors,
            doors,
            convert::door,
            stage,
            spawn_doors,
            replies
        );
        furnish!(
            self.spawn_people,
            SpawnPeople,
            people,
            convert::person,
            stage,
            spawn_people,
            replies
        );
        furnish!(
            self.spawn_chargers,
            SpawnChargers,
            chargers,
            convert::charger,
            stage,
            spawn_chargers,
            replies
        );
        furnish!(
            self.add_drops,
            AddDrops,
            drops,
            convert::drop_region,
            stage,
            add_drops,
            replies
        );
        furnish!(
            self.spawn_elevators,
            SpawnElevators,
            elevators,
            convert::elevator,
            stage,
            spawn_elevators,
            replies
        );
        if replies.len() > before {
            stage.update_maps();
        }
        while let Some(request) = poll(&mut self.set_door) {
            let ask = &request.message;
            let (success, message) = outcome(stage.scene.set_door(&ask.name, ask.open).map(done));
            replies.add(request, SetDoor::Response { success, message });
        }
        while let Some(request) = poll(&mut self.call_elevator) {
            let ask = &request.message;
            let called = stage.scene.call_elevator(&ask.name, &ask.stop);
            let (success, message) = outcome(called.map(done));
            replies.add(request, CallElevator::Response { success, message });
        }
    }
}
