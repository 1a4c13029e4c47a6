//! The topics that a Kachaka publishes, but for its sensors and what every robot publishes.

use r2r::diagnostic_msgs::msg::DiagnosticArray;
use r2r::geometry_msgs::msg::{PoseStamped, PoseWithCovarianceStamped};
use r2r::kachaka_interfaces::msg::LocationList;
use r2r::nav_msgs::msg::{OccupancyGrid, Odometry};
use r2r::sensor_msgs::msg::BatteryState;
use r2r::std_msgs::msg::{Bool, String as Text};
use r2r::tatami_msgs::msg::{
    ErrorCodes, Locations, OnboardInfo, OnboardState, ResetEvent, Torches,
};
use r2r::{Node, QosProfile, WrappedTypesupport};

use super::plan::KachakaPlan;
use super::results::Results;
use super::{convert, names};
use crate::kachaka::{Event, Kachaka, error_codes};
use crate::robot::OdometrySample;
use crate::ros::convert::{pose, stamp};
use crate::ros::messages;
use crate::ros::output::{Output, latched};
use crate::ros::plan::Plan;
use crate::sensors::Odometry as Odometer;
use crate::world::{Pose2, SimTime};

/// Kept of states and results, so that a reader that was busy for a moment misses none.
pub(super) const KEPT: usize = 10;

/// All its publishers.
pub(super) struct Outputs {
    fused: Output<Odometry>,
    wheels: Output<Odometry>,
    map: Option<Output<OccupancyGrid>>,
    map_frame: String,
    locations: Output<LocationList>,
    battery: Output<BatteryState>,
    diagnostics: Output<DiagnosticArray>,
    state: Output<OnboardState>,
    results: Results,
    all_locations: Output<Locations>,
    errors: Output<ErrorCodes>,
    torches: Output<Torches>,
    shelf_docked: Output<Bool>,
    pose: Output<PoseStamped>,
    /// Where whoever else localizes it is told of an estimate.
    initial_pose: Option<Output<PoseWithCovarianceStamped>>,
    speech: Output<Text>,
    sound: Output<Text>,
    reset: Output<ResetEvent>,
    version: Output<Text>,
    info: Output<OnboardInfo>,
    /// Whether late readers get a pose.
    has_pose: bool,
    told: Told,
}

/// What was published last; none = nothing yet.
#[derive(Default)]
struct Told {
    sequence: Option<u64>,
    errors: Option<Vec<i32>>,
    torches: Option<crate::kachaka::Torches>,
    shelf_docked: Option<bool>,
    pose: Option<Pose2>,
    /// Of the odometry on the map, with the transforms; none = they are to be sent again.
    map_to_odom: Option<Option<Pose2>>,
    map: Option<u64>,
    locations: Option<u64>,
    /// Version, names and whatever else never changes.
    identity: bool,
    battery: bool,
    /// The second of sim time of what comes once a second.
    second: Option<u64>,
}

/// Opens topics of one robot on its own node.
struct Opener<'a> {
    node: &'a mut Node,
    plan: &'a KachakaPlan,
}

impl Opener<'_> {
    fn open<T: WrappedTypesupport + 'static>(
        &mut self,
        name: &str,
        qos: QosProfile,
        message: T,
    ) -> r2r::Result<Output<T>> {
        Output::open(self.node, &self.plan.absolute(name), qos, message)
    }

    /// As sensors send: best effort, five deep.
    fn sensor_data<T: WrappedTypesupport + 'static>(
        &mut self,
        name: &str,
        message: T,
    ) -> r2r::Result<Output<T>> {
        self.open(name, QosProfile::sensor_data(), message)
    }

    /// Late readers get the last messages, too.
    fn latched<T: WrappedTypesupport + 'static>(
        &mut self,
        name: &str,
        depth: usize,
    ) -> r2r::Result<Output<T>> {
        self.open(name, latched(depth), T::default())
    }

    fn reliable<T: WrappedTypesupport + 'static>(
        &mut self,
        name: &str,
        depth: usize,
    ) -> r2r::Result<Output<T>> {
        let qos = QosProfile::default().reliable().keep_last(depth);
        self.open(name, qos, T::default())
    }
}

impl Outputs {
    /// Opens all other topics on the robot's own node, with which they end.
    ///
    /// # Errors
    /// When the middleware does not let one be opened.
    pub(super) fn open(
        node: &mut Node,
        plan: &Plan,
        names_of: &KachakaPlan,
        kachaka: &Kachaka,
        results: Results,
    ) -> r2r::Result<Self> {
        let covariance = Odometer::covariance();
        let odometry = messages::odometry(&plan.odom_frame, &plan.base_frame, &covariance);
        let mut open = Opener {
            node,
            plan: names_of,
        };
        let map = if names_of.places_odometry() {
            Some(open.latched(names::MAP, 1)?)
        } else {
            None
        };
        let mut version: Output<Text> = open.latched(names::VERSION, 1)?;
        let mut info: Output<OnboardInfo> = open.latched(names::INFO, 1)?;
        info.message = convert::info(plan, &kachaka.info());
        version.message.data.clone_from(&info.message.version);
        let mut pose: Output<PoseStamped> = open.latched(names::POSE, 1)?;
        pose.message.header.frame_id = names_of.map_frame();
        let initial_pose = if names_of.places_odometry() {
            None
        } else {
            let message = messages::initial_pose(&names_of.map_frame());
            let qos = QosProfile::default().reliable().keep_last(1);
            Some(Output::open(open.node, names::INITIAL_POSE, qos, message)?)
        };
        Ok(Self {
            fused: open.sensor_data(names::FUSED_ODOMETRY, odometry.clone())?,
            wheels: open.sensor_data(names::WHEEL_ODOMETRY, odometry)?,
            map,
            map_frame: names_of.map_frame(),
            locations: open.latched(names::LOCATIONS, 1)?,
            battery: open.sensor_data(names::BATTERY, BatteryState::default())?,
            // Of the system's defaults, which are these with the DDS of the real robot.
            diagnostics: open.reliable(names::DIAGNOSTICS, 1)?,
            state: open.latched(names::STATE, KEPT)?,
            results,
            all_locations: open.latched(names::ALL_LOCATIONS, 1)?,
            errors: open.latched(names::ERRORS, 1)?,
            torches: open.latched(names::TORCHES, 1)?,
            shelf_docked: open.latched(names::SHELF_DOCKED, 1)?,
            pose,
            initial_pose,
            speech: open.reliable(names::SPEECH, crate::ros::DEPTH)?,
            sound: open.reliable(names::SOUND, crate::ros::DEPTH)?,
            reset: open.reliable(names::RESET_EVENT, crate::ros::DEPTH)?,
            version,
            info,
            has_pose: false,
            told: Told::default(),
        })
    }

    /// What stays when its robot goes: the results of its commands.
    pub(super) fn into_results(self) -> Results {
        self.results
    }

    /// The results of commands.
    pub(super) fn results(&mut self) -> &mut Results {
        &mut self.results
    }

    /// Publishes both odometries.
    pub(super) fn publish_odometry(
        &mut self,
        now: SimTime,
        plan: &Plan,
        wheels: OdometrySample,
        kachaka: &Kachaka,
    ) {
        // Transforms are published along with it.
        self.told.map_to_odom = Some(kachaka.map_to_odom());
        let fused = kachaka.fused_odometry();
        for (output, sample) in [(&mut self.fused, fused), (&mut self.wheels, wheels)] {
            output.message.header.stamp = stamp(now);
            let (pose, twist) = plan.child_odometry(sample.pose, sample.twist);
            messages::set_odometry(&mut output.message, pose, 0.0, twist);
            output.publish();
        }
    }

    /// Whether its transforms are to be sent again: the odometry has another place on the map,
    /// or somebody has said where it is.
    pub(super) fn is_placed_anew(&self, kachaka: &Kachaka) -> bool {
        self.told.map_to_odom != Some(kachaka.map_to_odom())
    }

    /// Has the next publication of changes tell its pose, whether that has changed or not.
    pub(super) fn tell_pose_again(&mut self) {
        self.told.pose = None;
    }

    /// As [`Self::tell_pose_again`], and has its transforms sent again, too.
    pub(super) fn tell_place_again(&mut self) {
        self.told.pose = None;
        self.told.map_to_odom = None;
    }

    /// Has the next publication of changes tell everything, whether it has changed or not.
    pub(super) fn tell_all_again(&mut self) {
        self.results.tell_again();
        self.told = Told {
            second: self.told.second,
            map_to_odom: self.told.map_to_odom,
            ..Told::default()
        };
    }

    /// Whether results could be missed that were not published, if many more came to it.
    pub(super) fn has_much_to_tell(&self, kachaka: &Kachaka) -> bool {
        self.results.has_much_to_tell(kachaka)
    }

    /// Tells whoever else localizes the robot where somebody says that it is. Whether there
    /// can be such a one.
    pub(super) fn publish_initial_pose(&mut self, now: SimTime, estimate: Pose2) -> bool {
        let Some(output) = &mut self.initial_pose else {
            return false;
        };
        output.message.header.stamp = stamp(now);
        output.message.pose.pose = pose(estimate, 0.0);
        output.publish();
        true
    }

    /// Publishes everything that is another than what was published last, and what has
    /// happened meanwhile.
    pub(super) fn publish_changes(&mut self, now: SimTime, kachaka: &mut Kachaka) {
        for event in kachaka.drain_events() {
            self.publish_event(event);
        }
        if !self.told.identity {
            self.told.identity = true;
            self.version.publish();
            self.info.publish();
        }
        // Before the state, so that whoever has that one has the results behind it, too.
        self.results.publish(kachaka);
        self.publish_state(now, kachaka);
        self.publish_pose(now, kachaka.estimated_pose());
        self.publish_places(now, kachaka);
        if !self.told.battery {
            self.publish_battery(kachaka);
        }
    }

    /// Publishes what comes once a second of sim time, if a second has begun.
    pub(super) fn publish_each_second(&mut self, now: SimTime, kachaka: &Kachaka) {
        let second = now.0 / 1_000_000_000;
        // The stamp of the spawn is in the middle of a second.
        if self
            .told
            .second
            .replace(second)
            .is_some_and(|told| told != second)
        {
            self.publish_battery(kachaka);
            self.publish_diagnostics(now, kachaka);
        }
    }

    fn publish_state(&mut self, now: SimTime, kachaka: &Kachaka) {
        let state = kachaka.state();
        if self.told.sequence == Some(state.sequence) {
            return;
        }
        self.told.sequence = Some(state.sequence);
        self.state.message = convert::state(state);
        self.state.publish();
        if self.told.errors.as_ref() != Some(&state.errors) {
            self.told.errors = Some(state.errors.clone());
            self.errors.message.stamp = stamp(now);
            self.errors.message.codes.clone_from(&state.errors);
            self.errors.publish();
            self.publish_diagnostics(now, kachaka);
        }
        if self.told.torches != Some(state.torches) {
            self.told.torches = Some(state.torches);
            self.torches.message = convert::torches(state.torches);
            self.torches.publish();
        }
        let docked = !state.moving_shelf_id.is_empty();
        if self.told.shelf_docked != Some(docked) {
            self.told.shelf_docked = Some(docked);
            self.shelf_docked.message.data = docked;
            self.shelf_docked.publish();
        }
    }

    /// Nothing before it is told where it is, when somebody else localizes it.
    fn publish_pose(&mut self, now: SimTime, estimate: Option<Pose2>) {
        if self.told.pose == estimate {
            return;
        }
        self.told.pose = estimate;
        let Some(estimate) = estimate else {
            return;
        };
        self.has_pose = true;
        self.pose.message.header.stamp = stamp(now);
        self.pose.message.pose = pose(estimate, 0.0);
        self.pose.publish();
    }

    /// Opens the topic of the pose anew when that is not known any more: what was published
    /// goes with its publisher, else late readers would still get it.
    ///
    /// # Errors
    /// When the middleware does not let it; then the present one stays.
    pub(super) fn take_back_pose(
        &mut self,
        node: &mut Node,
        plan: &KachakaPlan,
        kachaka: &Kachaka,
    ) -> r2r::Result<()> {
        if !self.has_pose || kachaka.estimated_pose().is_some() {
            return Ok(());
        }
        let mut anew: Output<PoseStamped> = Opener { node, plan }.latched(names::POSE, 1)?;
        anew.message.header.frame_id = plan.map_frame();
        std::mem::replace(&mut self.pose, anew).close(node);
        self.has_pose = false;
        Ok(())
    }

    fn publish_places(&mut self, now: SimTime, kachaka: &Kachaka) {
        let revision = kachaka.locations().revision();
        if self.told.locations != Some(revision) {
            self.told.locations = Some(revision);
            self.locations.message = convert::location_list(kachaka.locations());
            self.locations.publish();
            self.all_locations.message = convert::all_locations(kachaka.locations());
            self.all_locations.publish();
        }
        let revision = kachaka.map_revision();
        if let (Some(output), Some(map)) = (&mut self.map, kachaka.current_map())
            && self.told.map != Some(revision)
        {
            self.told.map = Some(revision);
            output.message = convert::grid_message(map, &self.map_frame, now);
            output.publish();
        }
    }

    fn publish_event(&mut self, event: Event) {
        match event {
            Event::Speech(text) => {
                self.speech.message.data = text;
                self.speech.publish();
            }
            Event::Sound(id) => {
                self.sound.message.data = id;
                self.sound.publish();
            }
            Event::Reset { id, clear_map } => {
                self.reset.message = ResetEvent { id, clear_map };
                self.reset.publish();
            }
        }
    }

    fn publish_battery(&mut self, kachaka: &Kachaka) {
        self.told.battery = true;
        let supply = kachaka.state().power_supply;
        self.battery.message = convert::battery(kachaka.battery_percentage(), supply);
        self.battery.publish();
    }

    fn publish_diagnostics(&mut self, now: SimTime, kachaka: &Kachaka) {
        let known = (kachaka.errors().iter()).filter_map(|code| error_codes::find(*code));
        self.diagnostics.message = convert::diagnostics(now, known);
        self.diagnostics.publish();
    }
}
