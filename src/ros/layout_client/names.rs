//! Whether a server would take the names of a layout, before anything is sent.

use std::collections::BTreeSet;

use super::messages::robot;
use crate::layout::Layout;
use crate::ros::plan::{Plan, PlanError};
use crate::ros::uses::Reserved;

/// Checks the names, topics and frames of a layout's robots and places as the server would,
/// each by itself and beside the others.
///
/// # Errors
/// The first robot or place that a server would refuse for them.
pub fn check_names(layout: &Layout, server: &str) -> Result<(), RefusedName> {
    let reserved = Reserved::of(server);
    let mut plans: Vec<Plan> = Vec::new();
    for (index, item) in layout.robots.iter().enumerate() {
        let refused = |reason: PlanError| RefusedName::Robot {
            index,
            robot: item.name.clone(),
            reason: reason.to_string(),
        };
        let plan = Plan::new(&robot(item), &reserved).map_err(refused)?;
        for other in &plans {
            plan.check_beside(other).map_err(refused)?;
        }
        plans.push(plan);
    }
    check_places(layout, &mut plans)
}

/// Checks the ids of the places, which become frames of each robot that knows places.
fn check_places(layout: &Layout, plans: &mut [Plan]) -> Result<(), RefusedName> {
    let ids: Vec<&str> = (layout.places.locations.iter())
        .map(|place| place.id.as_str())
        .collect();
    if ids.is_empty() {
        return Ok(());
    }
    for index in 0..plans.len() {
        let Err(all) = try_places(plans, index, &ids) else {
            continue;
        };
        let (place, reason) = first_refused(plans, index, &ids).unwrap_or((ids.len() - 1, all));
        let at = layout.places_at.get(place);
        return Err(RefusedName::Place {
            at: at.map_or_else(String::new, |at| format!("{at}: ")),
            index: place,
            robot: plans[index].robot.clone(),
            reason: reason.to_string(),
        });
    }
    Ok(())
}

/// The first place without which the ones before it are taken, and why it is not.
fn first_refused(plans: &mut [Plan], index: usize, ids: &[&str]) -> Option<(usize, PlanError)> {
    // What is refused is so with more behind it, too.
    let (mut taken, mut refused) = (0, ids.len());
    while refused - taken > 1 {
        let middle = taken.midpoint(refused);
        if try_places(plans, index, &ids[..middle]).is_ok() {
            taken = middle;
        } else {
            refused = middle;
        }
    }
    let reason = try_places(plans, index, &ids[..refused]).err()?;
    Some((refused - 1, reason))
}

/// Gives one robot places beside those it knows already. The plan changes only if it is taken.
fn try_places(plans: &mut [Plan], index: usize, ids: &[&str]) -> Result<(), PlanError> {
    let mut plan = plans[index].clone();
    let Some(kachaka) = plan.kachaka() else {
        return Ok(());
    };
    let mut all: BTreeSet<String> = kachaka.location_ids().map(ToOwned::to_owned).collect();
    all.extend(ids.iter().map(|id| (*id).to_owned()));
    plan.set_places(all.iter().map(String::as_str))?;
    for (other, beside) in plans.iter().enumerate() {
        if other != index {
            plan.check_frames_beside(beside)?;
        }
    }
    plans[index] = plan;
    Ok(())
}

/// A robot or a place of a layout with a name, topic or frame that a server would refuse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefusedName {
    /// A robot.
    #[error("robots[{index}] {robot:?}: {reason}")]
    Robot {
        /// Its place in the layout.
        index: usize,
        /// Its name.
        robot: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A place that one of the robots can't have.
    #[error("{at}locations[{index}].id: robot {robot:?} can't have this place: {reason}")]
    Place {
        /// File, line and column with a colon behind them; "" when the layout has none.
        at: String,
        /// Its place in the layout.
        index: usize,
        /// Name of the robot.
        robot: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
}
