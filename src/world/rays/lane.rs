//! The nearest thing in a straight lane.

use super::RayOrigin;
use super::body::{Bounds, Corners, Frame, MARGIN, Outline, Piece, length};
use super::tree::{Leaf, Node, Tree, Visitor};
use crate::world::{BodyKey, ZExtent};

/// A lane from an origin along its x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lane {
    /// Half its width, m; what only touches its side is not in it.
    pub half_width: f64,
    /// Its length, m.
    pub length: f64,
}

/// A search under way.
pub(super) struct LaneSearch<'a> {
    origin: &'a RayOrigin,
    lane: &'a Lane,
    exclude: Option<BodyKey>,
    frame: Frame,
    /// Distance of the nearest place so far, at first the end of the lane.
    best: f64,
    found: bool,
}

impl<'a> LaneSearch<'a> {
    pub(super) fn new(origin: &'a RayOrigin, lane: &'a Lane, exclude: Option<BodyKey>) -> Self {
        Self {
            origin,
            lane,
            exclude,
            frame: Frame::of(&origin.pose),
            best: lane.length,
            found: false,
        }
    }

    pub(super) fn tree(&mut self, tree: &Tree) {
        let from = self.frame.origin;
        tree.walk(
            from,
            &mut TreeSearch {
                search: self,
                corners: &tree.corners,
            },
        );
    }

    pub(super) fn part(&mut self, piece: &Piece, corners: &Corners, bounds: &Bounds) {
        if self.may_lie_in(bounds) {
            self.piece(piece, corners, 0);
        }
    }

    /// Distance of the nearest place, if there is one.
    pub(super) fn nearest(self) -> Option<f64> {
        self.found.then_some(self.best)
    }

    fn in_height(&self, z: &ZExtent) -> bool {
        z.contains(self.origin.z) && self.origin.level.reached_by(z)
    }

    /// False only for what has no place in the lane that is nearer than the best.
    fn may_lie_in(&self, bounds: &Bounds) -> bool {
        let reach = length(self.best, self.lane.half_width) * (1.0 + MARGIN);
        bounds.clearance(self.frame.origin) <= reach
    }

    /// Looks at a piece whose corners start at an offset among some corners.
    fn piece(&mut self, piece: &Piece, corners: &Corners, offset: usize) {
        if !self.in_height(&piece.z) || Some(piece.key) == self.exclude {
            return;
        }
        let local = |i: usize| {
            let at = offset + piece.corners.start + i;
            self.frame.to_local([corners.x[at], corners.y[at]])
        };
        let half_width = self.lane.half_width;
        if let Outline::Disc(radius) = piece.outline {
            self.take(disc_in_lane(local(0), radius, half_width));
            return;
        }
        let points: Vec<[f64; 2]> = (0..piece.corners.len()).map(local).collect();
        for pair in points.windows(2) {
            self.take(wall_in_lane(pair[0], pair[1], half_width));
        }
        // A solid that the lane starts in has perhaps no side in it.
        if piece.outline == Outline::Convex && holds_origin(&points) {
            self.take(Some(0.0));
        }
    }

    fn take(&mut self, distance: Option<f64>) {
        if let Some(distance) = distance
            && distance <= self.best
        {
            self.best = distance;
            self.found = true;
        }
    }
}

struct TreeSearch<'c, 'a> {
    search: &'c mut LaneSearch<'a>,
    corners: &'c Corners,
}

impl Visitor for TreeSearch<'_, '_> {
    fn wants(&self, node: &Node) -> bool {
        self.search.in_height(&node.z) && self.search.may_lie_in(&node.bounds)
    }

    fn leaf(&mut self, leaf: Leaf<'_>) {
        for piece in leaf.pieces {
            self.search.piece(piece, self.corners, leaf.corners.start);
        }
    }
}

/// Least x, from 0 on, of the part of a wall whose y is within the lane.
fn wall_in_lane(a: [f64; 2], b: [f64; 2], half_width: f64) -> Option<f64> {
    let (low, high) = if a[1] <= b[1] { (a, b) } else { (b, a) };
    if high[1] <= -half_width || low[1] >= half_width {
        return None;
    }
    let slope = (high[0] - low[0]) / (high[1] - low[1]);
    let x_at = |y: f64, end: [f64; 2]| {
        if y == end[1] {
            end[0]
        } else {
            low[0] + slope * (y - low[1])
        }
    };
    let first = x_at(low[1].max(-half_width), low);
    let last = x_at(high[1].min(half_width), high);
    (first.max(last) >= 0.0).then(|| first.min(last).max(0.0))
}

/// Least x, from 0 on, of the part of a disc whose y is within the lane.
fn disc_in_lane([x, y]: [f64; 2], radius: f64, half_width: f64) -> Option<f64> {
    let aside = (y.abs() - half_width).max(0.0);
    if aside >= radius {
        return None;
    }
    let reach = ((radius - aside) * (radius + aside)).sqrt();
    (x + reach >= 0.0).then(|| (x - reach).max(0.0))
}

/// Whether a convex polygon, counter-clockwise and closed, holds the origin.
fn holds_origin(points: &[[f64; 2]]) -> bool {
    points
        .windows(2)
        .all(|pair| pair[0][0] * pair[1][1] - pair[0][1] * pair[1][0] >= 0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::world::rays::{Fan, RayIndex};
    use crate::world::{Level, PlanarShape, Pose2};

    const GROUND: Level = Level {
        floor: 0.0,
        ceiling: f64::INFINITY,
    };

    fn origin(pose: Pose2) -> RayOrigin {
        RayOrigin {
            pose,
            z: 0.1,
            level: GROUND,
        }
    }

    fn ahead(index: &RayIndex, pose: Pose2, half_width: f64) -> Option<f64> {
        let lane = Lane {
            half_width,
            length: 5.0,
        };
        index.nearest_ahead(&origin(pose), &lane, None)
    }

    fn holding(shape: PlanarShape, pose: Pose2) -> RayIndex {
        let mut index = RayIndex::new();
        index.insert(BodyKey(1), shape, pose, ZExtent::new(0.0, 1.0));
        index
    }

    #[track_caller]
    fn assert_near(found: Option<f64>, expected: Option<f64>) {
        let same = match (found, expected) {
            (Some(found), Some(expected)) => (found - expected).abs() < 1e-12,
            (found, expected) => found == expected,
        };
        assert!(same, "{found:?}, expected {expected:?}");
    }

    #[test]
    fn a_corner_between_two_beams_is_seen() {
        // A square on its tip at (1, 0.07): its left corner is the nearest.
        let square = PlanarShape::rectangle(0.2, 0.2);
        let turned = std::f64::consts::FRAC_PI_4;
        let index = holding(square, Pose2::new(1.0, 0.07, turned));
        let expected = 1.0 - 0.1 * 2.0_f64.sqrt();
        assert_near(ahead(&index, Pose2::default(), 0.15), Some(expected));
        // With a lane up to y = 0.03 the side is met there: 0.04 below the corner, at 45 degrees.
        assert_near(ahead(&index, Pose2::default(), 0.03), Some(expected + 0.04));
        // The same, all turned and moved.
        let moved = Pose2::new(-3.0, 2.0, 2.5);
        let square = PlanarShape::rectangle(0.2, 0.2);
        let index = holding(square, moved.compose(&Pose2::new(1.0, 0.07, turned)));
        assert_near(ahead(&index, moved, 0.15), Some(expected));
    }

    #[test]
    fn what_only_touches_the_side_or_lies_behind_is_not_in_the_lane() {
        let wall = |y: f64| PlanarShape::Ring(vec![[-1.0, y], [2.0, y], [2.0, 9.0]]);
        assert_near(
            ahead(
                &holding(wall(0.15), Pose2::default()),
                Pose2::default(),
                0.15,
            ),
            None,
        );
        assert_near(
            ahead(
                &holding(wall(0.149), Pose2::default()),
                Pose2::default(),
                0.15,
            ),
            Some(0.0),
        );
        let behind = holding(PlanarShape::Disc(0.2), Pose2::new(-0.201, 0.0, 0.0));
        assert_near(ahead(&behind, Pose2::default(), 0.15), None);
        let beside = holding(PlanarShape::Disc(0.2), Pose2::new(1.0, 0.351, 0.0));
        assert_near(ahead(&beside, Pose2::default(), 0.15), None);
        let far = holding(PlanarShape::Disc(0.2), Pose2::new(5.201, 0.0, 0.0));
        assert_near(ahead(&far, Pose2::default(), 0.15), None);
    }

    #[test]
    fn a_disc_beside_the_lane_is_met_where_the_lane_cuts_it() {
        // Centre 0.3 aside, 0.15 beyond the lane's side; radius 0.25: half a chord of 0.2.
        let index = holding(PlanarShape::Disc(0.25), Pose2::new(1.0, -0.3, 0.0));
        assert_near(ahead(&index, Pose2::default(), 0.15), Some(0.8));
    }

    #[test]
    fn inside_a_solid_the_way_is_0_and_inside_a_ring_it_leads_to_the_wall() {
        let block = holding(PlanarShape::rectangle(20.0, 20.0), Pose2::default());
        assert_near(ahead(&block, Pose2::default(), 0.15), Some(0.0));
        let room = vec![[-2.0, -2.0], [3.0, -2.0], [3.0, 2.0], [-2.0, 2.0]];
        let room = holding(PlanarShape::Ring(room), Pose2::default());
        assert_near(ahead(&room, Pose2::default(), 0.15), Some(3.0));
    }

    #[test]
    fn heights_and_the_excluded_body_count() {
        let mut index = RayIndex::new();
        let pose = Pose2::new(1.0, 0.0, 0.0);
        index.insert(
            BodyKey(1),
            PlanarShape::Disc(0.1),
            pose,
            ZExtent::new(0.2, 1.0),
        );
        assert_near(ahead(&index, Pose2::default(), 0.15), None);
        index.insert(
            BodyKey(2),
            PlanarShape::Disc(0.1),
            pose,
            ZExtent::new(0.0, 0.1),
        );
        assert_near(ahead(&index, Pose2::default(), 0.15), Some(0.9));
        let lane = Lane {
            half_width: 0.15,
            length: 5.0,
        };
        let found = index.nearest_ahead(&origin(Pose2::default()), &lane, Some(BodyKey(2)));
        assert_near(found, None);
    }

    fn any_shape() -> impl Strategy<Value = PlanarShape> {
        prop_oneof![
            (0.05..1.5_f64).prop_map(PlanarShape::Disc),
            (0.1..3.0_f64, 0.1..3.0_f64).prop_map(|(x, y)| PlanarShape::rectangle(x, y)),
            (0.3..3.0_f64, 0.3..3.0_f64).prop_map(|(x, y)| {
                PlanarShape::Ring(vec![[-x, -y], [x, -0.5 * y], [0.7 * x, y], [-x, 0.8 * y]])
            }),
        ]
    }

    fn any_pose() -> impl Strategy<Value = Pose2> {
        (-3.0..3.0_f64, -3.0..3.0_f64, -3.2..3.2_f64).prop_map(|(x, y, yaw)| Pose2::new(x, y, yaw))
    }

    proptest! {
        /// Parallel rays side by side find the same from above, within what lies between two.
        #[test]
        fn a_sheaf_of_parallel_rays_agrees(
            shapes in proptest::collection::vec((any_shape(), any_pose()), 1..12),
            pose in any_pose(),
            half_width in 0.05..0.4_f64,
        ) {
            let mut index = RayIndex::new();
            for (key, (shape, at)) in (0..).zip(shapes) {
                index.insert(BodyKey(key), shape, at, ZExtent::ALL);
                // Every other one is a moving body.
                if key % 2 == 0 {
                    index.set_pose(BodyKey(key), at);
                }
            }
            let found = ahead(&index, pose, half_width).unwrap_or(f64::INFINITY);
            let fan = Fan::from_azimuths(vec![0.0]).unwrap();
            let rays = 200;
            let mut nearest = f64::INFINITY;
            for i in 0..rays {
                let side = half_width * (2.0 * (f64::from(i) + 0.5) / f64::from(rays) - 1.0);
                let from = pose.compose(&Pose2::new(0.0, side, 0.0));
                let hits = index.cast(&origin(from), &fan, 5.0, None);
                // The start of a ray inside a solid is a place of it, too.
                let first = hits.of(0).iter().map(|hit| hit.enter).fold(f64::INFINITY, f64::min);
                nearest = nearest.min(first);
            }
            prop_assert!(found <= nearest + 1e-9, "{found} but a ray meets something at {nearest}");
            // The place found is within half a spacing of some ray; a corner hides there at
            // most by the slope of the sides that meet in it, so look from aside, too.
            if found > 0.0 && found < 5.0 {
                let beam = Fan::from_azimuths(vec![std::f64::consts::FRAC_PI_2]).unwrap();
                let near = 1e-6;
                let from = pose.compose(&Pose2::new(found + near, -half_width, 0.0));
                let hits = index.cast(&origin(from), &beam, 2.0 * half_width, None);
                let tip = !hits.of(0).is_empty();
                let before = pose.compose(&Pose2::new(found - near, -half_width, 0.0));
                let none = index.cast(&origin(before), &beam, 2.0 * half_width, None);
                prop_assert!(tip, "nothing stands across the lane just behind {found}");
                prop_assert!(none.of(0).is_empty(), "something stands just before {found}");
            }
        }
    }
}
