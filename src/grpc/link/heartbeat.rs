//! Whether the robot is still there, and what to do when it has come back.
//!
//! A robot is there while somebody publishes its state. A server that ends well leaves the graph
//! at once. One that was killed stays on it for 20 s, so a robot that is silent is asked for
//! something that it does not have: it says no, and by that that it is there. A robot that is met
//! is asked the same, since its answer names its present state.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use r2r::Node;
use r2r::tatami_msgs::msg::{CommandHistory, OnboardState};
use r2r::tatami_msgs::srv::GetMap;

use super::super::presence::{Presence, Sign, Watch};
use super::super::view::View;
use super::joining::Joining;
use super::services::Services;

/// How often to look.
const PERIOD: Duration = Duration::from_millis(100);
/// After which silence the robot is asked.
const SILENCE: Duration = Duration::from_millis(500);
/// After which silence it is lost.
const LOST: Duration = Duration::from_secs(2);
/// How often a silent robot is asked again when it does not answer.
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// The same for a robot that is met: clients wait for it.
const ASK_SOON: Duration = Duration::from_millis(500);
/// How often the server is asked to publish everything, until all has been heard.
const REPUBLISH_PERIOD: Duration = Duration::from_millis(500);
/// The same when something has not been heard for long: it may never be, as the scan of a lidar
/// that rests, and each time all other samples are sent again.
const REPUBLISH_LATER: Duration = Duration::from_secs(5);
/// After how many times it is long.
const REPUBLISH_TRIES: u32 = 20;

/// No map has this id.
const NO_MAP: &str = "?";

type Pending<T> = Pin<Box<dyn Future<Output = r2r::Result<T>> + Send>>;

/// Follows the signs of life of the robot.
pub(super) struct Heartbeat {
    services: Arc<Services>,
    view: Arc<View>,
    watch: Arc<Watch>,
    namespace: String,
    next: Instant,
    heard: Instant,
    /// Done when the robot's services are on the graph.
    available: Option<Pending<()>>,
    question: Option<(Instant, Pending<GetMap::Response>)>,
    joining: Joining,
    state_topic: String,
    /// Who publishes the state, or did last.
    publishers: Vec<Vec<u8>>,
    /// Whether anybody does now.
    is_published: bool,
    /// Whether a robot was there before.
    met: bool,
    here: bool,
    /// Whether everything was asked for since it has come, and how often.
    tries: u32,
    next_try: Instant,
}

impl Heartbeat {
    /// Of the robot in this namespace, which is not known to be there.
    pub(super) fn new(
        robot: &str,
        services: &Arc<Services>,
        view: &Arc<View>,
        watch: &Arc<Watch>,
    ) -> Self {
        let now = Instant::now();
        Self {
            services: Arc::clone(services),
            view: Arc::clone(view),
            watch: Arc::clone(watch),
            namespace: robot.to_owned(),
            next: now,
            heard: now,
            available: None,
            question: None,
            joining: Joining::default(),
            state_topic: format!("{robot}/sim/state"),
            publishers: Vec::new(),
            is_published: false,
            met: false,
            here: false,
            tries: 0,
            next_try: now,
        }
    }

    /// Looks after the robot, which has told something in this turn or not.
    pub(super) fn beat(&mut self, node: &Node, heard: bool, now: Instant) {
        if heard {
            self.heard = now;
        }
        // Clients wait for a robot that is met.
        let is_met = self.is_published && !self.is_known();
        if now < self.next && !is_met {
            return;
        }
        self.next = now + PERIOD;
        self.notice_another(node, now);
        let on_graph = self.is_on_graph();
        if on_graph {
            self.ask(now);
        } else {
            self.question = None;
        }
        let sign = self.sign(on_graph, now);
        self.watch.note(sign, now);
        if !self.is_published && self.is_known() && self.watch.now() == Presence::Gone {
            // Whoever comes then is another one.
            self.begin_anew(now);
        }
        self.greet(node, sign, now);
    }

    fn sign(&mut self, on_graph: bool, now: Instant) -> Sign {
        let robot = self.view.robot();
        let is_known = robot.is_some() && self.is_known();
        let is_silent = now.saturating_duration_since(self.heard) > LOST;
        let sign = match (self.is_published, is_known) {
            (false, _) if self.met => Sign::Lost(now),
            (true, _) if is_silent && self.met => Sign::Lost(self.heard),
            (true, true) if on_graph => Sign::Here,
            _ => Sign::Coming,
        };
        let here = sign == Sign::Here;
        let robot = robot.unwrap_or_default();
        if here && !self.here {
            tracing::info!("the robot {robot} is there");
            self.met = true;
            self.tries = 0;
            self.next_try = now;
        } else if !here && self.here {
            tracing::warn!("the robot {robot} is gone");
        }
        self.here = here;
        sign
    }

    /// Whether its services are on the graph, where the node has looked since the last time:
    /// the one that is asked is among the last that a robot opens.
    fn is_on_graph(&mut self) -> bool {
        let found = match &mut self.available {
            Some(available) => match available.as_mut().now_or_never() {
                Some(found) => found.is_ok(),
                None => return false,
            },
            None => false,
        };
        let client = self.services.get_map.client();
        let available = Node::is_available(client).ok();
        self.available = available.map(|available| Box::pin(available) as Pending<()>);
        found
    }

    /// Whether a state of it is known.
    fn is_known(&self) -> bool {
        self.view.heard.borrow().is_some()
    }

    /// Of the results and states that have come: those that are to be taken in.
    pub(super) fn sort_out(
        &mut self,
        histories: Vec<CommandHistory>,
        states: Vec<OnboardState>,
        now: Instant,
    ) -> (Vec<CommandHistory>, Vec<OnboardState>) {
        if self.is_known() {
            return (histories, states);
        }
        self.hear_answer(now);
        let (history, state) = self.joining.take(histories, states);
        (history.into_iter().collect(), state.into_iter().collect())
    }

    /// Asks a robot that is silent for a sign of life, and one that is met for its present state.
    fn ask(&mut self, now: Instant) {
        self.hear_answer(now);
        let is_silent = now.saturating_duration_since(self.heard) > SILENCE;
        let is_new = !self.is_known() && !self.joining.knows();
        if self.question.is_none() && (is_silent || is_new) {
            let request = GetMap::Request {
                map_id: NO_MAP.to_owned(),
            };
            if let Ok(answer) = self.services.get_map.client().request(&request) {
                self.question = Some((now, Box::pin(answer)));
            }
        }
    }

    /// Takes in what was answered to the question, and gives one up that is not answered.
    fn hear_answer(&mut self, now: Instant) {
        let patience = if self.is_known() { ASK_AGAIN } else { ASK_SOON };
        let Some((asked, answer)) = &mut self.question else {
            return;
        };
        match answer.as_mut().now_or_never() {
            Some(answer) => {
                self.question = None;
                // A robot that was removed answers for a moment, without a state.
                if let Ok(answer) = answer
                    && answer.sequence > 0
                {
                    self.heard = now;
                    if !self.is_known() {
                        self.joining.know(answer.sequence);
                        // What was published before it need not be the present.
                        self.next_try = now;
                    }
                }
            }
            None if now.saturating_duration_since(*asked) > patience => self.question = None,
            None => {}
        }
    }

    /// Notices when the state comes from somebody else than before: from a server that was
    /// started again, or a robot that was spawned again. What the one before has told, and what
    /// it was told, is void then.
    pub(super) fn notice_another(&mut self, node: &Node, now: Instant) {
        let Ok(found) = node.get_publishers_info_by_topic(&self.state_topic, false) else {
            return;
        };
        let found: Vec<Vec<u8>> = found.iter().map(|one| one.endpoint_gid.to_vec()).collect();
        let is_new = found.iter().any(|one| !self.publishers.contains(one));
        if is_new && self.is_known() {
            tracing::info!("the robot is another one than before");
            self.tries = 0;
            self.next_try = now;
            self.begin_anew(now);
        } else if is_new {
            self.meet_anew();
        }
        if is_new || (!self.is_published && !found.is_empty()) {
            // From now on it is to tell something.
            self.heard = now;
        }
        // One that is away for a moment is the same when it is seen again.
        self.is_published = !found.is_empty();
        if self.is_published {
            self.publishers = found;
        }
    }

    /// Forgets what the robot has told, and meets whoever tells something next.
    fn begin_anew(&mut self, now: Instant) {
        self.view.begin_anew(now);
        self.meet_anew();
    }

    fn meet_anew(&mut self) {
        self.question = None;
        self.joining = Joining::default();
    }

    /// Asks the server to publish everything when the robot has come, so that its sensors are
    /// heard also while the world is paused, and again until all has been heard.
    fn greet(&mut self, node: &Node, sign: Sign, now: Instant) {
        let is_lost = matches!(sign, Sign::Lost(_)) || !self.is_published;
        if is_lost || now < self.next_try {
            return;
        }
        let Some(name) = self.view.robot() else {
            return;
        };
        self.next_try = now + REPUBLISH_PERIOD;
        if self.tries > 0 && !self.lacks_something(node) {
            return;
        }
        if self.tries >= REPUBLISH_TRIES {
            self.next_try = now + REPUBLISH_LATER;
        }
        self.tries = self.tries.saturating_add(1);
        self.services.ask_republish(&name);
    }

    /// Whether something has not been heard that somebody can tell.
    fn lacks_something(&self, node: &Node) -> bool {
        let is_told = |topic: &str| {
            let topic = format!("{}/{topic}", self.namespace);
            let found = node.get_publishers_info_by_topic(&topic, false);
            found.is_ok_and(|found| !found.is_empty())
        };
        let told = self.view.told();
        let lacking = told.iter().filter(|(_, has)| !has);
        !self.view.has_transforms() || lacking.map(|(topic, _)| *topic).any(is_told)
    }
}
