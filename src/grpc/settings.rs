//! The parameters of the node.

use std::time::Duration;

use r2r::ParameterValue;

use super::convert::Stamps;
use super::view::DwellTimes;
use crate::yaml::hint;

/// What the adapter was told at its start.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    /// Address to listen on.
    pub(super) host: String,
    /// Port to listen on; 0 = any that is free.
    pub(super) port: u16,
    /// Namespace of the robot, with a slash before it and none after.
    pub(super) robot: String,
    /// Added to the stamps of sim time, s.
    pub(super) epoch_offset: f64,
    /// How long the last values of a lost robot are told, s.
    pub(super) grace: f64,
    /// How long a call waits for a newer value, s; 0 = for ever.
    pub(super) poll_timeout: f64,
    /// How long a command is shown as running, s.
    pub(super) min_running: f64,
    /// How long a result stands, s.
    pub(super) min_result: f64,
}

/// A parameter that can't be taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SettingError {
    /// No such parameter.
    #[error("unknown parameter {name:?}: {hint}")]
    Unknown {
        /// As given.
        name: String,
        /// A similar one that exists, or all.
        hint: String,
    },
    /// Another type.
    #[error("parameter {name} must be {wanted}, not {given}")]
    Type {
        /// Which.
        name: String,
        /// What it has to be.
        wanted: &'static str,
        /// What was given.
        given: &'static str,
    },
    /// A number out of range.
    #[error("parameter {name} is {given}, it must be {from} to {to}")]
    Range {
        /// Which.
        name: String,
        /// As given.
        given: f64,
        /// Least.
        from: f64,
        /// Greatest.
        to: f64,
    },
    /// Not a namespace.
    #[error(
        "parameter robot_namespace is {0:?}, it must be names of letters, digits and underscores \
         with slashes between them, such as kachaka"
    )]
    Namespace(String),
}

const NAMES: [&str; 9] = [
    "host",
    "port",
    "robot_namespace",
    "epoch_offset",
    "grace",
    "poll_timeout",
    "min_running",
    "min_result",
    "use_sim_time",
];

impl Default for Settings {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 26400,
            robot: "/kachaka".to_owned(),
            epoch_offset: 0.0,
            grace: 3.0,
            poll_timeout: 0.0,
            min_running: 0.2,
            min_result: 0.1,
        }
    }
}

impl Settings {
    /// The defaults, overridden by what the command line and parameter files say.
    ///
    /// # Errors
    /// For an unknown name, a wrong type and a value that is not allowed.
    pub(super) fn new(
        given: impl IntoIterator<Item = (String, ParameterValue)>,
    ) -> Result<Self, SettingError> {
        let mut settings = Self::default();
        for (name, value) in given {
            match name.as_str() {
                "host" => settings.host = text(&name, value)?,
                "port" => settings.port = port(&name, &value)?,
                "robot_namespace" => settings.robot = namespace(&text(&name, value)?)?,
                // Some 300 years, as far as 64 bits of nanoseconds reach.
                "epoch_offset" => settings.epoch_offset = number(&name, &value, -9e9, 9e9)?,
                "grace" => settings.grace = number(&name, &value, 0.0, 3600.0)?,
                "poll_timeout" => settings.poll_timeout = number(&name, &value, 0.0, 86_400.0)?,
                "min_running" => settings.min_running = number(&name, &value, 0.0, 10.0)?,
                "min_result" => settings.min_result = number(&name, &value, 0.0, 10.0)?,
                // Given by launch files to every node; wall time is what counts here.
                "use_sim_time" => {}
                _ if name.starts_with("qos_overrides.") => {
                    tracing::warn!("parameter {name:?} is ignored: QoS can't be overridden");
                }
                _ => {
                    let hint = hint(&name, &NAMES);
                    return Err(SettingError::Unknown { name, hint });
                }
            }
        }
        Ok(settings)
    }

    /// How sim time is told.
    pub(super) fn stamps(&self) -> Stamps {
        Stamps {
            offset: (self.epoch_offset * 1e9).round() as i64,
        }
    }

    /// The least times of commands and results.
    pub(super) fn dwell(&self) -> DwellTimes {
        DwellTimes {
            running: Duration::from_secs_f64(self.min_running),
            result: Duration::from_secs_f64(self.min_result),
        }
    }

    /// After which time a call that waits is given up.
    pub(super) fn give_up(&self) -> Option<Duration> {
        (self.poll_timeout > 0.0).then(|| Duration::from_secs_f64(self.poll_timeout))
    }
}

fn wrong(name: &str, wanted: &'static str, value: &ParameterValue) -> SettingError {
    SettingError::Type {
        name: name.to_owned(),
        wanted,
        given: value.type_name(),
    }
}

fn text(name: &str, value: ParameterValue) -> Result<String, SettingError> {
    match value {
        ParameterValue::String(text) => Ok(text),
        other => Err(wrong(name, "a string", &other)),
    }
}

fn number(name: &str, value: &ParameterValue, from: f64, to: f64) -> Result<f64, SettingError> {
    let given = match value {
        ParameterValue::Double(number) => *number,
        ParameterValue::Integer(whole) => *whole as f64,
        other => return Err(wrong(name, "a number", other)),
    };
    // NaN is in no range.
    if (from..=to).contains(&given) {
        return Ok(given);
    }
    Err(SettingError::Range {
        name: name.to_owned(),
        given,
        from,
        to,
    })
}

fn port(name: &str, value: &ParameterValue) -> Result<u16, SettingError> {
    let ParameterValue::Integer(whole) = value else {
        return Err(wrong(name, "a whole number", value));
    };
    u16::try_from(*whole).map_err(|_| SettingError::Range {
        name: name.to_owned(),
        given: *whole as f64,
        from: 0.0,
        to: 65_535.0,
    })
}

fn namespace(given: &str) -> Result<String, SettingError> {
    let trimmed = given.trim_matches('/');
    let name = |name: &str| {
        let rest = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(rest)
    };
    if trimmed.is_empty() {
        return Ok(String::new());
    }
    if trimmed.split('/').all(name) {
        return Ok(format!("/{trimmed}"));
    }
    Err(SettingError::Namespace(given.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, value: ParameterValue) -> Result<Settings, SettingError> {
        Settings::new([(name.to_owned(), value)])
    }

    #[test]
    fn what_is_given_replaces_the_default() {
        assert_eq!(Settings::new([]), Ok(Settings::default()));
        let settings = with("port", ParameterValue::Integer(0)).unwrap();
        assert_eq!(settings.port, 0);
        let settings = with(
            "robot_namespace",
            ParameterValue::String("/hall/k2/".into()),
        )
        .unwrap();
        assert_eq!(settings.robot, "/hall/k2");
        let settings = with("robot_namespace", ParameterValue::String("/".into())).unwrap();
        assert_eq!(settings.robot, "");
        let settings = with("epoch_offset", ParameterValue::Integer(1_700_000_000)).unwrap();
        assert_eq!(settings.stamps().offset, 1_700_000_000_000_000_000);
        let settings = with("poll_timeout", ParameterValue::Double(35.0)).unwrap();
        assert_eq!(settings.give_up(), Some(Duration::from_secs(35)));
        assert_eq!(Settings::default().give_up(), None);
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_be_right() {
        let text = |text: &str| ParameterValue::String(text.to_owned());
        for (name, value, wanted) in [
            ("prot", ParameterValue::Integer(1), "did you mean \"port\"?"),
            ("colour", text("red"), "unknown parameter \"colour\""),
            ("port", ParameterValue::Integer(65_536), "0 to 65535"),
            (
                "port",
                ParameterValue::Double(1.0),
                "a whole number, not double",
            ),
            ("host", ParameterValue::Bool(true), "a string, not boolean"),
            ("grace", ParameterValue::Double(-1.0), "0 to 3600"),
            ("min_result", ParameterValue::Double(f64::NAN), "0 to 10"),
            ("robot_namespace", text("2nd robot"), "such as kachaka"),
        ] {
            let said = with(name, value).unwrap_err().to_string();
            assert!(said.contains(wanted), "{name}: {said}");
        }
    }
}
