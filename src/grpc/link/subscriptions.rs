//! What the robot tells.

use std::time::Instant;

use futures::{FutureExt, Stream, StreamExt};
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::nav_msgs::msg::{OccupancyGrid, Odometry};
use r2r::sensor_msgs::msg::{BatteryState, Imu, LaserScan};
use r2r::tatami_msgs::msg::{CommandHistory, Locations, OnboardInfo, OnboardState};
use r2r::tf2_msgs::msg::TFMessage;
use r2r::{Node, QosProfile, WrappedTypesupport};

use super::super::view::View;
use super::heartbeat::Heartbeat;

/// How deep queues are of which every message counts.
const DEPTH: usize = 100;

type Inbox<T> = Box<dyn Stream<Item = T> + Send + Unpin>;

/// A subscription with what is done with its messages. Returns whether there were any.
type Pump = Box<dyn FnMut(&View, Instant) -> bool + Send>;

/// All subscriptions.
pub(super) struct Subscriptions {
    pumps: Vec<Pump>,
    info: Inbox<OnboardInfo>,
    locations: Inbox<Locations>,
    map: Inbox<OccupancyGrid>,
    history: Inbox<CommandHistory>,
    state: Inbox<OnboardState>,
    known: Option<OnboardInfo>,
    transforms: Option<Transforms>,
}

/// What has arrived of what a robot says once and for all that come.
#[derive(Default)]
struct Sayings {
    info: Vec<OnboardInfo>,
    locations: Vec<Locations>,
    /// The latest one is all that counts.
    map: Option<OccupancyGrid>,
    history: Vec<CommandHistory>,
    state: Vec<OnboardState>,
}

impl Sayings {
    fn is_empty(&self) -> bool {
        self.info.is_empty()
            && self.locations.is_empty()
            && self.map.is_none()
            && self.history.is_empty()
            && self.state.is_empty()
    }
}

struct Transforms {
    moving: Inbox<TFMessage>,
    fixed: Inbox<TFMessage>,
}

/// QoS of what is told to late readers, too.
fn latched(depth: usize) -> QosProfile {
    QosProfile::default()
        .reliable()
        .transient_local()
        .keep_last(depth)
}

/// QoS of sensors, of which the latest sample is what counts.
fn latest() -> QosProfile {
    QosProfile::default().best_effort().volatile().keep_last(1)
}

fn subscribe<T: WrappedTypesupport + Send + 'static>(
    node: &mut Node,
    topic: &str,
    qos: QosProfile,
) -> r2r::Result<Inbox<T>> {
    Ok(Box::new(node.subscribe::<T>(topic, qos)?))
}

fn next<T>(inbox: &mut Inbox<T>) -> Option<T> {
    inbox.next().now_or_never().flatten()
}

impl Subscriptions {
    /// Subscribes to everything of the robot in this namespace but its transforms, whose
    /// topics it names itself.
    ///
    /// # Errors
    /// When the middleware does not let one be made.
    pub(super) fn open(node: &mut Node, robot: &str) -> r2r::Result<Self> {
        let mut pumps: Vec<Pump> = Vec::new();
        macro_rules! pump {
            ($topic:literal, $type:ty, $qos:expr, $take:expr) => {{
                let mut inbox =
                    subscribe::<$type>(node, &format!(concat!("{}/", $topic), robot), $qos)?;
                let take: fn(&View, &$type, Instant) = $take;
                pumps.push(Box::new(move |view: &View, now| {
                    let mut any = false;
                    while let Some(message) = next(&mut inbox) {
                        take(view, &message, now);
                        any = true;
                    }
                    any
                }));
            }};
        }
        pump!("sim/pose", PoseStamped, latched(1), |view, message, _| view
            .take_pose(message));
        pump!(
            "robot_info/battery_state",
            BatteryState,
            latest(),
            |view, message, _| {
                view.take_battery(message);
            }
        );
        pump!("lidar/scan", LaserScan, latest(), |view, message, _| view
            .take_scan(message));
        pump!("imu/imu", Imu, latest(), |view, message, _| view
            .take_imu(message));
        pump!(
            "odometry/odometry",
            Odometry,
            latest(),
            |view, message, _| {
                view.take_odometry(message);
            }
        );
        pump!(
            "wheel_odometry/wheel_odometry",
            Odometry,
            latest(),
            |view, message, _| {
                view.take_wheel_odometry(message);
            }
        );
        Ok(Self {
            pumps,
            info: subscribe(node, &format!("{robot}/sim/info"), latched(1))?,
            locations: subscribe(node, &format!("{robot}/sim/locations"), latched(1))?,
            map: subscribe(node, &format!("{robot}/mapping/map"), latched(1))?,
            history: subscribe(
                node,
                &format!("{robot}/sim/command/history"),
                latched(DEPTH),
            )?,
            state: subscribe(node, &format!("{robot}/sim/state"), latched(DEPTH))?,
            known: None,
            transforms: None,
        })
    }

    /// Takes in what has arrived. Returns whether the robot has told anything.
    pub(super) fn collect(
        &mut self,
        node: &mut Node,
        view: &View,
        heartbeat: &mut Heartbeat,
        now: Instant,
    ) -> bool {
        let sayings = self.listen();
        let mut heard = !sayings.is_empty();
        if heard {
            // What it says goes by whether it is the same robot as before.
            heartbeat.notice_another(node, now);
        }
        for info in sayings.info {
            view.take_info(&info);
            self.follow(node, &info);
            self.known = Some(info);
        }
        if let Some(transforms) = &mut self.transforms {
            while let Some(message) = next(&mut transforms.fixed) {
                view.take_fixed_transforms(&message.transforms);
            }
            while let Some(message) = next(&mut transforms.moving) {
                view.take_moving_transforms(&message.transforms);
            }
        }
        // What a state follows from comes before it.
        for locations in sayings.locations {
            view.take_locations(&locations);
        }
        if let Some(map) = sayings.map {
            view.take_map(map, now);
        }
        for pump in &mut self.pumps {
            heard |= pump(view, now);
        }
        let (histories, states) = heartbeat.sort_out(sayings.history, sayings.state, now);
        for history in histories {
            view.take_history(&history, now);
        }
        for state in states {
            view.take_state(&state, now);
        }
        heard
    }

    fn listen(&mut self) -> Sayings {
        let mut sayings = Sayings::default();
        sayings
            .info
            .extend(std::iter::from_fn(|| next(&mut self.info)));
        (sayings.locations).extend(std::iter::from_fn(|| next(&mut self.locations)));
        sayings.map = std::iter::from_fn(|| next(&mut self.map)).last();
        (sayings.history).extend(std::iter::from_fn(|| next(&mut self.history)));
        sayings
            .state
            .extend(std::iter::from_fn(|| next(&mut self.state)));
        sayings
    }

    /// Subscribes to the topics of transforms that the robot names. Subscriptions to those
    /// named before go when their next message comes.
    fn follow(&mut self, node: &mut Node, info: &OnboardInfo) {
        let same = (self.known.as_ref()).is_some_and(|known| {
            known.tf_topic == info.tf_topic && known.tf_static_topic == info.tf_static_topic
        });
        if same && self.transforms.is_some() {
            return;
        }
        let named = |topic: &str, usual: &str| match topic {
            "" => usual.to_owned(),
            topic => topic.to_owned(),
        };
        let moving = named(&info.tf_topic, "/tf");
        let fixed = named(&info.tf_static_topic, "/tf_static");
        let reliable = QosProfile::default().reliable().keep_last(DEPTH);
        let opened = subscribe(node, &moving, reliable).and_then(|moving| {
            let fixed = subscribe(node, &fixed, latched(DEPTH))?;
            Ok(Transforms { moving, fixed })
        });
        match opened {
            Ok(transforms) => self.transforms = Some(transforms),
            Err(error) => tracing::error!("no transforms from {moving} and {fixed}: {error}"),
        }
    }
}
