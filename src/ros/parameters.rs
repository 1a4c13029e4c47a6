//! The declared parameters of the node: values, types, ranges and what may be changed.
//!
//! The table knows nothing of the services that give access to it
//! ([`super::parameter_services`]).

use r2r::ParameterValue;

use crate::world::{Dynamics, PhysicsDt, TimeStepError};
use crate::yaml::hint;

const FIXED: &str = "it is fixed at start: give it as a launch argument or with --ros-args -p";

/// A parameter that is set to something it can't be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum ParameterError {
    /// No parameter of this name.
    #[error("unknown parameter {name:?}; {hint}")]
    Unknown {
        /// The name.
        name: String,
        /// What may have been meant.
        hint: String,
    },
    /// A value of the wrong type.
    #[error("parameter {name:?} has type {wanted}, not {given}")]
    Type {
        /// The name.
        name: &'static str,
        /// Its type.
        wanted: &'static str,
        /// The type that was given.
        given: &'static str,
    },
    /// A number outside the range.
    #[error("parameter {name:?} is {given}, allowed is {from} to {to}")]
    Range {
        /// The name.
        name: &'static str,
        /// The value.
        given: f64,
        /// Lowest allowed value.
        from: f64,
        /// Highest allowed value.
        to: f64,
    },
    /// A text that is none of the known ones.
    #[error("parameter {name:?} is {given:?}, allowed is {allowed}")]
    Choice {
        /// The name.
        name: &'static str,
        /// The value.
        given: String,
        /// The known ones.
        allowed: String,
    },
    /// Set while the server runs, though it may not be.
    #[error("parameter {name:?} can't be set now: {FIXED}")]
    ReadOnly {
        /// The name.
        name: &'static str,
    },
    /// A step that is no step.
    #[error(transparent)]
    TimeStep(#[from] TimeStepError),
}

/// What is declared about a parameter.
#[derive(Debug)]
pub(super) struct Declaration {
    /// Its name.
    pub(super) name: &'static str,
    /// What it means, with its unit.
    pub(super) description: &'static str,
    /// Whether it is fixed at start.
    pub(super) read_only: bool,
    /// Lowest and highest value of a number.
    pub(super) range: Option<[f64; 2]>,
    /// The texts that are allowed.
    pub(super) choices: &'static [&'static str],
    default: ParameterValue,
}

/// The parameters' values, typed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    /// Step of sim time.
    pub(super) physics_dt: PhysicsDt,
    /// Whether the world is paused at start.
    pub(super) paused: bool,
    /// What walls do to robots.
    pub(super) dynamics: Dynamics,
    /// Seed of all noise.
    pub(super) seed: i64,
    /// Part of the ids of commands; 0 = another one at every start.
    pub(super) run_id: i64,
    /// Sim seconds per wall second, 0 = as fast as possible.
    pub(super) real_time_factor: f64,
    /// Hz of sim time, 0 = every step.
    pub(super) clock_rate: f64,
    /// Seconds of wall time.
    pub(super) paused_clock_period: f64,
}

/// All parameters of the node.
#[derive(Debug)]
pub(super) struct Parameters {
    declared: Vec<Declaration>,
    values: Vec<ParameterValue>,
}

fn declarations() -> Vec<Declaration> {
    let number = |name, default, range, read_only, description| Declaration {
        name,
        description,
        read_only,
        range: Some(range),
        choices: &[],
        default: ParameterValue::Double(default),
    };
    let other = |name, default, read_only, description| Declaration {
        name,
        description,
        read_only,
        range: None,
        choices: &[],
        default,
    };
    vec![
        number(
            "physics_dt",
            0.0333,
            [PhysicsDt::MIN_SECONDS, PhysicsDt::MAX_SECONDS],
            true,
            "Physics step in seconds of sim time, rounded to nanoseconds.",
        ),
        other(
            "paused",
            ParameterValue::Bool(false),
            true,
            "Whether the world starts paused; later control_world decides.",
        ),
        Declaration {
            choices: &["rigid", "kinematic"],
            ..other(
                "dynamics",
                ParameterValue::String("rigid".to_owned()),
                true,
                "rigid: walls, boxes and robots stop or push a robot; \
                 kinematic: it passes through and contacts are still reported.",
            )
        },
        other(
            "seed",
            ParameterValue::Integer(0),
            true,
            "Seed of all noise; later reset can take another one.",
        ),
        other(
            "run_id",
            ParameterValue::Integer(0),
            true,
            "Part of the ids of commands, so that those of two runs differ; 0 = another one at every start.",
        ),
        number(
            "real_time_factor",
            1.0,
            [0.0, 10_000.0],
            false,
            "Pace while unpaused in sim seconds per wall second; 0 = as fast as possible.",
        ),
        number(
            "clock_rate",
            0.0,
            [0.0, 10_000.0],
            false,
            "Messages on /clock per second of sim time; 0 = one every step.",
        ),
        number(
            "paused_clock_period",
            0.01,
            [0.001, 10.0],
            false,
            "Seconds of wall time between the messages on /clock while paused.",
        ),
        other(
            "use_sim_time",
            ParameterValue::Bool(false),
            false,
            "Without effect: this node is the source of sim time.",
        ),
    ]
}

impl Parameters {
    /// The declared parameters with their defaults, overridden by what the command line
    /// and parameter files say. A whole number is taken where a real one is wanted.
    ///
    /// # Errors
    /// For an unknown name, a wrong type and a value that is not allowed.
    pub(super) fn new(
        overrides: impl IntoIterator<Item = (String, ParameterValue)>,
    ) -> Result<Self, ParameterError> {
        let declared = declarations();
        let values = declared.iter().map(|d| d.default.clone()).collect();
        let mut parameters = Self { declared, values };
        for (name, value) in overrides {
            // Handled by the middleware layer of other client libraries; not ours.
            if name.starts_with("qos_overrides.") {
                tracing::warn!("parameter {name:?} is ignored: QoS can't be overridden");
                continue;
            }
            let index = parameters.index(&name)?;
            parameters.values[index] = parameters.declared[index].check(value)?;
        }
        parameters.settings()?;
        Ok(parameters)
    }

    fn index(&self, name: &str) -> Result<usize, ParameterError> {
        self.declared
            .iter()
            .position(|d| d.name == name)
            .ok_or_else(|| {
                let known: Vec<&str> = self.declared.iter().map(|d| d.name).collect();
                ParameterError::Unknown {
                    name: name.to_owned(),
                    hint: hint(name, &known),
                }
            })
    }

    /// All declarations with their values, in a fixed order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Declaration, &ParameterValue)> {
        self.declared.iter().zip(&self.values)
    }

    /// One declaration with its value.
    pub(super) fn get(&self, name: &str) -> Option<(&Declaration, &ParameterValue)> {
        self.iter().find(|(declared, _)| declared.name == name)
    }

    /// Sets parameters of the running server, all or none. Returns the names of those
    /// that are different now.
    ///
    /// # Errors
    /// As for [`Self::new`], and when one of them is fixed at start.
    pub(super) fn set(
        &mut self,
        changes: Vec<(String, ParameterValue)>,
    ) -> Result<Vec<&'static str>, ParameterError> {
        let mut checked = Vec::with_capacity(changes.len());
        for (name, value) in changes {
            let index = self.index(&name)?;
            let declared = &self.declared[index];
            let value = declared.check(value)?;
            // To set what it is already is no change, also not of a fixed one.
            if declared.read_only && value != self.values[index] {
                return Err(ParameterError::ReadOnly {
                    name: declared.name,
                });
            }
            checked.push((index, value));
        }
        let mut changed = Vec::new();
        for (index, value) in checked {
            if self.values[index] != value {
                self.values[index] = value;
                changed.push(self.declared[index].name);
            }
        }
        Ok(changed)
    }

    /// The values, typed.
    ///
    /// # Errors
    /// When `physics_dt` is no step; its range makes sure that it is one.
    pub(super) fn settings(&self) -> Result<Settings, ParameterError> {
        let dynamics = match self.get("dynamics") {
            Some((_, ParameterValue::String(text))) if text == "kinematic" => Dynamics::Kinematic,
            _ => Dynamics::Rigid,
        };
        let seed = match self.get("seed") {
            Some((_, ParameterValue::Integer(seed))) => *seed,
            _ => 0,
        };
        let run_id = match self.get("run_id") {
            Some((_, ParameterValue::Integer(run))) => *run,
            _ => 0,
        };
        Ok(Settings {
            physics_dt: PhysicsDt::from_seconds(self.double("physics_dt"))?,
            paused: matches!(self.get("paused"), Some((_, ParameterValue::Bool(true)))),
            dynamics,
            seed,
            run_id,
            real_time_factor: self.double("real_time_factor"),
            clock_rate: self.double("clock_rate"),
            paused_clock_period: self.double("paused_clock_period"),
        })
    }

    fn double(&self, name: &str) -> f64 {
        match self.get(name) {
            Some((_, ParameterValue::Double(value))) => *value,
            // Types are checked on every way in.
            _ => f64::NAN,
        }
    }
}

impl Declaration {
    /// The value as it is stored, if it may be.
    fn check(&self, value: ParameterValue) -> Result<ParameterValue, ParameterError> {
        let value = match (&self.default, value) {
            (ParameterValue::Double(_), ParameterValue::Integer(whole)) => {
                ParameterValue::Double(whole as f64)
            }
            (_, value) => value,
        };
        if std::mem::discriminant(&self.default) != std::mem::discriminant(&value) {
            return Err(ParameterError::Type {
                name: self.name,
                wanted: self.default.type_name(),
                given: value.type_name(),
            });
        }
        match (&value, self.range) {
            // NaN is in no range.
            (ParameterValue::Double(given), Some([from, to])) if !(from..=to).contains(given) => {
                return Err(ParameterError::Range {
                    name: self.name,
                    given: *given,
                    from,
                    to,
                });
            }
            (ParameterValue::String(given), _) if !self.choices.contains(&given.as_str()) => {
                return Err(ParameterError::Choice {
                    name: self.name,
                    given: given.clone(),
                    allowed: self.choices.join(" or "),
                });
            }
            _ => {}
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, value: ParameterValue) -> Result<Parameters, ParameterError> {
        Parameters::new([(name.to_owned(), value)])
    }

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let settings = Parameters::new([]).unwrap().settings().unwrap();
        let expected = Settings {
            physics_dt: PhysicsDt::from_seconds(0.0333).unwrap(),
            paused: false,
            dynamics: Dynamics::Rigid,
            seed: 0,
            run_id: 0,
            real_time_factor: 1.0,
            clock_rate: 0.0,
            paused_clock_period: 0.01,
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn overrides_are_taken_and_whole_numbers_become_real_ones() {
        let parameters = with("real_time_factor", ParameterValue::Integer(2)).unwrap();
        assert_eq!(parameters.settings().unwrap().real_time_factor, 2.0);
        let parameters = with("dynamics", ParameterValue::String("kinematic".into())).unwrap();
        let settings = parameters.settings().unwrap();
        assert_eq!(settings.dynamics, Dynamics::Kinematic);
        let parameters = with("use_sim_time", ParameterValue::Bool(true)).unwrap();
        let value = parameters.get("use_sim_time").unwrap().1;
        assert_eq!(*value, ParameterValue::Bool(true));
    }

    #[test]
    fn what_is_not_allowed_is_refused_with_what_would_be() {
        for (name, value, expected) in [
            (
                "phisics_dt",
                ParameterValue::Double(0.1),
                "did you mean \"physics_dt\"?",
            ),
            (
                "unrelated",
                ParameterValue::Double(0.1),
                "unknown parameter \"unrelated\"",
            ),
            ("physics_dt", ParameterValue::Double(1.0), "0.0005 to 0.5"),
            (
                "physics_dt",
                ParameterValue::Double(f64::NAN),
                "0.0005 to 0.5",
            ),
            (
                "physics_dt",
                ParameterValue::String("fast".into()),
                "has type double, not string",
            ),
            (
                "real_time_factor",
                ParameterValue::Double(-1.0),
                "0 to 10000",
            ),
            (
                "paused_clock_period",
                ParameterValue::Integer(0),
                "0.001 to 10",
            ),
            (
                "seed",
                ParameterValue::Double(1.0),
                "has type integer, not double",
            ),
            (
                "paused",
                ParameterValue::Integer(1),
                "has type boolean, not integer",
            ),
            (
                "dynamics",
                ParameterValue::String("soft".into()),
                "rigid or kinematic",
            ),
        ] {
            let text = with(name, value).unwrap_err().to_string();
            assert!(text.contains(expected), "{name}: {text}");
        }
    }

    #[test]
    fn setting_is_all_or_none_and_says_what_changed() {
        let mut parameters = Parameters::new([]).unwrap();
        let double = |name: &str, value| (name.to_owned(), ParameterValue::Double(value));
        let changed = parameters.set(vec![
            double("real_time_factor", 3.0),
            double("clock_rate", 0.0),
        ]);
        assert_eq!(changed, Ok(vec!["real_time_factor"]));
        let refused = parameters.set(vec![double("clock_rate", 5.0), double("physics_dt", 0.1)]);
        assert_eq!(
            refused,
            Err(ParameterError::ReadOnly { name: "physics_dt" })
        );
        assert_eq!(parameters.settings().unwrap().clock_rate, 0.0);
        assert_eq!(
            parameters.set(vec![double("physics_dt", 0.0333)]),
            Ok(vec![])
        );
    }
}
