//! A Kachaka in a world, stepped one by one.

use std::path::Path;
use std::sync::LazyLock;

use tatami::kachaka::{
    Command, CommandResult, Kachaka, KachakaConfig, Location, LocationChange, Refusal, StartCommand,
};
use tatami::layout::{LayoutReader, Packages, RobotItem};
use tatami::robot::RobotSpec;
use tatami::scene::{Scene, SceneConfig};
use tatami::world::{BoxSpec, Dynamics, PhysicsDt, Pose2, Twist2};

pub(crate) const NAME: &str = "kachaka";

/// The two steps of every test: of the simulation that the specification speaks of, and the
/// server's default.
pub(crate) const STEPS: [f64; 2] = [1.0 / 120.0, 0.0333];

/// A scene with one Kachaka.
pub(crate) struct Sim {
    pub(crate) scene: Scene,
    pub(crate) dt: f64,
}

/// The robot of `config/kachaka.yaml`.
pub(crate) static MODEL: LazyLock<RobotItem> = LazyLock::new(|| {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let reader = LayoutReader::new(Packages::of_sources(&[checkout]));
    let text = "robots: [{name: k, model: kachaka}]";
    let layout = reader.parse(text, Path::new("room.yaml")).unwrap();
    layout.robots[0].clone()
});

/// That robot at a pose, with a configuration in YAML.
pub(crate) fn spec(name: &str, pose: Pose2, config: &str) -> RobotSpec {
    RobotSpec {
        name: name.into(),
        pose,
        onboard: Some(KachakaConfig::parse(config).unwrap()),
        ..MODEL.spec()
    }
}

impl Sim {
    /// The default configuration at the origin.
    pub(crate) fn new(dt: f64) -> Self {
        Self::with(dt, "")
    }

    /// A configuration in YAML, at the origin.
    pub(crate) fn with(dt: f64, config: &str) -> Self {
        Self::at(dt, Pose2::default(), config)
    }

    pub(crate) fn at(dt: f64, pose: Pose2, config: &str) -> Self {
        Self::of(dt, spec(NAME, pose, config))
    }

    /// One robot of its own making.
    pub(crate) fn of(dt: f64, robot: RobotSpec) -> Self {
        let mut scene = Scene::new(SceneConfig {
            dt: PhysicsDt::from_seconds(dt).unwrap(),
            dynamics: Dynamics::Rigid,
            seed: 7,
            run: 0,
        });
        scene.spawn_robot(robot).unwrap();
        let dt = scene.dt().seconds();
        Self { scene, dt }
    }

    pub(crate) fn kachaka(&mut self) -> &mut Kachaka {
        self.scene.kachaka_mut(NAME).unwrap()
    }

    /// A wall across x, with its near face there.
    pub(crate) fn wall(&mut self, name: &str, x: f64) {
        let spec = BoxSpec {
            name: name.into(),
            size: [0.2, 4.0],
            pose: Pose2::new(x + 0.1, 0.0, 0.0),
            z_min: 0.0,
            z_max: 1.0,
        };
        self.scene.spawn_boxes(&[spec]).unwrap();
    }

    pub(crate) fn step(&mut self) {
        self.scene.step();
    }

    /// Steps that fit best into a time, in s.
    pub(crate) fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / self.dt).round() as u64 {
            self.step();
        }
    }

    /// Steps until something holds, and how many seconds that took.
    #[track_caller]
    pub(crate) fn until(&mut self, limit: f64, mut holds: impl FnMut(&mut Self) -> bool) -> f64 {
        let start = self.time();
        while !holds(self) {
            let took = self.time() - start;
            assert!(
                took <= limit,
                "it did not come within {limit} s: {:?}",
                self.kachaka().state()
            );
            self.step();
        }
        self.time() - start
    }

    /// Steps until nothing runs, and the seconds that took.
    #[track_caller]
    pub(crate) fn until_idle(&mut self, limit: f64) -> f64 {
        self.until(limit, |sim| sim.kachaka().state().running.is_none())
    }

    /// Starts a command behind the others.
    pub(crate) fn start(&mut self, command: Command) -> Result<String, Refusal> {
        self.kachaka().start_command(StartCommand::new(command))
    }

    /// Starts a command, steps until nothing runs, and gives its result.
    #[track_caller]
    pub(crate) fn carry_out(&mut self, command: Command, limit: f64) -> CommandResult {
        let id = self.start(command).unwrap();
        self.until_idle(limit);
        self.result(&id)
    }

    /// The result of a command.
    #[track_caller]
    pub(crate) fn result(&mut self, id: &str) -> CommandResult {
        let kachaka = self.kachaka();
        let found: Vec<_> = kachaka.history().filter(|result| result.id == id).collect();
        assert_eq!(found.len(), 1, "results of {id}: {found:?}");
        found[0].clone()
    }

    /// Registers a place.
    pub(crate) fn place(&mut self, id: &str, pose: Pose2) {
        let place = Location {
            id: id.into(),
            name: id.into(),
            pose,
            ..Location::default()
        };
        let change = LocationChange {
            add: vec![place],
            ..LocationChange::default()
        };
        self.scene.add_locations(NAME, &change).unwrap();
    }

    pub(crate) fn time(&self) -> f64 {
        self.scene.time().seconds()
    }

    pub(crate) fn pose(&self) -> Pose2 {
        self.scene.state(NAME).unwrap().pose
    }

    pub(crate) fn twist(&self) -> Twist2 {
        self.scene.state(NAME).unwrap().twist
    }

    pub(crate) fn is_still(&self) -> bool {
        let twist = self.twist();
        twist.x.abs() < 1e-6 && twist.angular.abs() < 1e-6
    }

    /// Drives by the autonomous topic until it is as fast as that.
    #[track_caller]
    pub(crate) fn speed_up(&mut self, linear: f64) {
        self.until(2.0, |sim| {
            sim.kachaka().autonomous_velocity(linear, 0.0).unwrap();
            (sim.twist().x - linear).abs() < 1e-9
        });
    }
}

pub(crate) fn forward(distance: f64) -> Command {
    Command::MoveForward {
        distance,
        speed: 0.0,
        mute_sensors: false,
    }
}

pub(crate) fn lock(duration: f64) -> Command {
    Command::Lock { duration }
}

pub(crate) fn speak(text: &str) -> Command {
    Command::Speak { text: text.into() }
}

/// Fails unless two numbers are near each other, and prints both.
#[track_caller]
pub(crate) fn assert_near(what: &str, actual: f64, expected: f64, tolerance: f64) {
    assert!(
        (actual - expected).abs() <= tolerance,
        "{what}: {actual} is not {expected} within {tolerance}"
    );
}
