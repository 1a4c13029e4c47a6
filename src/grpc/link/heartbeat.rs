//! Whether the robot is still there, and what to do when it has come back.
//!
//! A server that ends well takes its services off the graph at once. One that was killed stays
//! on it for 20 s, so a robot that is silent is asked for something that it does not have: it
//! says no, and by that that it is there.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use r2r::tatami_msgs::srv::{GetMap, Republish};
use r2r::{Client, Node, QosProfile};

use super::super::presence::Watch;
use super::super::view::View;
use super::services::Services;

/// How often to look.
const PERIOD: Duration = Duration::from_millis(100);
/// After which silence the robot is asked.
const SILENCE: Duration = Duration::from_millis(500);
/// After which silence it is lost.
const LOST: Duration = Duration::from_secs(2);
/// How often it is asked again when it does not answer.
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// How often the server is asked to publish everything, until all has been heard.
const REPUBLISH_PERIOD: Duration = Duration::from_millis(500);
/// How many times.
const REPUBLISH_TRIES: u32 = 10;

/// No map has this id.
const NO_MAP: &str = "?";

type Pending<T> = Pin<Box<dyn Future<Output = r2r::Result<T>> + Send>>;

/// Follows the signs of life of the robot.
pub(super) struct Heartbeat {
    services: Arc<Services>,
    view: Arc<View>,
    watch: Arc<Watch>,
    next: Instant,
    heard: Instant,
    /// Done when the robot's services are on the graph.
    available: Option<Pending<()>>,
    question: Option<(Instant, Pending<GetMap::Response>)>,
    state_topic: String,
    publishers: Vec<Vec<u8>>,
    republish: Client<Republish::Service>,
    here: bool,
    tries: u32,
    next_try: Instant,
}

impl Heartbeat {
    /// Of the robot in this namespace, which is not known to be there.
    ///
    /// # Errors
    /// When the middleware does not let a client be made.
    pub(super) fn open(
        node: &mut Node,
        robot: &str,
        services: &Arc<Services>,
        view: &Arc<View>,
        watch: &Arc<Watch>,
    ) -> r2r::Result<Self> {
        let now = Instant::now();
        let qos = QosProfile::services_default();
        Ok(Self {
            services: Arc::clone(services),
            view: Arc::clone(view),
            watch: Arc::clone(watch),
            next: now,
            heard: now,
            available: None,
            question: None,
            state_topic: format!("{robot}/sim/state"),
            publishers: Vec::new(),
            republish: node.create_client("/tatami/republish", qos)?,
            here: false,
            tries: 0,
            next_try: now,
        })
    }

    /// Looks after the robot, which has told something in this turn or not. `name` is its name
    /// in the world.
    pub(super) fn beat(&mut self, node: &Node, name: Option<&str>, heard: bool, now: Instant) {
        if heard {
            self.heard = now;
        }
        if now < self.next {
            return;
        }
        self.next = now + PERIOD;
        let on_graph = self.is_on_graph();
        if on_graph {
            self.ask(now);
        } else {
            self.question = None;
        }
        let silent = now.saturating_duration_since(self.heard) > LOST;
        let known = name.is_some() && self.view.heard.borrow().is_some();
        let lost = match (silent, on_graph && known) {
            (true, _) => Some(self.heard),
            (false, false) => Some(now),
            (false, true) => None,
        };
        self.watch.note(lost, now);
        self.notice_another(node);
        self.greet(name, lost.is_none(), now);
    }

    /// Whether its services are on the graph, where the node has looked since the last time.
    fn is_on_graph(&mut self) -> bool {
        let found = match &mut self.available {
            Some(available) => match available.as_mut().now_or_never() {
                Some(found) => found.is_ok(),
                None => return false,
            },
            None => false,
        };
        let client = self.services.start.client();
        let available = Node::is_available(client).ok();
        self.available = available.map(|available| Box::pin(available) as Pending<()>);
        found
    }

    /// Asks a silent robot for a sign of life.
    fn ask(&mut self, now: Instant) {
        if let Some((asked, answer)) = &mut self.question {
            match answer.as_mut().now_or_never() {
                Some(answer) => {
                    if answer.is_ok() {
                        self.heard = now;
                    }
                    self.question = None;
                }
                None if now.saturating_duration_since(*asked) > ASK_AGAIN => self.question = None,
                None => return,
            }
        }
        if now.saturating_duration_since(self.heard) > SILENCE {
            let request = GetMap::Request {
                map_id: NO_MAP.to_owned(),
            };
            if let Ok(answer) = self.services.get_map.client().request(&request) {
                self.question = Some((now, Box::pin(answer)));
            }
        }
    }

    /// Greets the robot again when its state comes from somebody else than before: from a
    /// server that was restarted, or a robot that was spawned again.
    fn notice_another(&mut self, node: &Node) {
        let Ok(found) = node.get_publishers_info_by_topic(&self.state_topic, false) else {
            return;
        };
        let found: Vec<Vec<u8>> = found.iter().map(|one| one.endpoint_gid.to_vec()).collect();
        if found.iter().any(|one| !self.publishers.contains(one)) {
            self.here = false;
        }
        self.publishers = found;
    }

    /// Asks the server to publish everything when the robot has come, so that its sensors are
    /// heard also while the world is paused.
    fn greet(&mut self, name: Option<&str>, here: bool, now: Instant) {
        let Some(name) = name else {
            return;
        };
        if here && !self.here {
            tracing::info!("the robot {name} is there");
            self.tries = REPUBLISH_TRIES;
            self.next_try = now;
        } else if !here && self.here {
            tracing::warn!("the robot {name} is gone");
        }
        self.here = here;
        if !here || self.tries == 0 || now < self.next_try {
            return;
        }
        if self.tries < REPUBLISH_TRIES && self.view.has_heard_all() {
            self.tries = 0;
            return;
        }
        self.tries -= 1;
        self.next_try = now + REPUBLISH_PERIOD;
        let request = Republish::Request {
            prefix: name.to_owned(),
        };
        // What it replies does not matter: what counts is what is heard then.
        if let Err(error) = self.republish.request(&request) {
            tracing::debug!("can't ask for everything to be published: {error}");
        }
    }
}
