//! A robot that does what a test tells it, on real topics and services, and the adapter as a
//! process in front of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures::{FutureExt, Stream, StreamExt};
use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::nav_msgs::msg::{OccupancyGrid, Odometry};
use r2r::sensor_msgs::msg::{BatteryState, Imu, LaserScan};
use r2r::tatami_msgs::msg::{
    CommandHistory, CommandResult, Locations, NamedId, OnboardCommand, OnboardInfo, OnboardState,
};
use r2r::tatami_msgs::srv::*;
use r2r::tf2_msgs::msg::TFMessage;
use r2r::{Context, Node, Publisher, QosProfile, ServiceRequest, WrappedServiceTypeSupport};

/// Far above what anything takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

static TURN: Mutex<()> = Mutex::new(());

/// The tests of this process take turns: they all have a robot called kachaka.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The one context of this process, in a domain that no other test process has.
fn context() -> Context {
    static CONTEXT: OnceLock<(Context, File)> = OnceLock::new();
    let made = CONTEXT.get_or_init(|| {
        let (domain, lock) = free_domain();
        // SAFETY: only one test at a time gets here, before it starts a thread.
        unsafe {
            std::env::set_var("ROS_DOMAIN_ID", domain.to_string());
            std::env::set_var("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST");
        }
        (Context::create().expect("a ROS context"), lock)
    });
    made.0.clone()
}

fn free_domain() -> (u32, File) {
    for offset in 0..101 {
        let domain = 1 + (std::process::id() + offset) % 101;
        let path = std::env::temp_dir().join(format!("tatami-test-domain-{domain}.lock"));
        let Ok(file) = File::options().create(true).append(true).open(path) else {
            continue;
        };
        if file.try_lock().is_ok() {
            return (domain, file);
        }
    }
    panic!("all ROS domains from 1 to 101 are taken by other tests");
}

type Job = Box<dyn FnOnce(&mut Robot) + Send>;
type Requests<T> = Box<dyn Stream<Item = ServiceRequest<T>> + Send + Unpin>;
type Serve = Box<dyn FnMut(&mut Robot) + Send>;

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
    to: Publishers,
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
    fn open(node: &mut Node, robot: &str) -> r2r::Result<Self> {
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
    fn new(to: Publishers, run: &'static str, counted: u64) -> Self {
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
        robot.publish_history();
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

    fn republish(&mut self) -> Republish::Response {
        self.publish_history();
        self.to.state.publish(&self.state).unwrap();
        Republish::Response::default()
    }

    fn publish_history(&self) {
        let history = CommandHistory {
            sequence: self.state.sequence + 1,
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
        self.publish_history();
    }

    /// Ends the running command; the next one that waits runs.
    pub(crate) fn finish(&mut self, error_code: i32) {
        let id = std::mem::take(&mut self.state.command_id);
        let command = std::mem::take(&mut self.state.command);
        self.result(id, command, error_code, 1);
        let next = (!self.waiting.is_empty()).then(|| self.waiting.remove(0));
        self.run(next);
    }

    fn run(&mut self, next: Option<(String, OnboardCommand)>) {
        let last = self.history.first().cloned();
        self.change(|state| {
            state.last_result = last.into_iter().collect();
            state.command_state = if next.is_some() { 2 } else { 1 };
            (state.command_id, state.command) = next.unwrap_or_default();
        });
    }

    fn start(&mut self, asked: &StartCommand::Request) -> StartCommand::Response {
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

    fn cancel(&mut self) -> CancelCommand::Response {
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

    fn velocity(&mut self) -> SetVelocity::Response {
        let success = self.state.manual_control_enabled;
        SetVelocity::Response {
            success,
            error_code: if success { 0 } else { 13151 },
            sequence: self.state.sequence,
            ..Default::default()
        }
    }

    fn keep_map(&mut self, asked: &AddMap::Request) -> AddMap::Response {
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

    fn kept_map(&self, id: &str) -> GetMap::Response {
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

fn named(id: &str, name: &str) -> NamedId {
    NamedId {
        id: id.to_owned(),
        name: name.to_owned(),
    }
}

fn serve<T: WrappedServiceTypeSupport + 'static>(
    node: &mut Node,
    robot: &str,
    name: &'static str,
    mut answer: impl FnMut(&mut Robot, &T::Request) -> T::Response + Send + 'static,
) -> Serve {
    let qos = QosProfile::services_default().keep_last(1000);
    let service = node
        .create_service::<T>(&format!("{robot}/{name}"), qos)
        .unwrap();
    let mut requests: Requests<T> = Box::new(service);
    Box::new(move |robot| {
        while let Some(Some(request)) = requests.next().now_or_never() {
            let said = format!("{:?}", request.message);
            robot.asked.push((name.to_owned(), said));
            if robot.mute {
                continue;
            }
            let response = answer(robot, &request.message);
            request.respond(response).unwrap();
        }
    })
}

/// A reply that says yes, after a change of the state.
macro_rules! yes {
    ($service:ident, $robot:expr, $change:expr) => {{
        $robot.change($change);
        $service::Response {
            success: true,
            sequence: $robot.state.sequence,
            ..Default::default()
        }
    }};
}

fn services(node: &mut Node, at: &str) -> Vec<Serve> {
    vec![
        serve::<StartCommand::Service>(node, at, "sim/command/start", |robot, asked| {
            robot.start(asked)
        }),
        serve::<CancelCommand::Service>(node, at, "sim/command/cancel", |robot, _| robot.cancel()),
        serve::<OnboardTrigger::Service>(node, at, "sim/command/proceed", |robot, _| {
            yes!(OnboardTrigger, robot, |_| {})
        }),
        serve::<StartShortcut::Service>(node, at, "sim/shortcut/start", |robot, _| {
            yes!(StartShortcut, robot, |_| {})
        }),
        serve::<SetManualControl::Service>(node, at, "sim/manual_control", |robot, asked| {
            let enable = asked.enable;
            yes!(SetManualControl, robot, |s| s.manual_control_enabled =
                enable)
        }),
        serve::<SetVelocity::Service>(node, at, "sim/velocity", |robot, _| robot.velocity()),
        serve::<SetPoseEstimate::Service>(node, at, "sim/pose_estimate", |robot, asked| {
            let mut pose = PoseStamped::default();
            pose.pose.position.x = asked.x;
            pose.pose.position.y = asked.y;
            pose.pose.orientation.z = (asked.yaw / 2.0).sin();
            pose.pose.orientation.w = (asked.yaw / 2.0).cos();
            robot.to.pose.publish(&pose).unwrap();
            yes!(SetPoseEstimate, robot, |_| {})
        }),
        serve::<OnboardSetBool::Service>(node, at, "sim/auto_homing", |robot, asked| {
            let data = asked.data;
            yes!(OnboardSetBool, robot, |s| s.auto_homing_enabled = data)
        }),
        serve::<OnboardTrigger::Service>(node, at, "sim/emergency_stop", |robot, _| {
            yes!(OnboardTrigger, robot, |s| s.errors = vec![21051])
        }),
        serve::<OnboardTrigger::Service>(node, at, "sim/restart", |robot, _| {
            yes!(OnboardTrigger, robot, |s| s.ready = false)
        }),
        serve::<OnboardSetNumber::Service>(node, at, "sim/speaker_volume", |robot, asked| {
            let volume = asked.data as i32;
            if !(0..=10).contains(&volume) {
                return OnboardSetNumber::Response {
                    error_code: 90004,
                    sequence: robot.state.sequence,
                    ..Default::default()
                };
            }
            yes!(OnboardSetNumber, robot, |s| s.speaker_volume = volume)
        }),
        serve::<OnboardSetNumber::Service>(node, at, "sim/torch/front", |robot, _| {
            yes!(OnboardSetNumber, robot, |_| {})
        }),
        serve::<OnboardSetNumber::Service>(node, at, "sim/torch/back", |robot, _| {
            yes!(OnboardSetNumber, robot, |_| {})
        }),
        serve::<OnboardSetNumber::Service>(node, at, "sim/laser_scan/activate", |robot, _| {
            yes!(OnboardSetNumber, robot, |_| {})
        }),
        serve::<OnboardSetText::Service>(node, at, "sim/shelf/reset_pose", |robot, _| {
            yes!(OnboardSetText, robot, |_| {})
        }),
        serve::<AddSound::Service>(node, at, "sim/sound/add", |robot, asked| {
            let sound = named("SO1", &asked.name);
            let mut reply = yes!(AddSound, robot, |s| s.sounds.push(sound));
            reply.sound_id = "SO1".to_owned();
            reply
        }),
        serve::<OnboardSetText::Service>(node, at, "sim/sound/delete", |robot, asked| {
            let id = asked.data.clone();
            yes!(OnboardSetText, robot, |s| s
                .sounds
                .retain(|sound| sound.id != id))
        }),
        serve::<PlaySound::Service>(node, at, "sim/sound/play", |robot, _| {
            yes!(PlaySound, robot, |_| {})
        }),
        serve::<OnboardTrigger::Service>(node, at, "sim/sound/stop", |robot, _| {
            yes!(OnboardTrigger, robot, |_| {})
        }),
        serve::<SwitchMap::Service>(node, at, "sim/map/switch", |robot, asked| {
            let id = asked.map_id.clone();
            let reply = yes!(SwitchMap, robot, |s| s.current_map_id = id);
            let map = robot.kept_map(&asked.map_id).map;
            robot.to.map.publish(&map).unwrap();
            reply
        }),
        serve::<GetMap::Service>(node, at, "sim/map/get", |robot, asked| {
            robot.kept_map(&asked.map_id)
        }),
        serve::<AddMap::Service>(node, at, "sim/map/add", |robot, asked| {
            robot.keep_map(asked)
        }),
        serve::<Republish::Service>(node, "", "tatami/republish", |robot, _| robot.republish()),
    ]
}

/// The thread of the robot; the robot is gone when this is dropped.
pub(crate) struct Fake {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Fake {
    /// A robot in the namespace `/kachaka`, idle, which has told everything but its sensors.
    pub(crate) fn start() -> Self {
        Self::start_as("", 0)
    }

    /// The same with ids that begin with `run` and numbers that follow on `counted`.
    pub(crate) fn start_as(run: &'static str, counted: u64) -> Self {
        static COUNT: Mutex<u32> = Mutex::new(0);
        let mut count = COUNT.lock().unwrap();
        *count += 1;
        let name = format!("fake_{count}");
        let context = context();
        let (jobs, queue) = channel();
        let thread = std::thread::spawn(move || {
            Self::run(context, &name, &queue, |to| Robot::new(to, run, counted));
        });
        Self {
            jobs: Some(jobs),
            thread: Some(thread),
        }
    }

    fn run(
        context: Context,
        name: &str,
        queue: &Receiver<Job>,
        robot: impl FnOnce(Publishers) -> Robot,
    ) {
        let mut node = Node::create(context, name, "").expect("a node");
        let mut services = services(&mut node, "/kachaka");
        let to = Publishers::open(&mut node, "/kachaka").expect("publishers");
        let mut robot = robot(to);
        loop {
            node.spin_once(Duration::from_micros(500));
            for serve in &mut services {
                serve(&mut robot);
            }
            loop {
                match queue.try_recv() {
                    Ok(job) => job(&mut robot),
                    Err(std::sync::mpsc::TryRecvError::Empty) => break,
                    Err(std::sync::mpsc::TryRecvError::Disconnected) => return,
                }
            }
        }
    }

    /// Has the robot do something and waits until it is done.
    pub(crate) fn does<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Robot) -> T + Send + 'static,
    ) -> T {
        let (sender, receiver) = channel();
        let jobs = self.jobs.as_ref().expect("it runs");
        let job: Job = Box::new(move |robot| {
            let _ = sender.send(job(robot));
        });
        jobs.send(job).expect("it runs");
        receiver
            .recv_timeout(PATIENCE)
            .expect("it does what it is told")
    }

    /// The last request of a service, as text.
    pub(crate) fn asked(&self, service: &'static str) -> Option<String> {
        self.does(move |robot| {
            let of = robot.asked.iter().rev().find(|(name, _)| name == service);
            of.map(|(_, said)| said.clone())
        })
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The adapter as a process; ended with this.
pub(crate) struct Adapter {
    child: Child,
    pub(crate) port: u16,
    log: Arc<Mutex<String>>,
}

/// An adapter that may not have started.
pub(crate) struct Unstarted {
    child: Child,
    log: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

fn spawn(parameters: &[&str]) -> Unstarted {
    let _context = context();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kachaka_grpc"));
    command.arg("--ros-args");
    for parameter in parameters {
        command.args(["-p", parameter]);
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the adapter starts");
    let log = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&log);
    let errors = child.stderr.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            let mut log = sink.lock().unwrap();
            log.push_str(&line);
            log.push('\n');
        }
    });
    Unstarted { child, log, reader }
}

impl Adapter {
    /// Starts one on a free port; `parameters` are like `grace:=1.0`.
    pub(crate) fn start(parameters: &[&str]) -> Self {
        let all = [&["port:=0"], parameters].concat();
        let Unstarted { mut child, log, .. } = spawn(&all);
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        let read = BufReader::new(output).read_line(&mut line);
        let port = line
            .trim()
            .rsplit(':')
            .next()
            .and_then(|port| port.parse().ok());
        let adapter = Self {
            child,
            port: port.unwrap_or(0),
            log,
        };
        assert!(
            read.is_ok() && line.starts_with("listening on 127.0.0.1:") && adapter.port > 0,
            "it says {line:?} and {:?}",
            adapter.log.lock().unwrap()
        );
        adapter
    }

    /// Starts one that is expected to end by itself; returns how, and what it said.
    pub(crate) fn run_to_end(parameters: &[&str]) -> (ExitStatus, String) {
        let Unstarted { child, log, reader } = spawn(parameters);
        let mut adapter = Self {
            child,
            port: 0,
            log,
        };
        let status = adapter.wait();
        reader.join().expect("its log is read");
        let said = adapter.log.lock().unwrap().clone();
        (status, said)
    }

    fn wait(&mut self) -> ExitStatus {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("its status") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the adapter did not end: {}", self.log.lock().unwrap());
    }

    /// Sends it a signal by name and waits for its end.
    pub(crate) fn end_by(&mut self, signal: &str) -> ExitStatus {
        let sent = Command::new("kill")
            .args([&format!("-{signal}"), &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        self.wait()
    }

    /// Resident memory, kB.
    pub(crate) fn resident(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS"))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- the adapter said:\n{}", self.log.lock().unwrap());
        }
    }
}
