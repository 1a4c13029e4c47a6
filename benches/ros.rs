//! The server through ROS: how fast it steps, answers, idles and forgets.
//!
//! Starts the real `tatami_server` as a process in a ROS domain of its own, puts the
//! default room with a Kachaka into it, and measures from outside. Prints a table and
//! writes the figures to `target/ros_bench.json`.

use std::error::Error;
use std::future::Future;
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::{Duration, Instant};

use futures::StreamExt;
use r2r::tatami_msgs::msg::{
    AxisLimits, Box as BoxMsg, DriveModel, OnboardCommand, Outline, SensorSpec,
};
use r2r::tatami_msgs::srv::{
    AddOutlines, ControlWorld, DeleteRobot, GetWorld, SpawnBoxes, SpawnRobot, StartCommand,
};
use r2r::{Client, Context, Node, QosProfile, WrappedServiceTypeSupport};

type Failure = Box<dyn Error>;

const URDF: &str = include_str!("../urdf/kachaka.urdf");
/// What every topic of the robot and the clock carries, for its one reader.
const TOPICS: [(&str, &str); 7] = [
    ("/clock", "rosgraph_msgs/msg/Clock"),
    ("/tf", "tf2_msgs/msg/TFMessage"),
    ("/kachaka/odom", "nav_msgs/msg/Odometry"),
    ("/kachaka/ground_truth", "nav_msgs/msg/Odometry"),
    ("/kachaka/joint_states", "sensor_msgs/msg/JointState"),
    ("/kachaka/lidar/scan", "sensor_msgs/msg/LaserScan"),
    ("/kachaka/imu/imu", "sensor_msgs/msg/Imu"),
];
/// The same of a Kachaka with its own software.
const KACHAKA_TOPICS: [(&str, &str); 11] = [
    ("/clock", "rosgraph_msgs/msg/Clock"),
    ("/tf", "tf2_msgs/msg/TFMessage"),
    ("/kachaka/odometry/odometry", "nav_msgs/msg/Odometry"),
    (
        "/kachaka/wheel_odometry/wheel_odometry",
        "nav_msgs/msg/Odometry",
    ),
    ("/kachaka/ground_truth", "nav_msgs/msg/Odometry"),
    ("/kachaka/joint_states", "sensor_msgs/msg/JointState"),
    ("/kachaka/lidar/scan", "sensor_msgs/msg/LaserScan"),
    ("/kachaka/imu/imu", "sensor_msgs/msg/Imu"),
    (
        "/kachaka/robot_info/battery_state",
        "sensor_msgs/msg/BatteryState",
    ),
    ("/kachaka/sim/pose", "geometry_msgs/msg/PoseStamped"),
    ("/kachaka/sim/state", "tatami_msgs/msg/OnboardState"),
];
/// Steps per second of sim time for it, as the real robot's fastest sensors.
const KACHAKA_RATE: u32 = 120;
/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// The server; ended with this value, however the measurement ends.
struct Server(Child);

impl Server {
    fn start(steps_per_second: u32) -> Result<Self, Failure> {
        let child = Command::new(env!("CARGO_BIN_EXE_tatami_server"))
            .args(["--ros-args", "-p", "paused:=true", "-p"])
            .arg(format!("physics_dt:={}", 1.0 / f64::from(steps_per_second)))
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self(child))
    }

    /// CPU time so far.
    fn cpu(&self) -> Result<Duration, Failure> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id()))?;
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let ticks: u64 = after_name
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(str::parse::<u64>)
            .sum::<Result<u64, _>>()?;
        // USER_HZ is 100 on every Linux that ROS runs on.
        Ok(Duration::from_millis(10 * ticks))
    }

    /// Resident memory, MB.
    fn resident(&self) -> Result<f64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
        Ok(kilobytes.ok_or("no VmRSS")?.parse::<f64>()? / 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; either way there is nothing left to do about it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A client that calls one service at a time.
struct Caller {
    node: Node,
}

impl Caller {
    fn new(context: Context) -> Result<Self, Failure> {
        let node = Node::create(context, "tatami_bench", "")?;
        Ok(Self { node })
    }

    fn client<T: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
    ) -> Result<Client<T>, Failure> {
        self.absolute_client(&format!("/tatami/{name}"))
    }

    fn absolute_client<T: WrappedServiceTypeSupport + 'static>(
        &mut self,
        service: &str,
    ) -> Result<Client<T>, Failure> {
        let client = self
            .node
            .create_client::<T>(service, QosProfile::services_default())?;
        let mut available = pin!(Node::is_available(&client)?);
        self.wait_for(available.as_mut())??;
        Ok(client)
    }

    fn wait_for<F: Future>(
        &mut self,
        mut future: std::pin::Pin<&mut F>,
    ) -> Result<F::Output, Failure> {
        let begun = Instant::now();
        let mut task = TaskContext::from_waker(Waker::noop());
        while begun.elapsed() < PATIENCE {
            if let Poll::Ready(output) = future.as_mut().poll(&mut task) {
                return Ok(output);
            }
            self.node.spin_once(Duration::from_millis(20));
        }
        Err("no answer within a minute".into())
    }

    fn call<T: WrappedServiceTypeSupport + 'static>(
        &mut self,
        client: &Client<T>,
        request: &T::Request,
    ) -> Result<T::Response, Failure> {
        let answer = pin!(client.request(request)?);
        Ok(self.wait_for(answer)??)
    }
}

/// One reader per topic, in a thread of its own.
struct Readers {
    stop: Arc<AtomicBool>,
    read: Arc<AtomicU64>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Readers {
    fn start(context: Context, topics: &[(&str, &str)]) -> Result<Self, Failure> {
        let mut node = Node::create(context, "tatami_bench_readers", "")?;
        let mut streams = Vec::new();
        for (topic, kind) in topics {
            // Reads what best-effort writers send, too.
            let qos = QosProfile::default().best_effort().keep_last(100);
            streams.push(Box::pin(node.subscribe_raw(topic, kind, qos)?));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let read = Arc::new(AtomicU64::new(0));
        let (stopped, counter) = (Arc::clone(&stop), Arc::clone(&read));
        let thread = std::thread::spawn(move || {
            let mut task = TaskContext::from_waker(Waker::noop());
            while !stopped.load(Ordering::Relaxed) {
                node.spin_once(Duration::from_millis(20));
                for stream in &mut streams {
                    while let Poll::Ready(Some(_)) = stream.poll_next_unpin(&mut task) {
                        counter.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        });
        Ok(Self {
            stop,
            read,
            thread: Some(thread),
        })
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A reader that panicked has said so already.
            let _ = thread.join();
        }
    }
}

fn limits(reach: f64, accel: f64) -> AxisLimits {
    AxisLimits {
        low: -reach,
        high: reach,
        accel,
        decel: 0.0,
    }
}

fn kachaka(name: &str) -> SpawnRobot::Request {
    let corners = [[-0.15, -0.12], [0.237, -0.12], [0.237, 0.12], [-0.15, 0.12]];
    let sensor = |name: &str, kind: &str, topic: &str| SensorSpec {
        name: name.into(),
        type_: kind.into(),
        topic: topic.into(),
        sensor: name.into(),
        ..SensorSpec::default()
    };
    SpawnRobot::Request {
        name: name.into(),
        robot_namespace: format!("/{name}"),
        frame_prefix: format!("{name}/"),
        urdf: URDF.into(),
        base_frame: "base_footprint".into(),
        footprint: corners
            .map(|[x, y]| r2r::geometry_msgs::msg::Point32 { x, y, z: 0.0 })
            .to_vec(),
        height: 0.113,
        drive: DriveModel {
            linear: limits(0.3, 0.5),
            angular: limits(1.57, 3.0),
            gain: vec![1.0; 3],
            ..DriveModel::default()
        },
        sensors: vec![
            sensor("lidar", "laserscan", "lidar/scan"),
            sensor("imu", "imu", "imu/imu"),
        ],
        reliable: true,
        ..SpawnRobot::Request::default()
    }
}

fn furnish(caller: &mut Caller, robot: &SpawnRobot::Request) -> Result<(), Failure> {
    let corners = [[-2.5, -2.0], [2.5, -2.0], [2.5, 2.0], [-2.5, 2.0]];
    let room = Outline {
        name: "room".into(),
        points: corners
            .map(|[x, y]| r2r::geometry_msgs::msg::Point32 { x, y, z: 0.0 })
            .to_vec(),
        z_min: 0.0,
        z_max: 2.4,
    };
    let add_outlines = caller.client::<AddOutlines::Service>("add_outlines")?;
    let outlines = AddOutlines::Request {
        outlines: vec![room],
    };
    let added = caller.call(&add_outlines, &outlines)?;
    let block = |name: &str, x: f64, y: f64| BoxMsg {
        name: name.into(),
        size_x: 0.4,
        size_y: 0.3,
        x,
        y,
        yaw: 0.3,
        z_min: 0.0,
        z_max: 0.5,
    };
    let spawn_boxes = caller.client::<SpawnBoxes::Service>("spawn_boxes")?;
    let boxes = vec![
        block("a", 1.6, 1.2),
        block("b", -1.5, 1.3),
        block("c", 1.7, -1.3),
    ];
    let spawned = caller.call(&spawn_boxes, &SpawnBoxes::Request { boxes })?;
    let spawn_robot = caller.client::<SpawnRobot::Service>("spawn_robot")?;
    let robot = caller.call(&spawn_robot, robot)?;
    for (success, message) in [
        (added.success, added.message),
        (spawned.success, spawned.message),
        (robot.success, robot.message),
    ] {
        if !success {
            return Err(message.into());
        }
    }
    Ok(())
}

/// One row of the table.
struct Figure {
    what: &'static str,
    value: f64,
    unit: &'static str,
    target: &'static str,
}

fn step(multi_step: u32) -> ControlWorld::Request {
    ControlWorld::Request {
        pause: true,
        multi_step,
        ..ControlWorld::Request::default()
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Waits until the robot's topics have reached every reader.
fn match_readers(
    caller: &mut Caller,
    control: &Client<ControlWorld::Service>,
    readers: &Readers,
) -> Result<(), Failure> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let before = readers.read.load(Ordering::Relaxed);
        caller.call(control, &step(30))?;
        // Five topics every step, two at 10 Hz or more: with all matched, at least this.
        let expected = 30 * 5 + 2 * 10;
        let waited = Instant::now();
        while waited.elapsed() < Duration::from_millis(200) {
            caller.node.spin_once(Duration::from_millis(5));
            if readers.read.load(Ordering::Relaxed) - before >= expected {
                return Ok(());
            }
        }
    }
    Err("the readers did not all match".into())
}

fn stepping(
    caller: &mut Caller,
    figures: &mut Vec<Figure>,
    context: Context,
) -> Result<(), Failure> {
    let control = caller.client::<ControlWorld::Service>("control_world")?;
    let readers = Readers::start(context, &TOPICS)?;
    match_readers(caller, &control, &readers)?;
    let factors = (0..7)
        .map(|_| {
            let begun = Instant::now();
            let reply = caller.call(&control, &step(1000))?;
            let wall = begun.elapsed().as_secs_f64();
            Ok(f64::from(reply.steps_taken) / 30.0 / wall)
        })
        .collect::<Result<Vec<f64>, Failure>>()?;
    figures.push(Figure {
        what: "multi_step 1000, one reader per topic",
        value: median(factors),
        unit: "x real time",
        target: ">= 300",
    });
    drop(readers);
    let trips = (0..3000)
        .map(|_| {
            let begun = Instant::now();
            caller.call(&control, &step(1))?;
            Ok(begun.elapsed().as_secs_f64() * 1e3)
        })
        .collect::<Result<Vec<f64>, Failure>>()?;
    figures.push(Figure {
        what: "multi_step 1 round trip, median",
        value: median(trips),
        unit: "ms",
        target: "<= 0.5",
    });
    Ok(())
}

fn idle(server: &Server, what: &'static str, figures: &mut Vec<Figure>) -> Result<(), Failure> {
    let window = Duration::from_secs(5);
    let before = server.cpu()?;
    std::thread::sleep(window);
    let used = (server.cpu()? - before).as_secs_f64() / window.as_secs_f64();
    figures.push(Figure {
        what,
        value: 100.0 * used,
        unit: "%",
        target: "< 5",
    });
    Ok(())
}

fn spawning(
    server: &Server,
    caller: &mut Caller,
    figures: &mut Vec<Figure>,
) -> Result<(), Failure> {
    let spawn = caller.client::<SpawnRobot::Service>("spawn_robot")?;
    let delete = caller.client::<DeleteRobot::Service>("delete_robot")?;
    let mut resident = Vec::new();
    for round in 0..220 {
        if round == 20 || round == 219 {
            resident.push(server.resident()?);
        }
        let spawned = caller.call(&spawn, &kachaka("guest"))?;
        let name = "guest".to_owned();
        let deleted = caller.call(&delete, &DeleteRobot::Request { name })?;
        if !(spawned.success && deleted.success) {
            return Err(format!("{} {}", spawned.message, deleted.message).into());
        }
    }
    figures.push(Figure {
        what: "resident memory",
        value: resident[1],
        unit: "MB",
        target: "< 100",
    });
    figures.push(Figure {
        what: "growth over 200 spawn and delete rounds",
        value: resident[1] - resident[0],
        unit: "MB",
        target: "flat",
    });
    Ok(())
}

/// A Kachaka with its own software that drives, at the rate of its fastest sensors.
fn onboard(context: Context, figures: &mut Vec<Figure>) -> Result<(), Failure> {
    let server = Server::start(KACHAKA_RATE)?;
    let mut caller = Caller::new(context.clone())?;
    let robot = SpawnRobot::Request {
        onboard: "kachaka".into(),
        publish_description: true,
        ..kachaka("kachaka")
    };
    furnish(&mut caller, &robot)?;
    let what = "a Kachaka, idle and paused, share of a core";
    idle(&server, what, figures)?;
    let control = caller.client::<ControlWorld::Service>("control_world")?;
    let readers = Readers::start(context, &KACHAKA_TOPICS)?;
    match_readers(&mut caller, &control, &readers)?;
    let start = "/kachaka/sim/command/start";
    let start = caller.absolute_client::<StartCommand::Service>(start)?;
    let mut request = StartCommand::Request::default();
    request.command.type_ = OnboardCommand::ROTATE_IN_PLACE as u8;
    request.command.angle = 100.0;
    let factors = (0..7)
        .map(|_| {
            request.cancel_all = true;
            caller.call(&start, &request)?;
            let begun = Instant::now();
            let reply = caller.call(&control, &step(3600))?;
            let wall = begun.elapsed().as_secs_f64();
            Ok(f64::from(reply.steps_taken) / f64::from(KACHAKA_RATE) / wall)
        })
        .collect::<Result<Vec<f64>, Failure>>()?;
    figures.push(Figure {
        what: "a Kachaka at 120 Hz, one reader per topic",
        value: median(factors),
        unit: "x real time",
        target: ">= 50",
    });
    Ok(())
}

fn main() -> Result<(), Failure> {
    let context = Context::create()?;
    let mut figures = Vec::new();
    onboard(context.clone(), &mut figures)?;
    let server = Server::start(30)?;
    let mut caller = Caller::new(context.clone())?;
    furnish(&mut caller, &kachaka("kachaka"))?;
    idle(&server, "idle and paused, share of a core", &mut figures)?;
    stepping(&mut caller, &mut figures, context)?;
    spawning(&server, &mut caller, &mut figures)?;
    let get_world = caller.client::<GetWorld::Service>("get_world")?;
    let world = caller.call(&get_world, &GetWorld::Request::default())?;
    if world.robots.len() != 1 {
        return Err(format!("{} robots are left, there should be 1", world.robots.len()).into());
    }
    let rows = figures.iter().map(|figure| {
        println!(
            "{:42} {:10.3} {:12} {}",
            figure.what, figure.value, figure.unit, figure.target
        );
        format!(
            "  {{\"what\": \"{}\", \"value\": {}, \"unit\": \"{}\", \"target\": \"{}\"}}",
            figure.what, figure.value, figure.unit, figure.target
        )
    });
    let json = format!("[\n{}\n]\n", rows.collect::<Vec<_>>().join(",\n"));
    std::fs::write(
        concat!(env!("CARGO_MANIFEST_DIR"), "/target/ros_bench.json"),
        json,
    )?;
    Ok(())
}
