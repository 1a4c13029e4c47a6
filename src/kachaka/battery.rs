//! Charge and consumption.

use super::{BatteryConfig, DriveConfig, seconds};
use crate::world::{PhysicsDt, Twist2};

const JOULES_PER_WATT_HOUR: f64 = 3600.0;

/// What the robot does in a step, as far as it costs power.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    /// Twist of the base.
    pub twist: Twist2,
    /// Acceleration along x, m/s².
    pub linear_accel: f64,
    /// Acceleration about z, rad/s².
    pub angular_accel: f64,
    /// Whether it carries a shelf.
    pub towing: bool,
    /// Whether it stands on its charger.
    pub charging: bool,
}

impl Load {
    /// The load of a step that changed the twist from one to another.
    #[must_use]
    pub fn of_step(before: Twist2, after: Twist2, dt: PhysicsDt) -> Self {
        Self {
            twist: after,
            linear_accel: (after.x - before.x) / dt.seconds(),
            angular_accel: (after.angular - before.angular) / dt.seconds(),
            towing: false,
            charging: false,
        }
    }
}

/// A battery that a model of the consumption empties.
///
/// It loses idle power, a loss that grows with the speed of the wheels' rims, and what the
/// motors need to accelerate mass and inertia; braking gives nothing back. It changes once
/// in a period, by the mean power since the last change. On the charger the power is
/// constant up to a level, then falls with what is missing down to a floor, so that the
/// battery gets full.
#[derive(Debug, Clone, PartialEq)]
pub struct Battery {
    config: BatteryConfig,
    drive: DriveConfig,
    /// 0 to 1.
    level: f64,
    /// J taken since the last change, below 0 for a charge.
    taken: f64,
    /// Nanoseconds since the last change.
    since: u64,
}

impl Battery {
    /// A battery with its initial charge, in a robot with these motors.
    #[must_use]
    pub fn new(config: &BatteryConfig, drive: &DriveConfig) -> Self {
        Self {
            config: config.clone(),
            drive: drive.clone(),
            level: config.initial,
            taken: 0.0,
            since: 0,
        }
    }

    /// Takes in a step.
    pub fn update(&mut self, load: Load, dt: PhysicsDt) {
        let power = if load.charging {
            -self.charging_power()
        } else {
            self.power(&load)
        };
        self.taken += power * dt.seconds();
        self.since += dt.nanoseconds();
        if self.since >= seconds(self.config.period) {
            let share = self.taken / (self.config.capacity * JOULES_PER_WATT_HOUR);
            self.level = (self.level - share).clamp(0.0, 1.0);
            (self.taken, self.since) = (0.0, 0);
        }
    }

    /// Power that a load takes off the charger, W.
    #[must_use]
    pub fn power(&self, load: &Load) -> f64 {
        let Twist2 { x, angular, .. } = load.twist;
        let half_track = 0.5 * self.drive.wheel_separation;
        let rims = [x - angular * half_track, x + angular * half_track];
        // The force of each wheel, together for the mass, apart for the inertia.
        let straight = 0.5 * self.drive.mass * load.linear_accel;
        let turning = 0.5 * self.drive.inertia * load.angular_accel / half_track;
        let most = self.drive.wheel_torque / self.drive.wheel_radius;
        let forces = [straight - turning, straight + turning].map(|f| f.clamp(-most, most));
        let mechanical: f64 = (rims.iter().zip(forces))
            .map(|(rim, force)| (rim * force).max(0.0))
            .sum();
        let rolling = self.config.rolling_loss * (rims[0].abs() + rims[1].abs());
        let factor = if load.towing {
            self.config.towing_factor
        } else {
            1.0
        };
        self.config.idle_power + factor * rolling + mechanical / self.config.motor_efficiency
    }

    /// Power into the battery on the charger, W.
    fn charging_power(&self) -> f64 {
        let BatteryConfig {
            charge_power,
            cv_level,
            charge_floor,
            ..
        } = self.config;
        if self.level < cv_level {
            return charge_power;
        }
        let missing = (1.0 - self.level) / (1.0 - cv_level).max(f64::MIN_POSITIVE);
        (charge_power * missing).max(charge_floor)
    }

    /// Its charge in percent.
    #[must_use]
    pub fn percentage(&self) -> f64 {
        100.0 * self.level
    }

    /// Whether it should be charged soon.
    #[must_use]
    pub fn is_low(&self) -> bool {
        self.level < self.config.low
    }

    /// Whether nothing of use is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.level < self.config.empty || self.is_flat()
    }

    /// Whether nothing at all is left: motors and computer have no power.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.level <= 0.0
    }

    /// With its initial charge again.
    pub fn reset(&mut self) {
        self.level = self.config.initial;
        (self.taken, self.since) = (0.0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round numbers: 36 kJ, no shelf's factor lower than 1.
    fn config() -> BatteryConfig {
        BatteryConfig {
            capacity: 10.0,
            idle_power: 10.0,
            rolling_loss: 20.0,
            towing_factor: 3.0,
            motor_efficiency: 0.5,
            charge_power: 40.0,
            charge_floor: 2.0,
            ..BatteryConfig::default()
        }
    }

    /// 10 kg and 0.2 kg m² on wheels 0.2 m apart.
    fn drive() -> DriveConfig {
        DriveConfig {
            mass: 10.0,
            inertia: 0.2,
            ..DriveConfig::default()
        }
    }

    fn battery(initial: f64) -> Battery {
        let config = BatteryConfig {
            initial,
            ..config()
        };
        Battery::new(&config, &drive())
    }

    fn dt() -> PhysicsDt {
        PhysicsDt::from_seconds(0.01).unwrap()
    }

    fn run(battery: &mut Battery, load: Load, seconds: u32) {
        for _ in 0..100 * seconds {
            battery.update(load, dt());
        }
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64, within: f64) {
        assert!(
            (found - expected).abs() <= within,
            "{found}, expected {expected}"
        );
    }

    #[test]
    fn standing_still_takes_the_idle_power() {
        let mut battery = battery(1.0);
        run(&mut battery, Load::default(), 600);
        // 6 kJ of 36 kJ.
        assert_near(battery.percentage(), 100.0 * (1.0 - 6.0 / 36.0), 1e-9);
    }

    #[test]
    fn losses_grow_with_the_speed_of_the_rims_and_with_a_shelf() {
        let battery = battery(1.0);
        let power = |x, angular, towing| {
            battery.power(&Load {
                twist: Twist2::new(x, 0.0, angular),
                towing,
                ..Load::default()
            })
        };
        // Straight on both rims go at 0.5 m/s, on the spot at 0.1 m/s for 1 rad/s.
        assert_near(power(0.5, 0.0, false), 10.0 + 20.0 * 1.0, 1e-12);
        assert_near(power(-0.5, 0.0, false), 10.0 + 20.0 * 1.0, 1e-12);
        assert_near(power(0.0, 1.0, false), 10.0 + 20.0 * 0.2, 1e-12);
        // One wheel stands, the other goes at 0.2 m/s.
        assert_near(power(0.1, 1.0, false), 10.0 + 20.0 * 0.2, 1e-12);
        assert_near(power(0.5, 0.0, true), 10.0 + 3.0 * 20.0, 1e-12);
    }

    #[test]
    fn motors_turn_power_into_motion_and_get_none_back() {
        let battery = battery(1.0);
        let extra = |x, linear_accel, angular, angular_accel| {
            let twist = Twist2::new(x, 0.0, angular);
            let load = Load {
                twist,
                linear_accel,
                angular_accel,
                ..Load::default()
            };
            battery.power(&load)
                - battery.power(&Load {
                    twist,
                    ..Load::default()
                })
        };
        // 10 kg at 2 m/s² and 0.5 m/s: 10 W, by half the efficiency 20 W.
        assert_near(extra(0.5, 2.0, 0.0, 0.0), 20.0, 1e-12);
        assert_near(extra(0.5, -2.0, 0.0, 0.0), 0.0, 1e-12);
        assert_near(extra(-0.5, -2.0, 0.0, 0.0), 20.0, 1e-12);
        // 0.2 kg m² at 3 rad/s² and 1 rad/s: 0.6 W.
        assert_near(extra(0.0, 0.0, 1.0, 3.0), 1.2, 1e-12);
        // A bend: the wheels push with 10 N less and more 3 N, and roll at 0.4 and 0.6 m/s.
        assert_near(
            extra(0.5, 2.0, 1.0, 3.0),
            2.0 * (7.0 * 0.4 + 13.0 * 0.6),
            1e-12,
        );
        // No more than both motors have: 2 Nm on 0.045 m.
        assert_near(
            extra(0.5, 1000.0, 0.0, 0.0),
            2.0 * 0.5 * 2.0 * 2.0 / 0.045,
            1e-9,
        );
    }

    /// Energy of motion, whatever the step: 0 to 0.6 m/s with 10 kg is 1.8 J.
    #[test]
    fn speeding_up_costs_the_energy_of_motion() {
        let mut energy = 0.0;
        let mut before = Twist2::ZERO;
        let fine = PhysicsDt::from_seconds(0.0005).unwrap();
        let battery = battery(1.0);
        for step in 1..=600 {
            let after = Twist2::new(f64::from(step) * 0.001, 0.0, 0.0);
            let moving = battery.power(&Load::of_step(before, after, fine));
            let rolling = battery.power(&Load {
                twist: after,
                ..Load::default()
            });
            energy += (moving - rolling) * fine.seconds();
            before = after;
        }
        // Speed at the end of a step counts: half a step's change more.
        assert_near(energy, 2.0 * 1.8, 2.0 * 10.0 * 0.6 * 0.0005 + 1e-9);
    }

    #[test]
    fn it_changes_once_a_second_by_the_mean_power() {
        let mut battery = battery(1.0);
        let fast = Load {
            twist: Twist2::new(0.5, 0.0, 0.0),
            ..Load::default()
        };
        for step in 0..99 {
            let load = if step < 50 { fast } else { Load::default() };
            battery.update(load, dt());
            assert_near(battery.percentage(), 100.0, 0.0);
        }
        battery.update(Load::default(), dt());
        // Half a second of 30 W and half of 10 W.
        assert_near(battery.percentage(), 100.0 * (1.0 - 20.0 / 36_000.0), 1e-9);
    }

    #[test]
    fn it_is_low_then_empty_and_never_below_nothing() {
        let mut battery = battery(0.1501);
        assert!(!battery.is_low() && !battery.is_empty());
        run(&mut battery, Load::default(), 60);
        assert!(battery.is_low() && !battery.is_empty());
        run(&mut battery, Load::default(), 600);
        assert!(battery.is_low() && battery.is_empty() && battery.is_flat());
        assert_near(battery.percentage(), 0.0, 0.0);
        battery.reset();
        assert!(!battery.is_flat());
        assert_near(battery.percentage(), 15.01, 1e-9);
    }

    #[test]
    fn on_the_charger_the_power_is_constant_then_falls_with_what_is_missing() {
        let charging = Load {
            charging: true,
            ..Load::default()
        };
        let mut battery = battery(0.5);
        run(&mut battery, charging, 180);
        // 40 W for 180 s are 7.2 kJ, a fifth.
        assert_near(battery.percentage(), 70.0, 1e-9);
        run(&mut battery, charging, 90);
        assert_near(battery.percentage(), 80.0, 1e-6);
        // What is missing falls by e in 0.2 * 36 kJ / 40 W = 180 s; second by second.
        run(&mut battery, charging, 180);
        let expected = 100.0 * (1.0 - 0.2 * (-1.0_f64).exp());
        assert_near(battery.percentage(), expected, 0.05);
        // The floor of 2 W is reached at 1 % missing, 360 J, and fills it in 180 s.
        run(&mut battery, charging, 180 * 3);
        assert_near(battery.percentage(), 100.0, 0.0);
    }
    /// The default battery from 20 % to full against the solution of the charging curve: with
    /// E of 74 Wh and P of 40 W constant power until 80 %, then what is missing falls by e in
    /// 0.2 E / P until P is 2 W at 1 % missing, then 2 W to the end.
    #[test]
    fn it_charges_from_20_percent_to_full_along_the_curve() {
        let config = BatteryConfig {
            initial: 0.2,
            ..BatteryConfig::default()
        };
        let mut battery = Battery::new(&config, &DriveConfig::default());
        let energy = 74.0 * 3600.0;
        let constant = 0.6 * energy / 40.0;
        let decay = 0.2 * energy / 40.0;
        let falling = decay * 20.0_f64.ln();
        let ending = 0.01 * energy / 2.0;
        let expected = |time: f64| {
            if time <= constant {
                0.2 + 40.0 * time / energy
            } else if time <= constant + falling {
                1.0 - 0.2 * (-(time - constant) / decay).exp()
            } else {
                (0.99 + 2.0 * (time - constant - falling) / energy).min(1.0)
            }
        };
        let load = Load {
            charging: true,
            ..Load::default()
        };
        let step = PhysicsDt::from_seconds(0.1).unwrap();
        let mut full_after = None;
        for second in 1..=10_000_u32 {
            for _ in 0..10 {
                battery.update(load, step);
            }
            let time = f64::from(second);
            assert_near(battery.percentage(), 100.0 * expected(time), 0.02);
            if full_after.is_none() && battery.percentage() >= 100.0 {
                full_after = Some(time);
            }
        }
        let full_after = full_after.expect("it gets full");
        assert_near(full_after, constant + falling + ending, 5.0);
    }
}
