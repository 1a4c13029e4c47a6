//! What the robot is and whether it is ready.

use std::fmt::Write;

use tonic::Response;

use super::super::proto::{GetRobotErrorCodeJsonResponse, IsReadyResponse, Result as Outcome};
use super::{Answer, Api};
use crate::kachaka::error_codes::{self, ErrorCode};

impl Api {
    /// Whether the robot takes commands; never waits.
    pub(super) fn ready(&self) -> Answer<IsReadyResponse> {
        self.watch.check_read()?;
        let ready = (*self.view.heard.borrow()).is_some_and(|heard| heard.ready);
        Ok(Response::new(IsReadyResponse { ready }))
    }

    /// All codes with their texts; needs no robot.
    pub(super) fn error_codes(&self) -> Answer<GetRobotErrorCodeJsonResponse> {
        Ok(Response::new(GetRobotErrorCodeJsonResponse {
            json: json(error_codes::ALL),
            result: Some(Outcome {
                success: true,
                error_code: 0,
            }),
        }))
    }
}

/// An array of objects, each with the seven keys that clients read.
fn json(codes: &[ErrorCode]) -> String {
    let mut json = String::from("[");
    for (index, error) in codes.iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        // Writing to a string can't fail.
        let _ = write!(json, "{{\"code\":{}", error.code);
        for (key, value) in error.texts() {
            let _ = write!(json, ",{}:{}", text(key), text(value));
        }
        json.push('}');
    }
    json.push(']');
    json
}

/// A string of JSON.
fn text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_the_seven_keys() {
        let json = json(error_codes::ALL);
        let keys = [
            "code",
            "title",
            "description",
            "title_en",
            "description_en",
            "error_type",
            "ref_url",
        ];
        let count = error_codes::ALL.len();
        for key in keys {
            let found = json.matches(&format!("\"{key}\":")).count();
            assert_eq!(found, count, "{key} in {json}");
        }
        for code in [10001, 10107, 12401, 13151, 21051] {
            assert!(
                json.contains(&format!("{{\"code\":{code},")),
                "{code} in {json}"
            );
        }
    }

    #[test]
    fn texts_are_quoted() {
        assert_eq!(text("a \"b\" \\ \n é"), "\"a \\\"b\\\" \\\\ \\u000a é\"");
    }
}
