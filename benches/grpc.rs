//! The adapter over loopback: how fast it answers, how late a value is, what it uses.
//!
//! Starts the real `kachaka_grpc` as a process in a ROS domain of its own, in front of a robot
//! that publishes on real topics, and measures with a native client. Prints a table and writes
//! the figures to `target/grpc_bench.json`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the robot is that of the tests"
)]
#![allow(
    dead_code,
    unused_imports,
    reason = "the tests use other parts of the robot"
)]

#[path = "../tests/grpc_adapter/adapter.rs"]
mod adapter;
#[path = "../tests/grpc_adapter/fake/mod.rs"]
mod fake;
#[path = "../tests/support_ros/process.rs"]
mod process;
#[path = "../tests/grpc_adapter/ros.rs"]
mod ros;

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::{PoseStamped, TransformStamped};
use r2r::nav_msgs::msg::Odometry;
use r2r::sensor_msgs::msg::{Imu, LaserScan};
use r2r::tf2_msgs::msg::TFMessage;
use tatami::grpc::proto::GetRequest;
use tatami::grpc::proto::kachaka_api_client::KachakaApiClient;
use tonic::transport::Channel;

use adapter::Adapter;
use fake::{Fake, Robot};

type Failure = Box<dyn Error + Send + Sync>;
type Client = KachakaApiClient<Channel>;

/// Clients that wait for every scan and every pose.
const POLLERS: usize = 50;

struct Figure {
    what: &'static str,
    value: f64,
    unit: &'static str,
    target: &'static str,
}

async fn connect(adapter: &Adapter) -> Result<Client, Failure> {
    Ok(Client::connect(format!("http://127.0.0.1:{}", adapter.port)).await?)
}

/// The next stamp: what has the stamp of the one before is no new sample.
fn stamp() -> Time {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    Time {
        sec: (count / 1000) as i32,
        nanosec: (count % 1000) as u32 * 1_000_000,
    }
}

fn pose(robot: &mut Robot, number: f64) {
    let mut pose = PoseStamped::default();
    pose.pose.position.x = number;
    pose.pose.orientation.w = 1.0;
    pose.header.stamp = stamp();
    robot.to().pose.publish(&pose).unwrap();
}

fn scan(robot: &mut Robot) {
    let mut scan = LaserScan {
        ranges: vec![1.0; 400],
        intensities: vec![1008.0; 400],
        ..Default::default()
    };
    scan.header.stamp = stamp();
    robot.to().scan.publish(&scan).unwrap();
}

/// What a robot publishes at each step of physics.
fn step(robot: &mut Robot) {
    let to = robot.to();
    let mut imu = Imu::default();
    imu.header.stamp = stamp();
    to.imu.publish(&imu).unwrap();
    let mut odometry = Odometry::default();
    odometry.header.stamp = stamp();
    to.odometry.publish(&odometry).unwrap();
    to.wheel_odometry.publish(&odometry).unwrap();
    let frames = [("k/map", "k/odom"), ("k/odom", "k/base_footprint")];
    let transforms = frames.map(|(parent, child)| {
        let mut transform = TransformStamped::default();
        transform.header.frame_id = parent.to_owned();
        transform.child_frame_id = child.to_owned();
        transform
    });
    let transforms = transforms.to_vec();
    to.moving.publish(&TFMessage { transforms }).unwrap();
    pose(robot, 0.0);
}

/// Publishes at a rate until it is dropped.
struct Ticking {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Ticking {
    fn start(fake: &Arc<Fake>, rate: f64, tick: fn(&mut Robot, u64)) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (fake, stopped) = (Arc::clone(fake), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            let begun = Instant::now();
            let mut count = 0_u64;
            while !stopped.load(Ordering::Relaxed) {
                fake.does(move |robot| tick(robot, count));
                count += 1;
                let next = begun + Duration::from_secs_f64(count as f64 / rate);
                std::thread::sleep(next.saturating_duration_since(Instant::now()));
            }
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn percentile(sorted: &[f64], part: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}

/// The share of a core that the adapter uses.
async fn share(adapter: &Adapter) -> Result<f64, Failure> {
    let window = Duration::from_secs(5);
    let before = adapter.cpu();
    tokio::time::sleep(window).await;
    Ok(100.0 * (adapter.cpu() - before) / window.as_secs_f64())
}

/// From just before a value is published to when a client that waited for it has it, ms.
async fn lateness(fake: &Fake, client: &mut Client) -> Result<Vec<f64>, Failure> {
    let mut late = Vec::new();
    let newest = client.get_robot_pose(GetRequest { metadata: None }).await?;
    let mut cursor = newest.into_inner().metadata;
    for round in 0..1000 {
        let number = f64::from(round) + 0.5;
        let polls = async {
            let request = GetRequest { metadata: cursor };
            let answer = client.get_robot_pose(request).await;
            (answer, Instant::now())
        };
        let publishes = async {
            // The poll has to be there first.
            tokio::time::sleep(Duration::from_millis(3)).await;
            fake.does(move |robot| {
                let begun = Instant::now();
                pose(robot, number);
                begun
            })
        };
        let ((answer, got), begun) = tokio::join!(polls, publishes);
        let answer = answer?.into_inner();
        if answer.pose.map(|pose| pose.x) != Some(number) {
            return Err(format!("got {:?}, wanted {number}", answer.pose).into());
        }
        cursor = answer.metadata;
        late.push(got.duration_since(begun).as_secs_f64() * 1e3);
    }
    late.sort_by(f64::total_cmp);
    Ok(late)
}

/// Round trips of a client that reads one value after the other, ms.
async fn reads(client: &mut Client, count: usize) -> Result<Vec<f64>, Failure> {
    let mut took = Vec::with_capacity(count);
    for _ in 0..count {
        let begun = Instant::now();
        client
            .get_battery_info(GetRequest { metadata: None })
            .await?;
        took.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    took.sort_by(f64::total_cmp);
    Ok(took)
}

/// Reads that the adapter answers per second of its own CPU time.
async fn throughput(adapter: &Adapter) -> Result<f64, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let count = Arc::new(AtomicU64::new(0));
    let mut readers = Vec::new();
    for _ in 0..8 {
        let mut client = connect(adapter).await?;
        let (stop, count) = (Arc::clone(&stop), Arc::clone(&count));
        readers.push(tokio::spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let read = client
                    .get_ros_laser_scan(GetRequest { metadata: None })
                    .await;
                if read.is_err() {
                    return;
                }
                count.fetch_add(1, Ordering::Relaxed);
            }
        }));
    }
    let before = (adapter.cpu(), count.load(Ordering::Relaxed));
    tokio::time::sleep(Duration::from_secs(5)).await;
    let after = (adapter.cpu(), count.load(Ordering::Relaxed));
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await?;
    }
    Ok((after.1 - before.1) as f64 / (after.0 - before.0))
}

async fn measure() -> Result<Vec<Figure>, Failure> {
    let fake = Arc::new(Fake::start());
    let adapter = Adapter::start(&[]);
    let mut client = connect(&adapter).await?;
    // Until the adapter has heard it, and its scan.
    loop {
        fake.does(|robot| {
            scan(robot);
            step(robot);
        });
        let read = client.get_ros_laser_scan(GetRequest { metadata: None });
        if matches!(
            tokio::time::timeout(Duration::from_millis(50), read).await,
            Ok(Ok(_))
        ) {
            break;
        }
    }
    // All that is asked for at the beginning is over.
    tokio::time::sleep(Duration::from_secs(12)).await;
    let mut figures = Vec::new();
    let mut figure = |what, value, unit, target| {
        let figure = Figure {
            what,
            value,
            unit,
            target,
        };
        figures.push(figure);
    };
    figure(
        "gRPC: paused and idle, share of a core",
        share(&adapter).await?,
        "%",
        "near 0",
    );
    let late = lateness(&fake, &mut client).await?;
    figure(
        "gRPC: message to waiting poll, median",
        percentile(&late, 0.5),
        "ms",
        "<= 2",
    );
    figure(
        "gRPC: message to waiting poll, p99",
        percentile(&late, 0.99),
        "ms",
        "<= 2",
    );
    figure(
        "gRPC: scans read",
        throughput(&adapter).await?,
        "1/s of a core",
        ">= 5000",
    );
    let ticking = Ticking::start(&fake, 120.0, |robot, count| {
        step(robot);
        if count % 12 == 0 {
            scan(robot);
        }
    });
    figure(
        "gRPC: robot at 120 Hz, share of a core",
        share(&adapter).await?,
        "%",
        "",
    );
    let mut pollers = Vec::new();
    for index in 0..POLLERS {
        let mut client = connect(&adapter).await?;
        pollers.push(tokio::spawn(async move {
            let mut cursor = None;
            loop {
                let request = GetRequest { metadata: cursor };
                cursor = if index % 2 == 0 {
                    let answer = client.get_ros_laser_scan(request).await;
                    answer.ok().and_then(|answer| answer.into_inner().metadata)
                } else {
                    let answer = client.get_robot_pose(request).await;
                    answer.ok().and_then(|answer| answer.into_inner().metadata)
                };
            }
        }));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    drop(ticking);
    // A robot as clients poll it: 10 scans and 30 poses a second.
    let ticking = Ticking::start(&fake, 30.0, |robot, count| {
        pose(robot, count as f64);
        if count % 3 == 0 {
            scan(robot);
        }
    });
    let took = reads(&mut client, 20_000).await?;
    figure(
        "gRPC: read beside 50 pollers, median",
        percentile(&took, 0.5),
        "ms",
        "<= 0.3",
    );
    figure(
        "gRPC: read beside 50 pollers, p99",
        percentile(&took, 0.99),
        "ms",
        "< 2",
    );
    figure(
        "gRPC: resident memory",
        adapter.resident() as f64 / 1024.0,
        "MB",
        "",
    );
    for poller in pollers {
        poller.abort();
    }
    drop(ticking);
    Ok(figures)
}

fn main() -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let figures = runtime.block_on(measure())?;
    let rows = figures.iter().map(|figure| {
        println!(
            "{:42} {:10.3} {:14} {}",
            figure.what, figure.value, figure.unit, figure.target
        );
        format!(
            "  {{\"what\": \"{}\", \"value\": {}, \"unit\": \"{}\", \"target\": \"{}\"}}",
            figure.what, figure.value, figure.unit, figure.target
        )
    });
    let json = format!("[\n{}\n]\n", rows.collect::<Vec<_>>().join(",\n"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/target/grpc_bench.json");
    Ok(std::fs::write(path, json)?)
}
