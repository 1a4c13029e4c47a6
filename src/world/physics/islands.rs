//! Groups of robots that could meet within a step.

use rapier2d::math::Vector;

use crate::world::ZExtent;

/// The room a robot may need within a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) center: Vector,
    /// Of the robot itself, metres.
    pub(super) reach: f64,
    /// The most that any of its points moves, metres.
    pub(super) travel: f64,
    pub(super) z: ZExtent,
}

/// Robots that could touch or push each other, directly or through others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Island {
    /// Indices of the robots, ascending.
    pub(super) members: Vec<usize>,
    /// The most any of them moves, being pushed included, metres.
    pub(super) travel: f64,
}

/// Splits robots into islands, ordered by their first member. What happens in one has no
/// influence on the others. A robot can be pushed as fast as the fastest of its island, so
/// the rooms are grown to that until nobody joins any more.
pub(super) fn split(rooms: &[Room]) -> Vec<Island> {
    let mut rooms = rooms.to_vec();
    let mut roots: Vec<usize> = (0..rooms.len()).collect();
    loop {
        let joined = join_close(&rooms, &mut roots);
        if !joined {
            break;
        }
        let mut fastest = vec![0.0_f64; rooms.len()];
        for (i, room) in rooms.iter().enumerate() {
            let root = root_of(&mut roots, i);
            fastest[root] = fastest[root].max(room.travel);
        }
        for (i, room) in rooms.iter_mut().enumerate() {
            room.travel = fastest[root_of(&mut roots, i)];
        }
    }
    collect(&rooms, &mut roots)
}

/// Joins the islands of all robots whose rooms overlap; whether there were any new ones.
fn join_close(rooms: &[Room], roots: &mut [usize]) -> bool {
    let low = |i: usize| rooms[i].center.x - rooms[i].reach - rooms[i].travel;
    let mut order: Vec<(f64, usize)> = (0..rooms.len()).map(|i| (low(i), i)).collect();
    order.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    let mut joined = false;
    for (at, &(_, i)) in order.iter().enumerate() {
        let high = rooms[i].center.x + rooms[i].reach + rooms[i].travel;
        for &(low, j) in &order[at + 1..] {
            if low > high {
                break;
            }
            let apart = rooms[i].center.distance(rooms[j].center);
            let shared =
                rooms[i].reach + rooms[i].travel + rooms[j].reach + rooms[j].travel - apart;
            if shared >= 0.0 && rooms[i].z.overlaps(&rooms[j].z) {
                let (a, b) = (root_of(roots, i), root_of(roots, j));
                if a != b {
                    roots[a.max(b)] = a.min(b);
                    joined = true;
                }
            }
        }
    }
    joined
}

fn root_of(roots: &mut [usize], mut i: usize) -> usize {
    while roots[i] != i {
        roots[i] = roots[roots[i]];
        i = roots[i];
    }
    i
}

fn collect(rooms: &[Room], roots: &mut [usize]) -> Vec<Island> {
    let mut islands: Vec<Island> = Vec::with_capacity(rooms.len());
    let mut island_of = vec![usize::MAX; rooms.len()];
    for (i, room) in rooms.iter().enumerate() {
        let root = root_of(roots, i);
        if island_of[root] == usize::MAX {
            island_of[root] = islands.len();
            islands.push(Island {
                members: Vec::new(),
                travel: room.travel,
            });
        }
        let island = &mut islands[island_of[root]];
        island.members.push(i);
        island.travel = island.travel.max(room.travel);
    }
    islands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(x: f64, travel: f64) -> Room {
        Room {
            center: Vector::new(x, 0.0),
            reach: 0.5,
            travel,
            z: ZExtent::ALL,
        }
    }

    fn members(rooms: &[Room]) -> Vec<Vec<usize>> {
        split(rooms).into_iter().map(|i| i.members).collect()
    }

    #[test]
    fn a_fast_robot_reaches_the_third_through_the_second() {
        // 0 is 0.3 m from 1 and fast; 1 and 2 stand still 0.3 m apart; 3 is far away.
        let rooms = [
            room(0.0, 0.4),
            room(1.3, 0.0),
            room(2.6, 0.0),
            room(9.0, 0.1),
        ];
        assert_eq!(members(&rooms), vec![vec![0, 1, 2], vec![3]]);
        let islands = split(&rooms);
        assert_eq!(islands[0].travel, 0.4);
        assert_eq!(islands[1].travel, 0.1);
    }

    #[test]
    fn robots_on_different_storeys_never_meet() {
        let mut rooms = [room(0.0, 0.1), room(0.2, 0.1)];
        rooms[0].z = ZExtent::new(0.0, 1.0);
        rooms[1].z = ZExtent::new(1.0, 2.0);
        assert_eq!(members(&rooms), vec![vec![0], vec![1]]);
    }
}
