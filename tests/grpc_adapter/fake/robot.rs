//! What the robot is and does.

use std::collections::BTreeMap;

use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::nav_msgs::msg::{OccupancyGrid, Odometry};
use r2r::sensor_msgs::msg::{BatteryState, Imu, LaserScan};
use r2r::tatami_msgs::msg::{
    CommandHistory, CommandResult, Locations, NamedId, OnboardCommand, OnboardInfo, OnboardState,
};
use r2r::tatami_msgs::srv::*;
use r2r::tf2_msgs::msg::TFMessage;
use r2r::{Node, Publisher, QosProfile};

/// The robot, as its own thread has it.
pub(crate) struct Robot {
    pub(crate) state: OnboardState,
    pub(crate) history: Vec<CommandResult>,
    /// What it was asked, by service, as text.
    pub(crate) asked: Vec<(String, String)>,
    pub(crate) map: OccupancyGrid,
    pub(crate) kept: BTreeMap<String, (String, OccupancyGrid)>,
    /// Whether requests are left without a reply.
    pub(crate) mute: bool,
    /// Whether states get lost on their way, but when they are asked for.
    pub(crate) loses_states: bool,
    /// Whether it is paused and ends commands at once.
    pub(crate) paused: bool,
    /// What its ids begin with.
    run: &'static str,
    commands: u32,
    results: u64,
    waiting: Vec<(String, OnboardCommand)>,
    pub(super) to: Publishers,
}

pub(crate) struct Publishers {
    state: Publisher<OnboardState>,
    history: Publisher<CommandHistory>,
    pub(crate) info: Publisher<OnboardInfo>,
    pub(crate) locations: Publisher<Locations>,
    pub(crate) pose: Publisher<PoseStamped>,
    pub(crate) map: Publisher<OccupancyGrid>,
    pub(crate) battery: Publisher<BatteryState>,
    pub(crate) scan: Publisher<LaserScan>,
    pub(crate) imu: Publisher<Imu>,
    pub(crate) odometry: Publisher<Odometry>,
    pub(crate) wheel_odometry: Publisher<Odometry>,
    pub(crate) moving: Publisher<TFMessage>,
    pub(crate) fixed: Publisher<TFMessage>,
}

impl Publishers {
    pub(super) fn open(node: &mut Node, robot: &str) -> r2r::Result<Self> {
        let latched = || {
            QosProfile::default()
                .reliable()
                .transient_local()
                .keep_last(10)
        };
        let sensor = || QosProfile::default().best_effort().keep_last(5);
        let name = |name: &str| format!("{robot}/{name}");
        Ok(Self {
            state: node.create_publisher(&name("sim/state"), latched())?,
            history: node.create_publisher(&name("sim/command/history"), latched())?,
            info: node.create_publisher(&name("sim/info"), latched())?,
            locations: node.create_publisher(&name("sim/locations"), latched())?,
            pose: node.create_publisher(&name("sim/pose"), latched())?,
            map: node.create_publisher(&name("mapping/map"), latched())?,
            battery: node.create_publisher(&name("robot_info/battery_state"), sensor())?,
            scan: node.create_publisher(&name("lidar/scan"), sensor())?,
            imu: node.create_publisher(&name("imu/imu"), sensor())?,
            odometry: node.create_publisher(&name("odometry/odometry"), sensor())?,
            wheel_odometry: node
                .create_publisher(&name("wheel_odometry/wheel_odometry"), sensor())?,
            moving: node
                .create_publisher("/tf", QosProfile::default().reliable().keep_last(100))?,
            fixed: node.create_publisher("/tf_static", latched())?,
        })
    }
}

impl Robot {
    pub(super) fn new(to: Publishers, run: &'static str, counted: u64) -> Self {
        let state = OnboardState {
            sequence: counted + 1,
            command_state: 1,
            ready: true,
            speaker_volume: 5,
            current_map_id: "M1".to_owned(),
            maps: vec![named("M1", "hall")],
            battery_percentage: 80.0,
            power_supply_status: 2,
            auto_homing_enabled: true,
            ..Default::default()
        };
        let robot = Self {
            state,
            history: Vec::new(),
            asked: Vec::new(),
            map: OccupancyGrid::default(),
            kept: BTreeMap::new(),
            mute: false,
            loses_states: false,
            paused: false,
            run,
            commands: 0,
            results: counted,
            waiting: Vec::new(),
            to,
        };
        let info = OnboardInfo {
            robot: "kachaka".to_owned(),
            frame_prefix: "k/".to_owned(),
            tf_topic: "/tf".to_owned(),
            tf_static_topic: "/tf_static".to_owned(),
            serial_number: "BKP-0001".to_owned(),
            version: "3.17.5".to_owned(),
            shortcuts: vec![named("SC1", "tea")],
        };
        robot.to.info.publish(&info).unwrap();
        robot.publish_history(robot.state.sequence);
        robot.to.state.publish(&robot.state).unwrap();
        robot
    }

    /// Its publishers.
    pub(crate) fn to(&self) -> &Publishers {
        &self.to
    }

    /// Changes the state and publishes it.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut OnboardState)) {
        change(&mut self.state);
        self.state.sequence += 1;
        if !self.loses_states {
            self.to.state.publish(&self.state).unwrap();
        }
    }

    pub(super) fn republish(&mut self) -> Republish::Response {
        self.publish_history(self.state.sequence);
        self.to.state.publish(&self.state).unwrap();
        Republish::Response::default()
    }

    /// Before the state of this number.
    fn publish_history(&self, sequence: u64) {
        let history = CommandHistory {
            sequence,
            results: self.history.clone(),
        };
        self.to.history.publish(&history).unwrap();
    }

    fn result(&mut self, id: String, command: OnboardCommand, error_code: i32, ran: i32) {
        self.results += 1;
        let result = CommandResult {
            number: self.results,
            id,
            command,
            success: error_code == 0,
            error_code,
            started: time(100),
            finished: time(100 + ran),
            ..Default::default()
        };
        self.history.insert(0, result);
        self.history.truncate(100);
        self.publish_history(self.state.sequence + 1);
    }

    /// Ends the running command; the next one that waits runs.
    pub(crate) fn finish(&mut self, error_code: i32) {
        let id = std::mem::take(&mut self.state.command_id);
        let command = std::mem::take(&mut self.state.command);
        self.result(id, command, error_code, 1);
        let next = (!self.waiting.is_empty()).then(|| self.waiting.remove(0));
        self.run(next);
    }

    /// Runs a command, or none.
    pub(crate) fn run(&mut self, next: Option<(String, OnboardCommand)>) {
        let last = self.history.first().cloned();
        self.change(|state| {
            state.last_result = last.into_iter().collect();
            state.command_state = if next.is_some() { 2 } else { 1 };
            (state.command_id, state.command) = next.unwrap_or_default();
        });
    }

    pub(super) fn start(&mut self, asked: &StartCommand::Request) -> StartCommand::Response {
        if asked.command.type_ == 0 {
            return StartCommand::Response {
                error_code: 90001,
                message: "no command".to_owned(),
                sequence: self.state.sequence,
                ..Default::default()
            };
        }
        self.commands += 1;
        let id = format!("{}c-{}", self.run, self.commands);
        if self.paused {
            self.result(id.clone(), asked.command.clone(), 10107, 0);
            self.run(None);
            return self.started(id);
        }
        if asked.cancel_all && self.state.command_state == 2 {
            let dropped = std::mem::take(&mut self.waiting);
            let ended = std::mem::take(&mut self.state.command_id);
            let command = std::mem::take(&mut self.state.command);
            self.result(ended, command, 10001, 1);
            for (id, command) in dropped {
                self.result(id, command, 10001, 0);
            }
            self.state.command_state = 1;
        }
        if self.state.command_state == 2 {
            self.waiting.push((id.clone(), asked.command.clone()));
            let length = self.waiting.len() as u32;
            self.change(|state| state.queue_length = length);
        } else {
            self.run(Some((id.clone(), asked.command.clone())));
        }
        self.started(id)
    }

    fn started(&self, id: String) -> StartCommand::Response {
        StartCommand::Response {
            command_id: id,
            success: true,
            sequence: self.state.sequence,
            ..Default::default()
        }
    }

    pub(super) fn cancel(&mut self) -> CancelCommand::Response {
        let command = self.state.command.clone();
        let runs = self.state.command_state == 2;
        if runs {
            self.finish(10001);
        }
        CancelCommand::Response {
            command,
            success: runs,
            error_code: if runs { 0 } else { 90002 },
            sequence: self.state.sequence,
            ..Default::default()
        }
    }

    pub(super) fn velocity(&mut self) -> SetVelocity::Response {
        let success = self.state.manual_control_enabled;
        SetVelocity::Response {
            success,
            error_code: if success { 0 } else { 13151 },
            sequence: self.state.sequence,
            ..Default::default()
        }
    }

    pub(super) fn keep_map(&mut self, asked: &AddMap::Request) -> AddMap::Response {
        let map_id = format!("M{}", self.kept.len() + 2);
        let kept = (asked.name.clone(), asked.map.clone());
        self.kept.insert(map_id.clone(), kept);
        let entry = named(&map_id, &asked.name);
        self.change(|state| state.maps.push(entry));
        AddMap::Response {
            map_id,
            success: true,
            sequence: self.state.sequence,
            ..Default::default()
        }
    }

    pub(super) fn kept_map(&self, id: &str) -> GetMap::Response {
        let found = match id {
            "M1" => Some(("hall".to_owned(), self.map.clone())),
            other => self.kept.get(other).cloned(),
        };
        let success = found.is_some();
        let (name, map) = found.unwrap_or_default();
        GetMap::Response {
            map,
            name,
            success,
            error_code: if success { 0 } else { 90003 },
            sequence: self.state.sequence,
            ..Default::default()
        }
    }
}

/// A time.
pub(crate) fn time(sec: i32) -> Time {
    Time { sec, nanosec: 0 }
}

pub(super) fn named(id: &str, name: &str) -> NamedId {
    NamedId {
        id: id.to_owned(),
        name: name.to_owned(),
    }
}
