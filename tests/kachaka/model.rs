//! The robot of `config/kachaka.yaml` against the defaults of its software.

use super::sim::MODEL;
use tatami::description::RobotDescription;
use tatami::drive::wheels::WheelFields;
use tatami::kachaka::KachakaConfig;

#[test]
fn the_model_spells_out_the_defaults() {
    assert_eq!(MODEL.onboard, "kachaka");
    let found = KachakaConfig::parse(&MODEL.onboard_config).unwrap();
    assert_eq!(found, KachakaConfig::default());
}

/// The body can go as fast as its software ever wants, and pushes with what its motors have.
#[test]
fn the_drive_of_the_model_has_room_for_its_software() {
    let (body, own) = (&MODEL.drive, KachakaConfig::default().drive);
    let found = [
        body.linear.low,
        body.linear.high,
        body.angular.low,
        body.angular.high,
    ];
    let (linear, angular) = (own.autonomous_linear, own.autonomous_angular);
    assert_eq!(found, [-linear, linear, -angular, angular]);
    assert_eq!(body.timeout, 0.0);
    let wheels = WheelFields::from(&body.wheels);
    assert_eq!(wheels.wheel_radius, [own.wheel_radius]);
    assert_eq!(wheels.wheel_base, own.wheel_separation);
    let traction = own.traction();
    assert!(
        (body.traction - traction).abs() < 1e-3,
        "{} for {traction}",
        body.traction
    );
}

/// Mass and inertia are those of the description, with each link's own about its centre.
#[test]
fn mass_and_inertia_are_those_of_the_description() {
    // Links of urdf/kachaka.urdf: kg, kg m² about z, and m from the middle between the wheels.
    // A wheel's axle lies along y: its inertia about z is that across the axle.
    let links = [
        (10.0, 0.1728075, 0.0435),
        (0.2, 1.1166666666666669e-4, 0.1),
        (0.2, 1.1166666666666669e-4, 0.1),
        (0.2, 6.25e-5, 0.0),
    ];
    let mass: f64 = links.iter().map(|(mass, ..)| mass).sum();
    let inertia: f64 = links.iter().map(|(mass, own, r)| own + mass * r * r).sum();
    let (description, _) = RobotDescription::parse(&MODEL.urdf).unwrap();
    let total = description.total_mass();
    assert!((total - mass).abs() < 1e-9, "{total} for {mass}");
    let drive = KachakaConfig::default().drive;
    assert!((drive.mass - mass).abs() < 1e-9, "{mass}");
    assert!((drive.inertia - inertia).abs() < 1e-3, "{inertia}");
}
