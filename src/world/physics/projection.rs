//! The smallest change to what bodies want to do that satisfies their contacts.

use rapier2d::math::Vector;

/// Sweeps over all constraints after which an answer is taken as it is; a robot among
/// walls needs about 10.
pub(super) const MAX_SWEEPS: usize = 50;
/// The same where things are pushed: one of a tenth of the robot's mass before a wall needs
/// 200.
pub(super) const MAX_SWEEPS_PUSHED: usize = 400;
/// A sweep that changes nothing by more than this ends the search, metres.
const CONVERGED: f64 = 1e-9;

/// Overlaps up to this are left alone, metres.
pub(super) const TOLERATED_OVERLAP: f64 = 1e-6;

/// How easily a body moves: about the origin of its base frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mobility {
    /// 1 / kg.
    pub(super) inverse_mass: f64,
    /// 1 / (kg m2).
    pub(super) inverse_inertia: f64,
}

/// A small motion of a body in the world frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Displacement {
    /// Metres.
    pub(super) shift: Vector,
    /// Radians.
    pub(super) turn: f64,
}

/// One end of a constraint.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// Index of the body.
    pub(super) body: usize,
    /// Lever arm of the normal about the base frame's origin, metres.
    pub(super) arm: f64,
}

/// A contact point of body A that may approach body B, or the fixed world, only so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Constraint {
    pub(super) a: End,
    pub(super) b: Option<End>,
    /// Unit vector from B towards A.
    pub(super) normal: Vector,
    /// Metres between the two; negative when they overlap.
    pub(super) gap: f64,
    /// The most an overlap may be pushed apart at once, metres.
    pub(super) push: f64,
}

impl Constraint {
    /// By how much a set of motions parts the two.
    pub(super) fn parting(&self, motions: &[Displacement]) -> f64 {
        let along = |end: &End| {
            let motion = &motions[end.body];
            self.normal.dot(motion.shift) + end.arm * motion.turn
        };
        along(&self.a) - self.b.as_ref().map_or(0.0, along)
    }

    /// Whether the two overlap by more than what is left alone.
    pub(super) fn overlaps(&self) -> bool {
        self.gap < -TOLERATED_OVERLAP
    }

    fn compliance(&self, mobilities: &[Mobility]) -> f64 {
        let of = |end: &End| {
            let m = &mobilities[end.body];
            m.inverse_mass + m.inverse_inertia * end.arm * end.arm
        };
        of(&self.a) + self.b.as_ref().map_or(0.0, of)
    }

    fn apply(&self, impulse: f64, mobilities: &[Mobility], motions: &mut [Displacement]) {
        let mut add = |end: &End, impulse: f64| {
            let m = &mobilities[end.body];
            motions[end.body].shift += self.normal * (impulse * m.inverse_mass);
            motions[end.body].turn += end.arm * impulse * m.inverse_inertia;
        };
        add(&self.a, impulse);
        if let Some(b) = &self.b {
            add(b, -impulse);
        }
    }
}

/// Changes the motions as little as possible, weighed by mass, until every constraint
/// parts by at least what is required of it: contacts without friction, solved by
/// projected Gauss-Seidel in at most so many sweeps. Returns the impulse of each constraint, never negative, in kg m.
pub(super) fn project(
    constraints: &[Constraint],
    required: &[f64],
    mobilities: &[Mobility],
    motions: &mut [Displacement],
    sweeps: usize,
) -> Vec<f64> {
    let mut impulses = vec![0.0; constraints.len()];
    let compliances: Vec<f64> = constraints
        .iter()
        .map(|constraint| constraint.compliance(mobilities))
        .collect();
    for _ in 0..sweeps {
        let mut largest_change = 0.0_f64;
        for (i, constraint) in constraints.iter().enumerate() {
            let missing = required[i] - constraint.parting(motions);
            let impulse = (impulses[i] + missing / compliances[i]).max(0.0);
            let change = impulse - impulses[i];
            if change != 0.0 {
                constraint.apply(change, mobilities, motions);
                impulses[i] = impulse;
                largest_change = largest_change.max(change.abs() * compliances[i]);
            }
        }
        if largest_change <= CONVERGED {
            break;
        }
    }
    impulses
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: Mobility = Mobility {
        inverse_mass: 0.1,
        inverse_inertia: 1.0,
    };

    fn motion(x: f64, y: f64) -> Displacement {
        Displacement {
            shift: Vector::new(x, y),
            turn: 0.0,
        }
    }

    #[test]
    fn a_wall_takes_only_what_goes_into_it_beyond_the_gap() {
        let wall = Constraint {
            a: End { body: 0, arm: 0.0 },
            b: None,
            normal: Vector::Y,
            gap: 0.01,
            push: 0.0,
        };
        let mut motions = [motion(0.3, -0.05)];
        let impulses = project(&[wall], &[-wall.gap], &[BODY], &mut motions, 50);
        assert!(
            motions[0].shift.distance(Vector::new(0.3, -0.01)) < 1e-15,
            "{motions:?}"
        );
        // 10 kg by 0.04 m.
        assert!((impulses[0] - 0.4).abs() < 1e-12, "{impulses:?}");
    }

    #[test]
    fn equal_bodies_share_what_they_want() {
        let between = Constraint {
            a: End { body: 0, arm: 0.0 },
            b: Some(End { body: 1, arm: 0.0 }),
            normal: -Vector::X,
            gap: 0.0,
            push: 0.0,
        };
        let mut motions = [motion(0.1, 0.0), motion(-0.04, 0.0)];
        project(&[between], &[0.0], &[BODY, BODY], &mut motions, 50);
        for m in motions {
            assert!((m.shift.x - 0.03).abs() < 1e-15, "{m:?}");
        }
    }

    #[test]
    fn two_points_of_a_flat_side_stop_without_a_turn() {
        let point = |arm: f64| Constraint {
            a: End { body: 0, arm },
            b: None,
            normal: Vector::Y,
            gap: 0.0,
            push: 0.0,
        };
        let mut motions = [motion(0.0, -0.1)];
        project(
            &[point(-0.15), point(0.237)],
            &[0.0; 2],
            &[BODY],
            &mut motions,
            50,
        );
        assert!(motions[0].shift.length() < 1e-9, "{motions:?}");
        assert!(motions[0].turn.abs() < 1e-9, "{motions:?}");
    }
}
