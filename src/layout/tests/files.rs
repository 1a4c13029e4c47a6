//! Files that a layout names, and files that hold none.

use super::*;
use crate::yaml::YamlError;

#[test]
fn files_that_a_layout_names_are_looked_for() {
    assert_refused(
        "robots:\n  - {name: bot, urdf: nowhere/bot.urdf, radius: 0.2}\n",
        "room.yaml:2:23: robots[0].urdf is \"nowhere/bot.urdf\": nowhere/bot.urdf: No such file or directory (os error 2)",
    );
    assert_refused(
        "robots:\n  - {name: bot, urdf: package://tatami/urdf/bot.urdf, radius: 0.2}\n",
        &format!(
            "room.yaml:2:23: robots[0].urdf is \"package://tatami/urdf/bot.urdf\": there is no urdf/bot.urdf in {}",
            checkout().display()
        ),
    );
    assert_refused(
        "robots:\n  - {name: bot, urdf: package://tatami, radius: 0.2}\n",
        "room.yaml:2:23: robots[0].urdf is \"package://tatami\": \
         a package path looks like package://tatami/urdf/kachaka.urdf",
    );
    assert_refused(
        "robots:\n  - name: k\n    model: kachak\n",
        "room.yaml:3:12: robots[0].model is \"kachak\", it must be a model; did you mean \"kachaka\"?",
    );
    let nowhere = LayoutReader::new(Packages::default());
    let error = nowhere.parse(
        "robots: [{name: k, model: kachaka}]",
        Path::new("room.yaml"),
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "room.yaml:1:27: robots[0].model is \"kachaka\": there is no package tatami \
         in AMENT_PREFIX_PATH or in the folders above this program or file"
    );
}

#[test]
fn a_description_that_is_none_is_refused() {
    let folder = Folder::new("description");
    std::fs::write(folder.0.join("bad.urdf"), "<robot name=\"bot\"><link").unwrap();
    let text = "robots: [{name: bot, urdf: bad.urdf, radius: 0.2}]";
    let error = reader()
        .parse(text, &folder.layout())
        .unwrap_err()
        .to_string();
    let start = format!(
        "{}:1:28: robots[0].urdf is \"bad.urdf\": ",
        folder.layout().display()
    );
    assert!(error.starts_with(&start), "{error}");
}

#[test]
fn errors_in_a_model_name_the_model_file() {
    let folder = Folder::new("model");
    let manifest = "<package format=\"3\"><name>tatami</name></package>";
    std::fs::write(folder.0.join("package.xml"), manifest).unwrap();
    std::fs::create_dir(folder.0.join("config")).unwrap();
    let model = folder.0.join("config/kachaka.yaml");
    let reader = LayoutReader::new(Packages::of_sources(&[&folder.0]));
    for (text, expected) in [
        (
            "radius: 0.2\nheigth: 1\n",
            ":2:1: unknown key \"heigth\" in model kachaka; did you mean \"height\"?",
        ),
        (
            "urdf: ../bot.urdf\nradius: 0\n",
            ":2:9: robots[0].radius is 0, it must be a radius above 0 m, at most 100 m",
        ),
    ] {
        std::fs::write(&model, text).unwrap();
        let error = reader.parse("robots: [{name: k, model: kachaka}]", &folder.layout());
        assert_eq!(
            error.unwrap_err().to_string(),
            format!("{}{expected}", model.display())
        );
    }
}

#[test]
fn files_that_hold_no_layout_are_refused() {
    let folder = Folder::new("files");
    let path = folder.layout();
    let shown = path.display();
    let load = || reader().load(&path).unwrap_err().to_string();
    assert_eq!(
        load(),
        format!("{shown}: No such file or directory (os error 2)")
    );
    std::fs::write(&path, "").unwrap();
    let empty = format!(
        "{shown}: the file is empty, a layout has at least one of: floors, outlines, boxes, doors, drops, elevators, chargers, shelves, people, robots, locations, default_location, seed, clearance"
    );
    assert_eq!(load(), empty);
    std::fs::write(&path, "# only a comment\n").unwrap();
    assert_eq!(load(), empty);
    std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(
        load(),
        format!("{shown}: stream did not contain valid UTF-8")
    );
    let error = reader().load(&folder.0).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}: it is not a regular file", folder.0.display())
    );
}

#[test]
fn a_file_holds_one_document_and_each_key_once() {
    assert_refused(
        "boxes: []\n---\nboxes: []\n",
        "room.yaml:3:1: a file holds one YAML document, there must be no second one behind ---",
    );
    let twice = Layout::parse("boxes: []\nboxes: []\n", Path::new("room.yaml"));
    let error = twice.unwrap_err().to_string();
    assert!(error.ends_with("duplicate mapping key: boxes"), "{error}");
}

#[test]
fn broken_yaml_is_refused_with_its_place() {
    assert_refused(
        "boxes:\n  - {name: a\nfloors: []\n",
        "room.yaml:2:5: unclosed bracket '{'",
    );
    let places = [
        ("boxes: []\nfloors: []\nboxes: []\n", "room.yaml:3:1: "),
        ("boxes: *nothing\n", "room.yaml:1:8: "),
        ("boxes: []\n---\nboxes: []\n", "room.yaml:3:1: "),
        ("boxes: [\tx: ]: y\n", "room.yaml:1:"),
    ];
    for (text, start) in places {
        let error = reader()
            .parse(text, Path::new("room.yaml"))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(start), "{error}");
        assert!(
            !error.contains(" at line "),
            "the place stands there twice: {error}"
        );
    }
}

#[test]
fn a_yaml_bomb_is_refused_at_once() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        text.push_str(&format!("a{level}: &a{level} [{below}]\n"));
    }
    let error = reader().parse(&text, Path::new("room.yaml")).unwrap_err();
    assert!(
        matches!(error, LayoutError::Yaml(YamlError::Syntax { .. })),
        "{error}"
    );
    let deep = "[".repeat(100_000);
    let error = reader().parse(&deep, Path::new("room.yaml")).unwrap_err();
    assert!(
        matches!(error, LayoutError::Yaml(YamlError::Syntax { .. })),
        "{error}"
    );
}
