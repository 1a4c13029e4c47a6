//! Moves the bodies of one island for a step among what is near them.
//!
//! A step is cut into parts so short that contacts can be taken as straight. In each part
//! every body first wants the motion of its command, what is pushed none; contacts then take away what leads
//! into something beyond the gap that is left, so nothing is ever passed through. Overlaps
//! (from a teleport, or a box moved into a robot) are pushed apart slowly and apart from
//! that, so that they give nobody speed.

use rapier2d::math::Vector;

use super::body::{Body, BodyPiece};
use super::convex::Convex;
use super::exposure::is_exposed;
use super::obstacles::{Obstacles, Piece};
use super::projection::{
    Constraint, Displacement, End, MAX_SWEEPS, MAX_SWEEPS_PUSHED, Mobility, TOLERATED_OVERLAP,
    project,
};
use super::redundancy;
use super::separation::{Axis, ContactPoint, Moving, contact_axes, contact_points, foremost};
use crate::world::pose::sinc;
use crate::world::{Pose2, Twist2, normalize_angle};

/// How fast an overlap is pushed apart, m/s.
const PUSH_OUT_SPEED: f64 = 0.2;
/// The most a push-out turns a robot per metre of it, rad/m: 1 rad/s at [`PUSH_OUT_SPEED`].
const PUSH_OUT_TURN: f64 = 5.0;
/// The farthest a robot goes within one part of a step, metres.
const PART_TRAVEL: f64 = 0.02;
/// The most a robot turns within one part, rad.
const PART_TURN: f64 = 0.05;
/// The farthest a corner may be from its straight path within one part, metres.
const PART_SAGITTA: f64 = 2.5e-4;
/// Parts of one step. Who is faster than this allows among obstacles, turns slower.
const MAX_PARTS: u32 = 512;
/// Added to distances up to which things are looked at, metres.
const SLACK: f64 = 1e-3;

struct Member<'a> {
    body: Body,
    nearby: Vec<&'a Piece>,
    largest_turn: f64,
    /// Its pieces in the world.
    placed: Vec<Placed>,
    /// Body velocities of all parts, summed.
    twists: Twist2,
    /// A contact changed its velocity.
    stopped: bool,
    /// It is not where its command alone would have taken it.
    diverted: bool,
}

/// A piece in the world, at the start of a part and after its free motion.
#[derive(Clone, Default)]
struct Placed {
    start: Convex,
    end: Convex,
}

impl Placed {
    fn moving(&self) -> Moving<'_> {
        Moving {
            start: &self.start,
            end: &self.end,
        }
    }
}

/// Moves the bodies with these indices, who move at most `travel` metres, for `dt` seconds.
pub(super) fn move_island(
    bodies: &mut [Body],
    members: &[usize],
    travel: f64,
    obstacles: &Obstacles,
    dt: f64,
) {
    let distance = looking_distance(travel, dt);
    let mut nearby = Vec::new();
    if let [index] = *members {
        let body = &bodies[index];
        obstacles.near_body(body, distance, &mut nearby);
        if nearby.is_empty() {
            bodies[index].move_freely(dt);
            return;
        }
    }
    let mut island: Vec<Member<'_>> = members
        .iter()
        .map(|index| {
            let body = &bodies[*index];
            obstacles.near_body(body, distance, &mut nearby);
            Member::new(body, nearby.clone())
        })
        .collect();
    let parts = parts_of_step(&island, dt);
    let mut part = Part::new(&island, dt / f64::from(parts), travel / f64::from(parts));
    for _ in 0..parts {
        part.take(&mut island);
    }
    for (index, member) in members.iter().zip(island) {
        bodies[*index] = member.finish(&bodies[*index], parts, dt);
    }
}

/// The most a body may be moved in a step: by its command, and by what was carried into its
/// way.
pub(super) fn travel(body: &Body, obstacles: &Obstacles, dt: f64) -> f64 {
    let own = body.travel(dt);
    own + obstacles.carry_near(body.bounds(), looking_distance(own, dt), &body.z)
}

/// How far around a body things can concern it in a step.
fn looking_distance(travel: f64, dt: f64) -> f64 {
    travel + PUSH_OUT_SPEED * dt + SLACK
}

impl Obstacles {
    /// What stops a body within some metres of it.
    fn near_body<'a>(&'a self, body: &Body, distance: f64, out: &mut Vec<&'a Piece>) {
        self.near(body.bounds(), distance, &body.z, out);
        out.retain(|piece| !piece.touch_only);
    }
}

fn parts_of_step(island: &[Member<'_>], dt: f64) -> u32 {
    let most = island.iter().fold(1.0_f64, |most, member| {
        let Twist2 { x, y, angular } = member.body.command;
        most.max(libm::hypot(x, y) * dt / PART_TRAVEL)
            .max(angular.abs() * dt / member.largest_turn)
    });
    // The comparison with a rounding margin keeps 1.0000000001 from becoming two.
    (libm::ceil(most - 1e-9) as u32).clamp(1, MAX_PARTS)
}

impl<'a> Member<'a> {
    fn new(body: &Body, nearby: Vec<&'a Piece>) -> Self {
        Self {
            largest_turn: PART_TURN.min(libm::sqrt(2.0 * PART_SAGITTA / body.reach)),
            placed: vec![Placed::default(); body.pieces.len()],
            twists: Twist2::ZERO,
            stopped: false,
            diverted: false,
            nearby,
            body: body.clone(),
        }
    }

    /// Whether it may have pieces so small that contacts need their [`foremost`] points.
    fn is_fine(&self) -> bool {
        self.body.pushed.is_some() || self.body.pieces.len() > 1
    }

    /// Its pieces that stop others, each with its places.
    fn stopping(&self) -> impl Iterator<Item = (&BodyPiece, &Placed)> {
        let pieces = self.body.pieces.iter().zip(&self.placed);
        pieces.filter(|(piece, _)| !piece.touch_only)
    }

    /// The motion its command asks for within `dt` seconds, and the shapes at both ends.
    fn intend(&mut self, dt: f64) -> Displacement {
        let mut twist = self.body.command;
        let turn = twist.angular * dt;
        if turn.abs() > self.largest_turn * (1.0 + 1e-6) {
            twist.angular = self.largest_turn.copysign(turn) / dt;
            self.stopped = true;
        }
        let pose = &self.body.pose;
        let half = 0.5 * twist.angular * dt;
        let (sin, cos) = libm::sincos(pose.yaw + half);
        let chord = Vector::new(twist.x, twist.y) * (sinc(half) * dt);
        let wanted = Displacement {
            shift: Vector::new(cos, sin).rotate(chord),
            turn: twist.angular * dt,
        };
        let after = displaced(pose, &wanted);
        for (piece, placed) in self.body.pieces.iter().zip(&mut self.placed) {
            placed.start.place(&piece.shape, pose);
            placed.end.place(&piece.shape, &after);
        }
        wanted
    }

    /// Makes a motion of `dt` seconds, and a push-out that counts as none.
    fn make(&mut self, motion: &Displacement, push: &Displacement, dt: f64) {
        let half = 0.5 * motion.turn;
        let (sin, cos) = libm::sincos(self.body.pose.yaw + half);
        let body = Vector::new(cos, -sin).rotate(motion.shift) / (sinc(half) * dt);
        self.twists.x += body.x;
        self.twists.y += body.y;
        self.twists.angular += motion.turn / dt;
        let moved = displaced(&self.body.pose, motion);
        self.body.pose = displaced(&moved, push);
    }

    /// The body after the step. Where contacts changed nothing, it is exactly where its
    /// command leads; a result out of the range of numbers is not taken.
    fn finish(mut self, before: &Body, parts: u32, dt: f64) -> Body {
        if !self.stopped && !self.diverted {
            self.body.pose = before.pose;
            self.body.move_freely(dt);
            return self.body;
        }
        let parts = f64::from(parts);
        self.body.twist = if self.stopped {
            let Twist2 { x, y, angular } = self.twists;
            Twist2::new(x / parts, y / parts, angular / parts)
        } else {
            self.body.command
        };
        if !self.body.pose.is_finite() || !self.body.twist.is_finite() {
            self.body.pose = before.pose;
            self.body.twist = Twist2::ZERO;
        }
        self.body
    }
}

fn displaced(pose: &Pose2, by: &Displacement) -> Pose2 {
    Pose2::new(
        pose.x + by.shift.x,
        pose.y + by.shift.y,
        normalize_angle(pose.yaw + by.turn),
    )
}

/// One part of a step and what it needs in memory.
struct Part {
    dt: f64,
    /// The farthest gap that can close within the part, metres: when both sides move.
    closing: f64,
    mobilities: Vec<Mobility>,
    motions: Vec<Displacement>,
    constraints: Vec<Constraint>,
    axes: Vec<Axis>,
    sweeps: usize,
}

impl Part {
    fn new(island: &[Member<'_>], dt: f64, travel: f64) -> Self {
        let carry = island
            .iter()
            .flat_map(|member| &member.nearby)
            .fold(0.0_f64, |most, piece| most.max(piece.carried));
        let pushes = island.iter().any(|member| member.body.pushed.is_some());
        Self {
            dt,
            sweeps: if pushes {
                MAX_SWEEPS_PUSHED
            } else {
                MAX_SWEEPS
            },
            closing: 2.0 * travel + carry + PUSH_OUT_SPEED * dt + SLACK,
            mobilities: island.iter().map(|m| m.body.mobility).collect(),
            motions: Vec::new(),
            constraints: Vec::new(),
            axes: Vec::new(),
        }
    }

    fn take(&mut self, island: &mut [Member<'_>]) {
        self.motions.clear();
        for member in island.iter_mut() {
            self.motions.push(member.intend(self.dt));
        }
        self.constraints.clear();
        for i in 0..island.len() {
            self.meet_obstacles(i, &island[i]);
            for j in i + 1..island.len() {
                self.meet_body(i, &island[i], j, &island[j]);
            }
        }
        let pushes = self.solve(island);
        for (i, member) in island.iter_mut().enumerate() {
            member.make(&self.motions[i], &pushes[i], self.dt);
        }
    }

    fn meet_obstacles(&mut self, i: usize, member: &Member<'_>) {
        let closing = self.closing;
        for (own, placed) in member.stopping() {
            let bounds = placed.start.bounds();
            let concerns =
                |piece: &&Piece| piece.z.overlaps(&own.z) && piece.box_meets(bounds, closing);
            for piece in member.nearby.iter().copied().filter(concerns) {
                let beside = member.nearby.iter().copied();
                let beside = beside.filter(|other| other.z.overlaps(&own.z));
                self.meet_piece((i, member), placed, piece, beside);
            }
        }
    }

    /// Takes the contacts between a piece of a body and one of an obstacle that has others
    /// beside it.
    fn meet_piece<'p>(
        &mut self,
        (i, member): (usize, &Member<'_>),
        placed: &Placed,
        piece: &'p Piece,
        beside: impl Iterator<Item = &'p Piece> + Clone,
    ) {
        let still = Moving::still(&piece.shape);
        contact_axes(placed.moving(), still, self.closing, &mut self.axes);
        let (position, fine) = (member.body.position(), member.is_fine());
        let push = PUSH_OUT_SPEED * self.dt + piece.carried;
        for axis in &self.axes {
            let before = self.constraints.len();
            for point in meeting_points(&placed.start, &piece.shape, axis, fine) {
                let surface = point.on_b + axis.normal * piece.shape.radius;
                if is_exposed(piece, surface, axis.normal, beside.clone()) {
                    self.constraints.push(Constraint {
                        a: end_of(i, position, point.on_a, axis.normal),
                        b: None,
                        normal: axis.normal,
                        gap: point.gap,
                        push,
                    });
                }
            }
            if self.constraints.len() > before {
                break;
            }
        }
    }

    fn meet_body(&mut self, i: usize, a: &Member<'_>, j: usize, b: &Member<'_>) {
        let (at_a, at_b) = (a.body.position(), b.body.position());
        let close = a.body.reach + b.body.reach + self.closing;
        if at_a.distance(at_b) > close || !a.body.z.overlaps(&b.body.z) {
            return;
        }
        let fine = a.is_fine() || b.is_fine();
        for (own, placed) in a.stopping() {
            let concerns = |other: &(&BodyPiece, &Placed)| own.z.overlaps(&other.0.z);
            for (_, other) in b.stopping().filter(concerns) {
                contact_axes(
                    placed.moving(),
                    other.moving(),
                    self.closing,
                    &mut self.axes,
                );
                let Some(axis) = self.axes.first() else {
                    continue;
                };
                for point in meeting_points(&placed.start, &other.start, axis, fine) {
                    self.constraints.push(Constraint {
                        a: end_of(i, at_a, point.on_a, axis.normal),
                        b: Some(end_of(j, at_b, point.on_b, axis.normal)),
                        normal: axis.normal,
                        gap: point.gap,
                        push: PUSH_OUT_SPEED * self.dt,
                    });
                }
            }
        }
    }

    /// Bends the motions to the constraints; returns the push-outs.
    fn solve(&mut self, island: &mut [Member<'_>]) -> Vec<Displacement> {
        let mut pushes = vec![Displacement::default(); island.len()];
        if self.constraints.is_empty() {
            return pushes;
        }
        redundancy::remove(&mut self.constraints);
        // The deepest first: what comes last in a sweep holds best, and that shall be those
        // that are still intact.
        self.constraints.sort_by(|p, q| p.gap.total_cmp(&q.gap));
        let allowed: Vec<f64> = self.constraints.iter().map(|c| -c.gap.max(0.0)).collect();
        let impulses = project(
            &self.constraints,
            &allowed,
            &self.mobilities,
            &mut self.motions,
            self.sweeps,
        );
        for (constraint, impulse) in self.constraints.iter().zip(&impulses) {
            if *impulse > 0.0 {
                for end in [Some(constraint.a), constraint.b].into_iter().flatten() {
                    island[end.body].stopped = true;
                    island[end.body].diverted = true;
                }
            }
        }
        self.push_apart(island, &mut pushes);
        pushes
    }

    fn push_apart(&self, island: &mut [Member<'_>], pushes: &mut [Displacement]) {
        let gaps: Vec<f64> = self
            .constraints
            .iter()
            .map(|c| c.gap + c.parting(&self.motions))
            .collect();
        if gaps.iter().all(|gap| *gap >= -TOLERATED_OVERLAP) {
            return;
        }
        let mut most = 0.0_f64;
        let required: Vec<f64> = self
            .constraints
            .iter()
            .zip(&gaps)
            .map(|(constraint, gap)| {
                if *gap < -TOLERATED_OVERLAP {
                    most = most.max(constraint.push);
                    constraint.push.min(-gap)
                } else {
                    -gap
                }
            })
            .collect();
        project(
            &self.constraints,
            &required,
            &self.mobilities,
            pushes,
            self.sweeps,
        );
        for (member, push) in island.iter_mut().zip(pushes) {
            push.shift = push.shift.clamp_length_max(2.0 * most);
            let turn = PUSH_OUT_TURN * most;
            push.turn = push.turn.clamp(-turn, turn);
            member.diverted |= *push != Displacement::default();
        }
    }
}

/// Where two shapes may not pass each other along an axis.
fn meeting_points(
    a: &Convex,
    b: &Convex,
    axis: &Axis,
    fine: bool,
) -> impl Iterator<Item = ContactPoint> {
    let (points, count) = contact_points(a, b, axis);
    let farthest = fine.then(|| foremost(a, b, axis, &points[..count]));
    points.into_iter().take(count).chain(farthest.flatten())
}

fn end_of(body: usize, position: Vector, point: Vector, normal: Vector) -> End {
    End {
        body,
        arm: (point - position).perp_dot(normal),
    }
}
