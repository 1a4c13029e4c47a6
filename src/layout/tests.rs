//! What layouts are read as, and every way in which one can be wrong, with the text that its
//! author reads.

use std::path::PathBuf;

use super::*;

mod files;
mod onboard;
mod placement;
mod reading;
mod robots;
mod values;
mod wheels;

const BOT: &str = r#"<robot name="bot">
  <link name="base_link"/>
  <link name="eye"/>
  <joint name="eye_joint" type="fixed"><parent link="base_link"/><child link="eye"/></joint>
</robot>"#;

/// A folder of its own with a description in it, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("tatami-layout-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("bot.urdf"), BOT).unwrap();
        Self(folder)
    }

    fn layout(&self) -> PathBuf {
        self.0.join("room.yaml")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn reader() -> LayoutReader {
    LayoutReader::new(Packages::of_sources(&[checkout()]))
}

fn parse(text: &str) -> Layout {
    match reader().parse(text, Path::new("room.yaml")) {
        Ok(layout) => layout,
        Err(error) => panic!("{error}"),
    }
}

#[track_caller]
fn assert_refused(text: &str, expected: &str) {
    let found = match reader().parse(text, Path::new("room.yaml")) {
        Ok(layout) => format!("accepted: {layout:?}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected, "\nfor:\n{text}");
}

/// The error of a robot with these lines, which starts in line 2 of a layout beside `bot.urdf`.
#[track_caller]
fn assert_robot_refused(name: &str, lines: &str, expected: &str) {
    let folder = Folder::new(name);
    let text = format!("robots:\n  - name: bot\n    urdf: bot.urdf\n{lines}");
    let found = match reader().parse(&text, &folder.layout()) {
        Ok(layout) => format!("accepted: {layout:?}"),
        Err(error) => error.to_string(),
    };
    let start = format!("{}/", folder.0.display());
    assert_eq!(found.replace(&start, ""), expected, "\nfor:\n{text}");
}
