//! Error codes with what they mean, in English.
//!
//! Codes below 90000 are the real robot's, with the meaning that it gives them; those from
//! 90001 on are the simulator's, for what the real robot has no known code.

/// How serious an error is, in the words of the real robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorType {
    /// Not a success, and nothing to worry about.
    Ignore,
    /// Worth knowing.
    Warn,
    /// Trying again may help.
    Error,
    /// A mistake in a program.
    Bug,
    /// The robot needs to start again.
    Fatal,
    /// The robot needs repair.
    CallForSupport,
}

impl ErrorType {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ignore => "Ignore",
            Self::Warn => "Warn",
            Self::Error => "Error",
            Self::Bug => "Bug",
            Self::Fatal => "Fatal",
            Self::CallForSupport => "CallForSupport",
        }
    }
}

/// One code and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorCode {
    /// The code.
    pub code: i32,
    /// In a few words; may hold `{shelf}` or `{action_name}` as on the real robot.
    pub title: &'static str,
    /// What to do about it; may be empty.
    pub description: &'static str,
    /// How serious it is.
    pub error_type: ErrorType,
}

/// Codes that the simulated robot gives.
pub mod code {
    /// A command was ended by another one or by cancelling it.
    pub const INTERRUPTED: i32 = 10001;
    /// A command was ended by a restart.
    pub const SHUTTING_DOWN: i32 = 10002;
    /// A command was ended by a pause.
    pub const PAUSED_DURING_COMMAND: i32 = 10105;
    /// A command was ended by a drop in front of the robot.
    pub const STEP_DURING_COMMAND: i32 = 10106;
    /// A command came while the robot is paused.
    pub const COMMAND_WHILE_PAUSED: i32 = 10107;
    /// The shelf to move is not registered.
    pub const UNKNOWN_SHELF: i32 = 10250;
    /// There is no registered charger to go to.
    pub const NO_CHARGER: i32 = 10251;
    /// The shelf to return is not registered.
    pub const UNKNOWN_SHELF_TO_RETURN: i32 = 10252;
    /// The place to go to is not registered.
    pub const UNKNOWN_LOCATION: i32 = 10253;
    /// It carries no shelf.
    pub const NO_SHELF_CARRIED: i32 = 10254;
    /// Nothing stands above it that could be docked.
    pub const NO_SHELF_HERE: i32 = 11201;
    /// There is no shelf in front of it.
    pub const NO_SHELF_FOUND: i32 = 11301;
    /// There is no charging dock where it should be.
    pub const DOCK_NOT_FOUND: i32 = 11801;
    /// Manual control is not possible while it is paused.
    pub const MANUAL_WHILE_PAUSED: i32 = 12401;
    /// No more of this kind can be registered.
    pub const TOO_MANY: i32 = 12508;
    /// Too many commands wait.
    pub const BUSY: i32 = 13003;
    /// A velocity came without manual control.
    pub const NOT_IN_MANUAL_CONTROL: i32 = 13151;
    /// It is starting.
    pub const STARTING: i32 = 13208;
    /// It did not reach its goal.
    pub const NOT_REACHED: i32 = 19001;
    /// It is paused until somebody presses the power button.
    pub const PAUSED: i32 = 21051;
    /// It is paused because of a drop.
    pub const STEP_DETECTED: i32 = 21052;
    /// The battery is empty.
    pub const BATTERY_EMPTY: i32 = 23001;
    /// The battery is low.
    pub const BATTERY_LOW: i32 = 23002;
    /// A number or text out of its range.
    pub const BAD_VALUE: i32 = 90001;
    /// There is no command to cancel.
    pub const NOTHING_TO_CANCEL: i32 = 90002;
    /// There is no lock to proceed from.
    pub const NOTHING_TO_PROCEED: i32 = 90003;
    /// There is no such shortcut.
    pub const UNKNOWN_SHORTCUT: i32 = 90004;
    /// There is no such sound.
    pub const UNKNOWN_SOUND: i32 = 90005;
    /// Sound data that is no WAV file.
    pub const BAD_SOUND: i32 = 90006;
    /// There is no such map.
    pub const UNKNOWN_MAP: i32 = 90007;
    /// The map has no charger at which the robot could be.
    pub const NO_POSE_ON_MAP: i32 = 90008;
    /// A docked shelf can't be taken along to another map.
    pub const CANNOT_INHERIT_SHELF: i32 = 90009;
    /// The robot was taken out of the world.
    pub const ROBOT_REMOVED: i32 = 90010;
    /// Another program says where the robot is.
    pub const LOCALIZED_ELSEWHERE: i32 = 90011;
    /// A file or picture that is no map.
    pub const BAD_MAP: i32 = 90012;
}

/// What a code means.
#[must_use]
pub fn find(code: i32) -> Option<&'static ErrorCode> {
    ALL.iter().find(|error| error.code == code)
}

/// A code in words for whoever asked; "" for 0.
#[must_use]
pub fn message(code: i32) -> String {
    if code == 0 {
        return String::new();
    }
    match find(code) {
        None => format!("error {code}"),
        Some(error) => {
            let title = error.title.replace("{shelf}", "the shelf");
            let title = title.replace("{action_name}", "The command");
            if error.description.is_empty() {
                title
            } else {
                format!("{title}: {}", error.description)
            }
        }
    }
}

const fn entry(
    code: i32,
    error_type: ErrorType,
    title: &'static str,
    description: &'static str,
) -> ErrorCode {
    ErrorCode {
        code,
        title,
        description,
        error_type,
    }
}

use ErrorType::{Bug, CallForSupport, Error, Fatal, Ignore, Warn};

/// Every code that the simulated robot gives, and those of the real one that programs
/// commonly look up. In the order of the codes.
pub const ALL: &[ErrorCode] = &[
    entry(10001, Ignore, "{action_name} was interrupted", ""),
    entry(10002, Error, "The robot is shutting down", ""),
    entry(
        10104,
        Error,
        "Motor is hot",
        "Switch it off and let it cool down.",
    ),
    entry(10105, Ignore, "Paused", "Press the power button to go on."),
    entry(
        10106,
        Ignore,
        "A drop was detected",
        "It paused in front of a drop. Move it away and press the power button.",
    ),
    entry(
        10107,
        Warn,
        "The robot is paused",
        "Press the power button to go on.",
    ),
    entry(
        10108,
        Error,
        "A drop was detected",
        "It is paused in front of a drop. Move it away and press the power button.",
    ),
    entry(10220, Warn, "Cancelled", ""),
    entry(10250, Error, "The furniture is not registered", ""),
    entry(10251, Error, "The destination is not registered", ""),
    entry(10252, Error, "The furniture is not registered", ""),
    entry(10253, Error, "The destination is not registered", ""),
    entry(10254, Error, "It carries no furniture", ""),
    entry(
        10255,
        Error,
        "It carries furniture",
        "Put the furniture down.",
    ),
    entry(10256, Ignore, "There is no map", "Make a map first."),
    entry(10262, Error, "It carries furniture", ""),
    entry(
        10264,
        Error,
        "There is an error",
        "A serious error keeps it from taking commands.",
    ),
    entry(
        10265,
        Error,
        "There is an error",
        "A serious error ended the command.",
    ),
    entry(10267, Ignore, "It is charging already", ""),
    entry(
        11001,
        Error,
        "It could not take {shelf}",
        "Clear what stands around the furniture.",
    ),
    entry(
        11002,
        Error,
        "It can't let go of {shelf}",
        "Take the furniture off by hand.",
    ),
    entry(
        11003,
        Error,
        "It can't get away from {shelf}",
        "See what stands around the furniture.",
    ),
    entry(11004, Error, "It could not put down {shelf}", ""),
    entry(
        11005,
        Error,
        "{shelf} was not found",
        "It is not where it was put down last. Look at the map and put it back.",
    ),
    entry(
        11006,
        Error,
        "{shelf} is too far away",
        "Put the furniture back to its place.",
    ),
    entry(
        11007,
        Error,
        "It could not get in front of {shelf}",
        "Clear what stands in front of the furniture.",
    ),
    entry(
        11008,
        Error,
        "Other furniture stands in the place of {shelf}",
        "Put the right furniture there.",
    ),
    entry(
        11009,
        Error,
        "The barcode of {shelf} can't be read",
        "See that nothing covers it.",
    ),
    entry(11012, Error, "{shelf} came off", ""),
    entry(
        11014,
        Error,
        "The furniture is not registered",
        "Register the furniture.",
    ),
    entry(11016, Error, "The command could not be completed", ""),
    entry(
        11017,
        Error,
        "The destination is not registered",
        "Register the destination.",
    ),
    entry(
        11018,
        Error,
        "It can't put down {shelf} here",
        "This is in front of the charger.",
    ),
    entry(
        11102,
        Error,
        "No barcode was found",
        "See where the furniture stands.",
    ),
    entry(
        11103,
        Error,
        "Docking failed",
        "Look at the map and put the furniture back to its place.",
    ),
    entry(
        11107,
        Error,
        "The furniture is not registered",
        "Register the furniture.",
    ),
    entry(11201, Error, "There is no furniture", ""),
    entry(
        11301,
        Error,
        "The furniture was not found",
        "There is no barcode of furniture in front of it.",
    ),
    entry(
        11401,
        Error,
        "There is no default destination",
        "Set a default destination.",
    ),
    entry(
        11501,
        Error,
        "It can't charge",
        "It does not charge with furniture on it. Put the furniture down first.",
    ),
    entry(
        11502,
        Error,
        "Charging failed",
        "Something keeps it from the charging dock. Clear the way.",
    ),
    entry(11503, Error, "It is on the charger already", ""),
    entry(
        11801,
        Error,
        "Charging failed",
        "It did not find the charging dock. See that nothing covers its marker.",
    ),
    entry(
        11802,
        Error,
        "Charging failed",
        "See that nothing stands around the charging dock.",
    ),
    entry(
        12401,
        Warn,
        "It can't be driven while it is paused",
        "Press the power button and try again.",
    ),
    entry(12508, Warn, "No more can be registered", ""),
    entry(12701, Warn, "The setting was not taken", ""),
    entry(13003, Warn, "It is busy with other commands", ""),
    entry(13004, Ignore, "{action_name} was interrupted", ""),
    entry(
        13151,
        Ignore,
        "It is not in manual control",
        "Turn manual control on first.",
    ),
    entry(13152, Ignore, "Internal error", ""),
    entry(
        13208,
        Error,
        "The robot is starting",
        "Wait a while and try again.",
    ),
    entry(14110, Ignore, "Cancelled", ""),
    entry(
        14605,
        Error,
        "Furniture can't be put onto the charging dock",
        "Choose another place.",
    ),
    entry(14606, Error, "No furniture is docked", ""),
    entry(
        19001,
        Warn,
        "It did not reach its goal",
        "See whether something stands around it.",
    ),
    entry(
        19002,
        Warn,
        "It did not reach its goal",
        "See whether something stands around it.",
    ),
    entry(
        19003,
        Error,
        "{shelf} came off on the way",
        "Give the command again.",
    ),
    entry(
        19004,
        Warn,
        "It did not reach its goal",
        "Something stands there, so it stops here.",
    ),
    entry(
        20100,
        Warn,
        "The robot's clock is wrong",
        "It could not set its clock when it started.",
    ),
    entry(
        21001,
        Fatal,
        "Hardware error",
        "The front camera. Start the robot again.",
    ),
    entry(
        21002,
        Fatal,
        "Hardware error",
        "The back camera. Start the robot again.",
    ),
    entry(
        21003,
        Fatal,
        "Hardware error",
        "The 3D sensor. Start the robot again.",
    ),
    entry(
        21004,
        Fatal,
        "Hardware error",
        "The laser sensor. Start the robot again.",
    ),
    entry(
        21005,
        Error,
        "Laser sensor error",
        "See that nothing covers the laser sensor.",
    ),
    entry(
        21041,
        Error,
        "It can't charge",
        "Clean the contacts of robot and charger.",
    ),
    entry(21051, Warn, "Paused", "Press the power button to go on."),
    entry(
        21052,
        Error,
        "A drop was detected",
        "It is paused in front of a drop. Move it away and press the power button.",
    ),
    entry(
        21054,
        CallForSupport,
        "Hardware error",
        "The battery. Switch the robot off.",
    ),
    entry(
        21055,
        Error,
        "Motor error",
        "See that nothing is caught in the wheels.",
    ),
    entry(
        21056,
        Error,
        "Motor error",
        "See that nothing is caught in the wheels.",
    ),
    entry(
        21060,
        Error,
        "The processor is slow",
        "It takes no commands for a while.",
    ),
    entry(
        21061,
        Error,
        "The processor is slow",
        "It takes no commands for a while.",
    ),
    entry(
        21092,
        Error,
        "The storage is full",
        "Delete maps that are not used.",
    ),
    entry(21101, Error, "The battery is hot", "Switch the robot off."),
    entry(21102, Error, "The battery is cold", "Switch the robot off."),
    entry(
        22001,
        Error,
        "There is no way to the goal",
        "See whether something stands around it.",
    ),
    entry(
        22002,
        Error,
        "The way is blocked",
        "It is too narrow. Clear what stands around it.",
    ),
    entry(
        23001,
        Error,
        "The battery is empty",
        "It goes to its charging dock. If it can't, put it there by hand.",
    ),
    entry(23002, Warn, "The battery is low", ""),
    entry(
        90001,
        Bug,
        "A value is out of its range (simulator)",
        "Correct the field that the message names.",
    ),
    entry(
        90002,
        Ignore,
        "There is no command to cancel (simulator)",
        "",
    ),
    entry(
        90003,
        Ignore,
        "There is no lock to proceed from (simulator)",
        "",
    ),
    entry(90004, Error, "There is no such shortcut (simulator)", ""),
    entry(90005, Error, "There is no such sound (simulator)", ""),
    entry(90006, Error, "The data is no WAV file (simulator)", ""),
    entry(90007, Error, "There is no such map (simulator)", ""),
    entry(
        90008,
        Error,
        "The pose on the map is not known (simulator)",
        "Give an initial pose, or register a charger on that map.",
    ),
    entry(
        90009,
        Error,
        "A docked shelf can't be taken along to another map (simulator)",
        "",
    ),
    entry(
        90010,
        Ignore,
        "The robot was taken out of the world (simulator)",
        "",
    ),
    entry(
        90011,
        Error,
        "Another program localizes the robot (simulator)",
        "Give the pose to that program.",
    ),
    entry(
        90012,
        Error,
        "The file is no map (simulator)",
        "Import a file that was exported, unchanged, or a picture with its resolution.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_its_codes_and_says_something_for_each() {
        for pair in ALL.windows(2) {
            assert!(pair[0].code < pair[1].code, "{pair:?}");
        }
        for error in ALL {
            assert!(!error.title.is_empty(), "{error:?}");
            assert!(error.title.is_ascii() && error.description.is_ascii());
        }
    }

    #[test]
    fn a_message_fills_in_what_the_title_leaves_open() {
        assert_eq!(message(0), "");
        assert_eq!(message(code::INTERRUPTED), "The command was interrupted");
        assert_eq!(message(11005).find('{'), None, "{}", message(11005));
        assert_eq!(message(4), "error 4");
    }
}
