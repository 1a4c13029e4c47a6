//! What the robot can be told to do.

use super::error_codes::code;
use super::{KachakaConfig, Refusal};
use crate::shown::Shown;
use crate::world::{Pose2, SimTime};

/// Farthest drive of one command, m.
pub(super) const MAX_DISTANCE: f64 = 100.0;
/// Largest turn of one command, rad: as far as [`MAX_DISTANCE`] at a metre of radius.
pub(super) const MAX_ANGLE: f64 = 100.0;
/// Lowest speed along a distance that may be asked for, m/s: slower is as good as never there.
const MIN_SPEED: f64 = 0.01;
/// Highest speed that may be asked for, m/s. It is clamped to what the robot does.
pub(super) const MAX_SPEED: f64 = 100.0;
/// Longest time of one command, s of sim time: a day.
pub(super) const MAX_DURATION: f64 = 86_400.0;
/// Farthest place on a map, m.
pub(super) const MAX_COORDINATE: f64 = 1e6;

/// A command with its parameters. The variants are those of kachaka-api.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Fetch a shelf and carry it somewhere.
    MoveShelf {
        /// Which shelf.
        shelf_id: String,
        /// Where to.
        location_id: String,
        /// Whether to put it down there.
        undock_on_destination: bool,
    },
    /// Take a shelf back to its home.
    ReturnShelf {
        /// Which shelf; "" = the one it carries.
        shelf_id: String,
    },
    /// Put down the shelf it carries.
    UndockShelf {
        /// Which shelf; "" = the one it carries.
        shelf_id: String,
    },
    /// Drive to a registered place.
    MoveToLocation {
        /// Where to.
        location_id: String,
        /// From where a route is planned; "" = from where it is.
        source_location_id: String,
    },
    /// Drive to the charger.
    ReturnHome,
    /// Dock the shelf in front of it.
    DockShelf,
    /// Say a text.
    Speak {
        /// What to say.
        text: String,
    },
    /// Drive to a pose on the map.
    MoveToPose {
        /// Where to, map frame.
        pose: Pose2,
    },
    /// Hold still until a time has passed or it is told to proceed.
    Lock {
        /// s of sim time.
        duration: f64,
    },
    /// Drive straight by wheel odometry.
    MoveForward {
        /// m; negative = backwards.
        distance: f64,
        /// Highest speed, m/s, at least 0.01; 0 = the robot's own.
        speed: f64,
        /// Without the stop in front of obstacles.
        mute_sensors: bool,
    },
    /// Turn on the spot by wheel odometry.
    RotateInPlace {
        /// rad; positive = counter-clockwise.
        angle: f64,
    },
    /// Drive to a place and dock whatever shelf stands there.
    DockAnyShelfWithRegistration {
        /// Where to.
        location_id: String,
        /// Head first.
        dock_forward: bool,
    },
    /// Find out anew where it is on the map.
    Localize,
    /// Drive at a velocity for a time, without the stop in front of obstacles.
    MoveByVelocityWithMutedSensors {
        /// m/s; negative = backwards.
        speed: f64,
        /// s of sim time.
        duration: f64,
    },
}

impl Command {
    /// The name that kachaka-api gives it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::MoveShelf { .. } => "MOVE_SHELF",
            Self::ReturnShelf { .. } => "RETURN_SHELF",
            Self::UndockShelf { .. } => "UNDOCK_SHELF",
            Self::MoveToLocation { .. } => "MOVE_TO_LOCATION",
            Self::ReturnHome => "RETURN_HOME",
            Self::DockShelf => "DOCK_SHELF",
            Self::Speak { .. } => "SPEAK",
            Self::MoveToPose { .. } => "MOVE_TO_POSE",
            Self::Lock { .. } => "LOCK",
            Self::MoveForward { .. } => "MOVE_FORWARD",
            Self::RotateInPlace { .. } => "ROTATE_IN_PLACE",
            Self::DockAnyShelfWithRegistration { .. } => "DOCK_ANY_SHELF_WITH_REGISTRATION",
            Self::Localize => "LOCALIZE",
            Self::MoveByVelocityWithMutedSensors { .. } => "MOVE_BY_VELOCITY_WITH_MUTED_SENSORS",
        }
    }

    /// Whether it drives without the stop in front of obstacles.
    #[must_use]
    pub fn mutes_front_stop(&self) -> bool {
        match self {
            Self::MoveForward { mute_sensors, .. } => *mute_sensors,
            Self::MoveByVelocityWithMutedSensors { .. } => true,
            _ => false,
        }
    }

    /// Bytes of all its texts.
    fn text_bytes(&self) -> usize {
        match self {
            Self::MoveShelf {
                shelf_id,
                location_id,
                ..
            } => shelf_id.len() + location_id.len(),
            Self::ReturnShelf { shelf_id } | Self::UndockShelf { shelf_id } => shelf_id.len(),
            Self::MoveToLocation {
                location_id,
                source_location_id,
            } => location_id.len() + source_location_id.len(),
            Self::DockAnyShelfWithRegistration { location_id, .. } => location_id.len(),
            Self::Speak { text } => text.len(),
            Self::ReturnHome
            | Self::DockShelf
            | Self::MoveToPose { .. }
            | Self::Lock { .. }
            | Self::MoveForward { .. }
            | Self::RotateInPlace { .. }
            | Self::Localize
            | Self::MoveByVelocityWithMutedSensors { .. } => 0,
        }
    }

    /// Whether it drives by where the robot believes to be.
    pub(super) fn needs_pose(&self) -> bool {
        matches!(
            self,
            Self::MoveToPose { .. }
                | Self::MoveToLocation { .. }
                | Self::DockAnyShelfWithRegistration { .. }
                | Self::Localize
        )
    }

    /// Checks every number and text of it.
    ///
    /// # Errors
    /// [`code::BAD_VALUE`] for the first that is not finite or out of its range,
    /// [`code::BAD_PARAMETER`] for a speed below 0 along a distance.
    pub fn validate(&self) -> Result<(), Refusal> {
        match self {
            Self::MoveShelf {
                shelf_id,
                location_id,
                ..
            } => {
                check_id("target_shelf_id", shelf_id)?;
                check_id("location_id", location_id)
            }
            Self::ReturnShelf { shelf_id } | Self::UndockShelf { shelf_id } => {
                check_id("target_shelf_id", shelf_id)
            }
            Self::MoveToLocation {
                location_id,
                source_location_id,
            } => {
                check_id("location_id", location_id)?;
                check_id("source_location_id", source_location_id)
            }
            Self::DockAnyShelfWithRegistration { location_id, .. } => {
                check_id("location_id", location_id)
            }
            Self::Speak { text } => check_text("text", text),
            Self::MoveToPose { pose } => check_pose(pose),
            Self::Lock { duration } => check_duration("duration", *duration),
            Self::MoveForward {
                distance, speed, ..
            } => {
                check_within("distance", *distance, -MAX_DISTANCE, MAX_DISTANCE, "m")?;
                if *speed < 0.0 {
                    return Err(Refusal::new(
                        code::BAD_PARAMETER,
                        format!(
                            "speed is {}, it must be 0 to {MAX_SPEED} m/s",
                            Shown(*speed)
                        ),
                    ));
                }
                if *speed == 0.0 || (MIN_SPEED..=MAX_SPEED).contains(speed) {
                    return Ok(());
                }
                Err(Refusal::new(
                    code::BAD_VALUE,
                    format!(
                        "speed is {}, it must be 0 (the robot's own) or {MIN_SPEED} to {MAX_SPEED} m/s",
                        Shown(*speed)
                    ),
                ))
            }
            Self::RotateInPlace { angle } => {
                check_within("angle", *angle, -MAX_ANGLE, MAX_ANGLE, "rad")
            }
            Self::MoveByVelocityWithMutedSensors { speed, duration } => {
                check_within("speed", *speed, -MAX_SPEED, MAX_SPEED, "m/s")?;
                check_duration("duration", *duration)
            }
            Self::ReturnHome | Self::DockShelf | Self::Localize => Ok(()),
        }
    }
}

/// A command to accept.
#[derive(Debug, Clone, PartialEq)]
pub struct StartCommand {
    /// What to do.
    pub command: Command,
    /// End what runs and drop what waits; else wait behind it.
    pub cancel_all: bool,
    /// Said after success; "" = nothing.
    pub tts_on_success: String,
    /// A label for people.
    pub title: String,
    /// Taken and kept; the real meaning is not published.
    pub deferrable: bool,
    /// s of sim time that it stays locked after success; 0 = not.
    pub lock_on_end: f64,
}

impl StartCommand {
    /// A command that waits behind the others, without anything around it.
    #[must_use]
    pub fn new(command: Command) -> Self {
        Self {
            command,
            cancel_all: false,
            tts_on_success: String::new(),
            title: String::new(),
            deferrable: false,
            lock_on_end: 0.0,
        }
    }

    /// The same command, which ends what runs and drops what waits.
    #[must_use]
    pub fn instead_of_all(self) -> Self {
        Self {
            cancel_all: true,
            ..self
        }
    }

    pub(super) fn validate(&self) -> Result<(), Refusal> {
        self.command.validate()?;
        check_text("tts_on_success", &self.tts_on_success)?;
        check_text("title", &self.title)?;
        check_duration("lock_on_end", self.lock_on_end)
    }
}

/// How a command ended. Every accepted command has exactly one.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandResult {
    /// 1, 2, 3 and so on, in the order of the ends; it goes on when a robot of that name is
    /// replaced or spawned again.
    pub number: u64,
    /// Id of the command.
    pub id: String,
    /// The command.
    pub command: Command,
    /// Its label for people.
    pub title: String,
    /// Whether it did what it was to do.
    pub success: bool,
    /// 0 on success.
    pub error_code: i32,
    /// The error in words; "" on success.
    pub message: String,
    /// When it began to run; when it ended if it never did.
    pub started: SimTime,
    /// When it ended.
    pub finished: SimTime,
}

impl CommandResult {
    /// Bytes of all its texts.
    pub(super) fn text_bytes(&self) -> usize {
        self.id.len() + self.title.len() + self.message.len() + self.command.text_bytes()
    }
}

/// Refuses text that is too long or that no message can hold.
pub(super) fn check_text(field: &str, text: &str) -> Result<(), Refusal> {
    check_letters(field, text, KachakaConfig::MAX_TEXT)
}

/// Refuses an id that is too long or that no message can hold.
pub(super) fn check_id(field: &str, id: &str) -> Result<(), Refusal> {
    check_letters(field, id, KachakaConfig::MAX_ID)
}

fn check_letters(field: &str, text: &str, limit: usize) -> Result<(), Refusal> {
    // Bytes first: counting the characters of a megabyte is work for nothing.
    let is_short =
        text.len() <= limit || (text.len() <= 4 * limit && text.chars().count() <= limit);
    if !is_short {
        return Err(Refusal::new(
            code::BAD_VALUE,
            format!("{field} is longer than {limit} characters"),
        ));
    }
    if text.contains('\0') {
        return Err(Refusal::new(
            code::BAD_VALUE,
            format!("{field} holds a NUL character, which no text may"),
        ));
    }
    Ok(())
}

/// Refuses a number that is not finite or out of its range.
pub(super) fn check_within(
    field: &str,
    value: f64,
    low: f64,
    high: f64,
    unit: &str,
) -> Result<(), Refusal> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Refusal::new(
        code::BAD_VALUE,
        format!(
            "{field} is {}, it must be {low} to {high} {unit}",
            Shown(value)
        ),
    ))
}

/// Refuses a time that no command may take.
pub(super) fn check_duration(field: &str, seconds: f64) -> Result<(), Refusal> {
    check_within(field, seconds, 0.0, MAX_DURATION, "s")
}

/// Refuses a pose that is on no map.
pub(super) fn check_pose(pose: &Pose2) -> Result<(), Refusal> {
    check_within("x", pose.x, -MAX_COORDINATE, MAX_COORDINATE, "m")?;
    check_within("y", pose.y, -MAX_COORDINATE, MAX_COORDINATE, "m")?;
    check_within("yaw", pose.yaw, -MAX_COORDINATE, MAX_COORDINATE, "rad")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(command: Command) -> String {
        let refusal = command.validate().unwrap_err();
        assert_eq!(refusal.code, code::BAD_VALUE, "{refusal}");
        refusal.message
    }

    #[test]
    fn numbers_that_are_not_finite_or_too_large_are_refused_by_field() {
        for bad in [f64::NAN, f64::INFINITY, -1.0, 86_400.1] {
            let message = refused(Command::Lock { duration: bad });
            assert!(message.contains("duration"), "{message}");
        }
        for bad in [f64::NAN, f64::NEG_INFINITY, 100.1, -100.1] {
            let message = refused(Command::MoveForward {
                distance: bad,
                speed: 0.0,
                mute_sensors: false,
            });
            assert!(message.contains("distance"), "{message}");
            let message = refused(Command::RotateInPlace { angle: bad });
            assert!(message.contains("angle"), "{message}");
        }
        let message = refused(Command::RotateInPlace { angle: -1e308 });
        assert_eq!(message, "angle is -1e308, it must be -100 to 100 rad");
        let message = refused(Command::MoveToPose {
            pose: Pose2::new(0.0, f64::NAN, 0.0),
        });
        assert!(message.starts_with("y is NaN"), "{message}");
    }

    #[test]
    fn text_is_counted_in_characters() {
        let speak = |text: String| Command::Speak { text };
        assert_eq!(speak("棚".repeat(1_000)).validate(), Ok(()));
        let message = refused(speak("棚".repeat(1_001)));
        assert!(message.contains("text is longer than 1000"), "{message}");
        let message = refused(speak("a\0b".into()));
        assert!(message.contains("NUL"), "{message}");
    }

    #[test]
    fn ids_are_shorter_and_checked_alike() {
        let undock = |id: String| Command::UndockShelf { shelf_id: id };
        assert_eq!(undock("棚".repeat(100)).validate(), Ok(()));
        let message = refused(undock("棚".repeat(101)));
        assert!(
            message.contains("target_shelf_id is longer than 100"),
            "{message}"
        );
        let message = refused(undock("a\0b".into()));
        assert!(message.contains("NUL"), "{message}");
    }

    #[test]
    fn a_speed_below_0_is_15508() {
        let command = Command::MoveForward {
            distance: 1.0,
            speed: -0.1,
            mute_sensors: false,
        };
        let refusal = command.validate().unwrap_err();
        assert_eq!(refusal.code, 15508, "{refusal}");
        assert!(refusal.message.starts_with("speed is -0.1"), "{refusal}");
    }

    #[test]
    fn a_speed_that_gets_nowhere_is_refused() {
        let at = |speed: f64| Command::MoveForward {
            distance: 1.0,
            speed,
            mute_sensors: false,
        };
        for speed in [0.0, 0.01, 100.0] {
            assert_eq!(at(speed).validate(), Ok(()));
        }
        for (speed, shown) in [
            (1e-9, "1e-9"),
            (1e-300, "1e-300"),
            (0.0099, "0.0099"),
            (101.0, "101"),
        ] {
            let refusal = at(speed).validate().unwrap_err();
            assert_eq!(refusal.code, code::BAD_VALUE);
            let expected =
                format!("speed is {shown}, it must be 0 (the robot's own) or 0.01 to 100 m/s");
            assert_eq!(refusal.message, expected);
        }
    }
}
