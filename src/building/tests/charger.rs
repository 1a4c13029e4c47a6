//! Chargers: an L of a panel that stops and a plate that does not, and who charges.

use super::*;

fn charger() -> ChargerSpec {
    ChargerSpec::new("home", Pose2::new(1.0, 2.0, 0.5))
}

#[test]
fn a_docked_robot_stands_before_the_panel_and_on_the_plate() {
    let parts = charger().parts();
    let [panel, plate] = &parts[..] else {
        panic!("{parts:?}");
    };
    assert_eq!(
        (panel.solidity, plate.solidity),
        (Solidity::Stops, Solidity::Seen)
    );
    let of = |part: &Part| bounds(std::slice::from_ref(part), Pose2::default());
    // The rear of a Kachaka is at x = -0.15, its lidar 0.1049 m high.
    for (found, expected) in of(panel).into_iter().zip([-0.21, -0.16, -0.12, 0.12]) {
        assert_near(found, expected, 1e-12);
    }
    assert!(panel.z.contains(0.1049), "{:?}", panel.z);
    for (found, expected) in of(plate).into_iter().zip([-0.16, -0.01, -0.12, 0.12]) {
        assert_near(found, expected, 1e-12);
    }
    assert!(plate.z.max < 0.01, "{:?}", plate.z);
}

#[test]
fn a_robot_charges_within_4_cm_and_0_15_rad_of_the_docked_pose() {
    let cases = [
        (0.0, 0.0, 0.0, true),
        (0.039, 0.0, 0.149, true),
        (-0.028, 0.028, -0.149, true),
        (0.041, 0.0, 0.0, false),
        (0.029, -0.029, 0.0, false),
        (0.0, 0.0, 0.151, false),
        (0.0, 0.0, -0.151, false),
        (0.0, 0.0, std::f64::consts::PI, false),
    ];
    for (x, y, yaw, expected) in cases {
        let robot = charger().pose.compose(&Pose2::new(x, y, yaw));
        assert_eq!(charger().charges(&robot), expected, "at ({x}, {y}, {yaw})");
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let cases: Vec<(ChargerSpec, &[&str])> = vec![
        (
            ChargerSpec {
                name: String::new(),
                ..charger()
            },
            &["charger name ''"],
        ),
        (
            ChargerSpec {
                panel: [0.0, 0.2, 0.2],
                ..charger()
            },
            &["charger 'home'", "panel.x is 0", "above 0"],
        ),
        (
            ChargerSpec {
                plate: [0.1, 0.2, f64::NAN],
                ..charger()
            },
            &["plate.z is NaN"],
        ),
        (
            ChargerSpec {
                tolerance: -0.04,
                ..charger()
            },
            &["tolerance is -0.04"],
        ),
        (
            ChargerSpec {
                angle_tolerance: 4.0,
                ..charger()
            },
            &["angle_tolerance is 4", "3.2 rad"],
        ),
        (
            ChargerSpec {
                panel_distance: -1.0,
                ..charger()
            },
            &["panel_distance is -1"],
        ),
        (
            ChargerSpec {
                pose: Pose2::new(2e6, 0.0, 0.0),
                ..charger()
            },
            &["x is 2000000", "within 1e6"],
        ),
    ];
    for (spec, words) in cases {
        assert_refused(spec.check(), words);
    }
    assert_eq!(charger().check(), Ok(()));
}
