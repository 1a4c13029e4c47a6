//! Error codes with what they mean, in English.
//!
//! Codes below 90000 are the real robot's, with the meaning that it gives them; those from
//! 90001 on are the simulator's, for what the real robot has no known code.

mod table;

pub use table::ALL;

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

impl ErrorCode {
    /// What clients are told beside the code, each text by its key, as the real robot does:
    /// what is for readers of Japanese there is in English here.
    #[must_use]
    pub fn texts(&self) -> [(&'static str, &'static str); 6] {
        [
            ("title", self.title),
            ("description", self.description),
            ("title_en", self.title),
            ("description_en", self.description),
            ("error_type", self.error_type.name()),
            ("ref_url", ""),
        ]
    }
}

/// Declares the codes that the simulated robot gives, so that a test can go through all.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        /// Codes that the simulated robot gives.
        pub mod code {
            $($(#[$doc])* pub const $name: i32 = $code;)*

            #[cfg(test)]
            pub(super) const ALL: &[i32] = &[$($code),*];
        }
    };
}

codes! {
    /// A command was ended by another one or by cancelling it.
    INTERRUPTED = 10001;
    /// A command was ended by a restart, or because the battery has no charge left.
    SHUTTING_DOWN = 10002;
    /// A command was ended by a pause.
    PAUSED_DURING_COMMAND = 10105;
    /// A command was ended by a drop in front of the robot.
    STEP_DURING_COMMAND = 10106;
    /// A command came while the robot is paused.
    COMMAND_WHILE_PAUSED = 10107;
    /// The shelf to move is not registered.
    UNKNOWN_SHELF = 10250;
    /// There is no registered charger to go to.
    NO_CHARGER = 10251;
    /// The shelf to return is not registered.
    UNKNOWN_SHELF_TO_RETURN = 10252;
    /// The place to go to is not registered.
    UNKNOWN_LOCATION = 10253;
    /// It carries no shelf.
    NO_SHELF_CARRIED = 10254;
    /// Nothing stands above it that could be docked.
    NO_SHELF_HERE = 11201;
    /// There is no shelf in front of it.
    NO_SHELF_FOUND = 11301;
    /// There is no charging dock where it should be.
    DOCK_NOT_FOUND = 11801;
    /// Manual control is not possible while it is paused.
    MANUAL_WHILE_PAUSED = 12401;
    /// No more of this kind can be registered.
    TOO_MANY = 12508;
    /// Too many commands wait.
    BUSY = 13003;
    /// A velocity came without manual control.
    NOT_IN_MANUAL_CONTROL = 13151;
    /// It is starting.
    STARTING = 13208;
    /// A parameter that the real robot refuses.
    BAD_PARAMETER = 15508;
    /// It did not reach its goal.
    NOT_REACHED = 19001;
    /// It is paused until somebody presses the power button.
    PAUSED = 21051;
    /// It is paused because of a drop.
    STEP_DETECTED = 21052;
    /// The battery is empty.
    BATTERY_EMPTY = 23001;
    /// The battery is low.
    BATTERY_LOW = 23002;
    /// A number or text out of its range.
    BAD_VALUE = 90001;
    /// There is no command to cancel.
    NOTHING_TO_CANCEL = 90002;
    /// There is no lock to proceed from.
    NOTHING_TO_PROCEED = 90003;
    /// There is no such shortcut.
    UNKNOWN_SHORTCUT = 90004;
    /// There is no such sound.
    UNKNOWN_SOUND = 90005;
    /// Sound data that is no WAV file.
    BAD_SOUND = 90006;
    /// There is no such map.
    UNKNOWN_MAP = 90007;
    /// The map has no charger at which the robot could be.
    NO_POSE_ON_MAP = 90008;
    /// A docked shelf can't be taken along to another map.
    CANNOT_INHERIT_SHELF = 90009;
    /// The robot was taken out of the world.
    ROBOT_REMOVED = 90010;
    /// Another program says where the robot is.
    LOCALIZED_ELSEWHERE = 90011;
    /// A file, picture or cells that are no map.
    BAD_MAP = 90012;
    /// It does not know yet where it is.
    NOT_LOCALIZED = 90013;
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
    fn every_code_that_is_given_stands_in_the_table() {
        for code in code::ALL {
            assert!(find(*code).is_some(), "{code}");
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
