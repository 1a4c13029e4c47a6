//! Puts a layout into the world of a running server, through its services.

mod furniture;
mod messages;
mod names;

use std::future::Future;
use std::pin::pin;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::{Duration, Instant};

use r2r::tatami_msgs::srv::{
    AddDrops, AddFloors, AddLocations, AddOutlines, SpawnBoxes, SpawnChargers, SpawnDoors,
    SpawnElevators, SpawnPeople, SpawnRobot, SpawnShelves,
};
use r2r::{Client, Node, QosProfile, WrappedServiceTypeSupport};

use self::messages::{floor, locations, outline, rectangle, robot};
use super::error::ServerError;
use super::start::create_context;
use crate::layout::Layout;

pub(super) use self::furniture::drop_region as drop_message;
pub use self::names::{RefusedName, check_names};

/// How long one turn of the node waits for messages.
const TURN: Duration = Duration::from_millis(10);

/// Why a layout did not get into the world. What was sent before stays there.
#[derive(Debug, thiserror::Error)]
pub enum LayoutClientError {
    /// ROS does not start.
    #[error(transparent)]
    Start(#[from] ServerError),
    /// ROS lets no client be made.
    #[error("ROS: {0}")]
    Ros(#[from] r2r::Error),
    /// A service that does not appear.
    #[error(
        "no service {service} after {seconds} s: is tatami_server running, with this namespace and ROS_DOMAIN_ID?"
    )]
    NoService {
        /// Its full name.
        service: String,
        /// How long it was waited for.
        seconds: f64,
    },
    /// A request without a reply.
    #[error("{service} did not answer within {seconds} s")]
    NoReply {
        /// Full name of the service.
        service: String,
        /// How long it was waited for.
        seconds: f64,
    },
    /// What the server said no to.
    #[error("{service} refused: {message}")]
    Refused {
        /// Full name of the service.
        service: String,
        /// What the server says.
        message: String,
    },
}

/// Clients for what furnishes a building.
struct Furnishing {
    doors: Option<Service<SpawnDoors::Service>>,
    drops: Option<Service<AddDrops::Service>>,
    elevators: Option<Service<SpawnElevators::Service>>,
    chargers: Option<Service<SpawnChargers::Service>>,
    shelves: Option<Service<SpawnShelves::Service>>,
    people: Option<Service<SpawnPeople::Service>>,
}

/// Sends a list of a layout, unless nothing is in it.
macro_rules! send_list {
    (
        $client:ident, $report:expr, $service:expr, $kind:ident, $word:literal,
        $list:ident: $items:expr, $convert:expr
    ) => {
        if let (Some(service), [_, ..]) = (&$service, $items.as_slice()) {
            let $list = $items.iter().map($convert).collect();
            let reply = $client.call(service, &$kind::Request { $list })?;
            let names = $items.iter().map(|item| ($word, &item.name));
            report_all(names, &reply.message, &mut $report);
        }
    };
}

/// A node that talks to one server.
pub struct LayoutClient {
    node: Node,
    server: String,
    timeout: Duration,
}

impl LayoutClient {
    /// A client of the server node of this full name, such as `/tatami`. Each service and
    /// each reply is waited for no longer than `timeout` of wall time.
    ///
    /// # Errors
    /// When ROS does not start.
    pub fn new(server: &str, timeout: Duration) -> Result<Self, LayoutClientError> {
        let node = Node::create(create_context()?, "tatami_layout", "")?;
        Ok(Self {
            node,
            server: format!("/{}", server.trim_matches('/')),
            timeout,
        })
    }

    /// Sends floors, outlines, boxes, what furnishes them, robots and locations, in this order, and
    /// tells `report` one line for each thing that the server has taken, and what it remarks.
    ///
    /// # Errors
    /// The first service that is not there, does not answer or refuses.
    pub fn send(
        &mut self,
        layout: &Layout,
        mut report: impl FnMut(&str),
    ) -> Result<(), LayoutClientError> {
        // All are looked for first, so that nothing is sent to half a server.
        let add_floors = self.find::<AddFloors::Service>("add_floors")?;
        let add_outlines = self.find::<AddOutlines::Service>("add_outlines")?;
        let spawn_boxes = self.find::<SpawnBoxes::Service>("spawn_boxes")?;
        let furnish = self.find_furnishing(layout)?;
        let spawn_robot = self.find::<SpawnRobot::Service>("spawn_robot")?;
        let places = locations(layout);
        let add_locations = match places.is_empty() {
            true => None,
            false => Some(self.find::<AddLocations::Service>("add_locations")?),
        };
        send_list!(self, report, Some(add_floors), AddFloors, "floor", floors: layout.floors, floor);
        send_list!(
            self, report, Some(add_outlines), AddOutlines, "outline", outlines: layout.outlines, outline
        );
        send_list!(self, report, Some(spawn_boxes), SpawnBoxes, "box", boxes: layout.boxes, rectangle);
        self.furnish(layout, &furnish, &mut report)?;
        for item in &layout.robots {
            let reply = self.call(&spawn_robot, &robot(item))?;
            report_all([("robot", &item.name)], &reply.message, &mut report);
        }
        for (service, request) in add_locations.iter().cycle().zip(&places) {
            let reply = self.call(service, request)?;
            let names = (layout.places.locations.iter()).map(|item| ("location", &item.id));
            report_all(names, &reply.message, &mut report);
        }
        Ok(())
    }

    /// Clients for what furnishes a building, as far as the layout has any of it.
    fn find_furnishing(&mut self, layout: &Layout) -> Result<Furnishing, LayoutClientError> {
        Ok(Furnishing {
            doors: self.find_for(&layout.doors, "spawn_doors")?,
            drops: self.find_for(&layout.drops, "add_drops")?,
            elevators: self.find_for(&layout.elevators, "spawn_elevators")?,
            chargers: self.find_for(&layout.chargers, "spawn_chargers")?,
            shelves: self.find_for(&layout.shelves, "spawn_shelves")?,
            people: self.find_for(&layout.people, "spawn_people")?,
        })
    }

    fn furnish(
        &mut self,
        layout: &Layout,
        to: &Furnishing,
        report: &mut impl FnMut(&str),
    ) -> Result<(), LayoutClientError> {
        send_list!(self, *report, &to.doors, SpawnDoors, "door", doors: layout.doors, furniture::door);
        send_list!(
            self, *report, &to.drops, AddDrops, "drop", drops: layout.drops, furniture::drop_region
        );
        send_list!(
            self, *report, &to.elevators, SpawnElevators, "elevator",
            elevators: layout.elevators, furniture::elevator
        );
        send_list!(
            self, *report, &to.chargers, SpawnChargers, "charger",
            chargers: layout.chargers, furniture::charger
        );
        send_list!(
            self, *report, &to.shelves, SpawnShelves, "shelf", shelves: layout.shelves, furniture::shelf
        );
        send_list!(
            self, *report, &to.people, SpawnPeople, "person", people: layout.people, furniture::person
        );
        Ok(())
    }

    /// A client for a service that a list is sent to; none for a list of nothing.
    fn find_for<T, S>(
        &mut self,
        list: &[T],
        name: &str,
    ) -> Result<Option<Service<S>>, LayoutClientError>
    where
        S: WrappedServiceTypeSupport + 'static,
    {
        match list {
            [] => Ok(None),
            _ => self.find(name).map(Some),
        }
    }

    /// A client for a service that is there.
    fn find<S>(&mut self, name: &str) -> Result<Service<S>, LayoutClientError>
    where
        S: WrappedServiceTypeSupport + 'static,
    {
        let service = format!("{}/{name}", self.server.trim_end_matches('/'));
        let client = self
            .node
            .create_client::<S>(&service, QosProfile::services_default())?;
        let available = Node::is_available(&client)?;
        match self.wait_for(available) {
            Some(outcome) => outcome?,
            None => {
                return Err(LayoutClientError::NoService {
                    service,
                    seconds: self.timeout.as_secs_f64(),
                });
            }
        }
        Ok(Service {
            name: service,
            client,
        })
    }

    /// Asks a service and waits for a reply that says yes.
    fn call<S>(
        &mut self,
        service: &Service<S>,
        request: &S::Request,
    ) -> Result<S::Response, LayoutClientError>
    where
        S: WrappedServiceTypeSupport + 'static,
        S::Response: Reply,
    {
        let reply = service.client.request(request)?;
        let Some(reply) = self.wait_for(reply) else {
            return Err(LayoutClientError::NoReply {
                service: service.name.clone(),
                seconds: self.timeout.as_secs_f64(),
            });
        };
        let reply = reply?;
        match reply.refusal() {
            None => Ok(reply),
            Some(message) => Err(LayoutClientError::Refused {
                service: service.name.clone(),
                message: message.to_owned(),
            }),
        }
    }

    /// Turns the node until the future is done; `None` when the time is over before.
    fn wait_for<T>(&mut self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        // Polled after every turn of the node, which is what completes it.
        let mut context = TaskContext::from_waker(Waker::noop());
        let deadline = Instant::now() + self.timeout;
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return Some(value);
            }
            if Instant::now() >= deadline {
                return None;
            }
            self.node.spin_once(TURN);
        }
    }
}

/// A service with its full name.
struct Service<S: WrappedServiceTypeSupport> {
    name: String,
    client: Client<S>,
}

/// What every response of the server has.
trait Reply {
    /// What the server says when it refused.
    fn refusal(&self) -> Option<&str>;
}

macro_rules! reply {
    ($($service:ident),*) => {$(
        impl Reply for $service::Response {
            fn refusal(&self) -> Option<&str> {
                (!self.success).then_some(self.message.as_str())
            }
        }
    )*};
}

reply!(
    AddFloors,
    AddOutlines,
    SpawnBoxes,
    SpawnDoors,
    AddDrops,
    SpawnElevators,
    SpawnChargers,
    SpawnShelves,
    SpawnPeople,
    SpawnRobot,
    AddLocations
);

fn report_all<'a>(
    names: impl IntoIterator<Item = (&'static str, &'a String)>,
    remark: &str,
    report: &mut impl FnMut(&str),
) {
    for (kind, name) in names {
        report(&format!("{kind} {name}"));
    }
    for line in remark.lines().filter(|line| !line.trim().is_empty()) {
        report(&format!("    {line}"));
    }
}
