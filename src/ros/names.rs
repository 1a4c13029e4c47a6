//! Names of ROS: namespaces, topics and frames as requests give them.
//!
//! Pure text: what is resolved here is what the middleware gets, so that a bad name is
//! answered with the field and the reason instead of a return code.

/// Longest full topic name that DDS takes with the prefix that ROS puts before it
/// (`RMW_TOPIC_MAX_NAME_LENGTH`, 255 minus 8).
const MAX_TOPIC_LENGTH: usize = 247;

/// Longest name that is sent with each message again, such as that of a frame, in bytes. ROS has
/// no limit; this one is that of the names of a world.
pub(super) const MAX_SENT_BYTES: usize = 255;

/// A name that ROS does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameError {
    /// A namespace or topic that breaks the rules of ROS names.
    #[error("{field} is {name:?}: {reason}")]
    Topic {
        /// Field of the request.
        field: String,
        /// What it held.
        name: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// A frame that tf2 does not take.
    #[error("{field} is {name:?}: a frame {reason}")]
    Frame {
        /// Field of the request.
        field: String,
        /// What it held.
        name: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
}

/// The absolute namespace of a robot: "" is `/` and the robot's name, `/` the root.
///
/// # Errors
/// When the result is no valid namespace.
pub(super) fn resolve_namespace(robot: &str, requested: &str) -> Result<String, NameError> {
    if requested == "/" {
        return Ok(requested.to_owned());
    }
    let (field, name) = match requested {
        "" => ("robot_namespace (empty, so the robot's name)", robot),
        _ => ("robot_namespace", requested),
    };
    let absolute = if name.starts_with('/') {
        name.to_owned()
    } else {
        format!("/{name}")
    };
    check_absolute(field, name, &absolute)?;
    Ok(absolute)
}

/// The absolute name of a topic: relative ones stand below the namespace.
///
/// # Errors
/// When the result is no valid topic name.
pub(super) fn resolve_topic(
    field: &str,
    namespace: &str,
    topic: &str,
) -> Result<String, NameError> {
    let absolute = if topic.starts_with('/') {
        topic.to_owned()
    } else {
        format!("{}/{topic}", namespace.trim_end_matches('/'))
    };
    check_absolute(field, topic, &absolute)?;
    Ok(absolute)
}

fn check_absolute(field: &str, name: &str, absolute: &str) -> Result<(), NameError> {
    match broken_rule(absolute) {
        None => Ok(()),
        Some(reason) => Err(NameError::Topic {
            field: field.to_owned(),
            name: name.to_owned(),
            reason,
        }),
    }
}

/// The rules of `rmw_validate_full_topic_name`.
fn broken_rule(absolute: &str) -> Option<&'static str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '/';
    if !absolute.chars().all(allowed) {
        Some("only letters, digits, underscores and slashes are allowed in a ROS name")
    } else if absolute.len() > MAX_TOPIC_LENGTH {
        Some("a ROS name has at most 247 characters")
    } else if absolute.ends_with('/') {
        Some("it must not be empty or end with a slash")
    } else if absolute.contains("//") {
        Some("it must not hold two slashes in a row")
    } else if absolute
        .split('/')
        .any(|token| token.starts_with(|c: char| c.is_ascii_digit()))
    {
        Some("no part between slashes may start with a digit")
    } else {
        None
    }
}

/// Checks a frame: neither empty nor too long, no leading slash, no white space or control
/// characters.
///
/// # Errors
/// When it breaks one of these rules.
pub(super) fn check_frame(field: &str, frame: &str) -> Result<(), NameError> {
    let reason = if frame.is_empty() {
        "must not be empty"
    } else if frame.len() > MAX_SENT_BYTES {
        "has at most 255 bytes, its frame_prefix included"
    } else if frame.starts_with('/') {
        "must not start with a slash"
    } else if frame.chars().any(|c| c.is_whitespace() || c.is_control()) {
        "must not hold white space or control characters"
    } else {
        return Ok(());
    };
    Err(NameError::Frame {
        field: field.to_owned(),
        name: frame.to_owned(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_resolved() {
        for (robot, requested, expected) in [
            ("bot", "", "/bot"),
            ("env0/bot", "", "/env0/bot"),
            ("bot", "/", "/"),
            ("bot", "fleet/a", "/fleet/a"),
            ("bot", "/fleet/a", "/fleet/a"),
        ] {
            assert_eq!(
                resolve_namespace(robot, requested).as_deref(),
                Ok(expected),
                "{robot:?} {requested:?}"
            );
        }
    }

    #[test]
    fn topics_are_resolved_below_the_namespace() {
        for (namespace, topic, expected) in [
            ("/bot", "scan", "/bot/scan"),
            ("/bot", "lidar/scan", "/bot/lidar/scan"),
            ("/bot", "/scan", "/scan"),
            ("/", "scan", "/scan"),
        ] {
            assert_eq!(
                resolve_topic("topic", namespace, topic).as_deref(),
                Ok(expected),
                "{namespace:?} {topic:?}"
            );
        }
    }

    #[test]
    fn bad_topics_are_refused_with_field_name_and_reason() {
        for (topic, reason) in [
            ("", "empty"),
            ("scan/", "end with a slash"),
            ("a//b", "two slashes"),
            ("2d", "digit"),
            ("front/2d", "digit"),
            ("sc an", "only letters"),
            ("~/scan", "only letters"),
            ("scän", "only letters"),
            ("scan\0", "only letters"),
        ] {
            let error = resolve_topic("sensors[0].topic", "/bot", topic).unwrap_err();
            let text = error.to_string();
            assert!(text.starts_with("sensors[0].topic is"), "{text}");
            assert!(text.contains(reason), "{topic:?}: {text}");
        }
        let long = "a".repeat(300);
        let error = resolve_topic("topic", "/bot", &long).unwrap_err();
        assert!(error.to_string().contains("247"), "{error}");
    }

    #[test]
    fn bad_namespaces_are_refused() {
        let error = resolve_namespace("my bot", "").unwrap_err();
        assert!(error.to_string().contains("robot's name"), "{error}");
        for bad in ["//", "/bot/", "/1bot", "/b-t"] {
            assert!(resolve_namespace("bot", bad).is_err(), "{bad:?} was taken");
        }
    }

    #[test]
    fn frames_have_no_leading_slash_and_no_space() {
        assert_eq!(check_frame("odom_frame", "bot/odom"), Ok(()));
        for bad in ["", "/odom", "od om", "odom\n", "\0"] {
            let error = check_frame("odom_frame", bad).unwrap_err();
            assert!(error.to_string().starts_with("odom_frame is"), "{error}");
        }
        assert_eq!(check_frame("odom_frame", &"o".repeat(255)), Ok(()));
        let error = check_frame("odom_frame", &"o".repeat(256)).unwrap_err();
        assert!(error.to_string().contains("at most 255 bytes"), "{error}");
    }
}
