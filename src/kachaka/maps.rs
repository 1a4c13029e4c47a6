//! The maps that the robot keeps, and the one it is on.

use super::command::{check_id, check_pose, check_text};
use super::error_codes::code;
use super::ids::Ids;
use super::mapping::{MAX_CELLS, Mapper};
use super::{MappingConfig, NamedId, OccupancyGrid, Refusal};
use crate::shown::Shown;
use crate::world::{Level, Pose2, World};

/// Most maps that are kept.
const MAX_MAPS: usize = 20;
/// Most cells of all maps that are kept together, one byte each.
const MAX_KEPT_CELLS: u64 = 64_000_000;

/// A map to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMap {
    /// For people.
    pub name: String,
    /// What is on it.
    pub grid: OccupancyGrid,
    /// Where its charger is, frame of that map.
    pub charger: Option<Pose2>,
}

/// One of the maps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapView<'a> {
    /// For people.
    pub name: &'a str,
    /// What is on it.
    pub grid: &'a OccupancyGrid,
    /// Where its charger is, frame of that map.
    pub charger: Option<Pose2>,
}

#[derive(Debug, Clone)]
struct KeptMap {
    entry: NamedId,
    grid: OccupancyGrid,
    charger: Option<Pose2>,
}

/// The map of the storey that the robot is on, made from its geometry.
#[derive(Debug, Clone)]
struct LiveMap {
    entry: NamedId,
    mapper: Mapper,
    /// The geometry that it was asked to show at once, last.
    shown: Option<u64>,
}

/// Where the robot is, for its map.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) world: &'a World,
    pub(super) floor: &'a str,
    pub(super) level: Level,
    pub(super) pose: Pose2,
}

/// All maps of a robot, and the one it is on.
#[derive(Debug, Clone)]
pub(super) struct Maps {
    config: MappingConfig,
    /// None when another program makes the map.
    live: Option<LiveMap>,
    kept: Vec<KeptMap>,
    current: String,
    /// Grows when another map is current, or what is on it.
    revision: u64,
    /// Grows when another map is current or there are other maps.
    listed: u64,
}

impl Maps {
    /// No maps yet.
    pub(super) fn new(config: &MappingConfig) -> Self {
        Self {
            config: config.clone(),
            live: None,
            kept: Vec::new(),
            current: String::new(),
            revision: 0,
            listed: 0,
        }
    }

    /// Makes the map of the storey anew if it is out of date. A storey has a map of its own:
    /// who is on that of the storey it leaves, is on that of the next one.
    pub(super) fn follow(&mut self, place: Place<'_>, ids: &Ids) {
        let name = match place.floor {
            "" => "ground",
            floor => floor,
        };
        let same = self
            .live
            .as_ref()
            .is_some_and(|live| live.entry.name == name);
        if !same {
            let entry = NamedId {
                id: ids.of(&format!("map of {name}")),
                name: name.to_owned(),
            };
            let left = self.live.take().map(|live| live.entry.id);
            if self.current.is_empty() || left.as_ref() == Some(&self.current) {
                self.current.clone_from(&entry.id);
            }
            self.live = Some(LiveMap {
                entry,
                mapper: Mapper::new(&self.config),
                shown: None,
            });
            self.revision += 1;
            self.listed += 1;
        }
        if let Some(live) = &mut self.live {
            let Place {
                world, level, pose, ..
            } = place;
            let changed = live.mapper.update(world, level, pose, world.time());
            let is_current = live.entry.id == self.current;
            self.revision += u64::from(changed && is_current);
        }
    }

    /// Makes the map of the storey at once if the geometry is another, however short ago it
    /// was made last.
    pub(super) fn show(&mut self, place: Place<'_>, ids: &Ids) {
        let geometry = place.world.standing_revision();
        if let Some(live) = self
            .live
            .as_mut()
            .filter(|live| live.shown != Some(geometry))
        {
            let before = std::mem::replace(&mut live.mapper, Mapper::new(&self.config));
            live.shown = Some(geometry);
            let revision = self.revision;
            self.follow(place, ids);
            let is_same = |live: &LiveMap| live.mapper.map() == before.map();
            if self.live.as_ref().is_some_and(is_same) {
                self.revision = revision;
            }
        }
    }

    /// Goes back to the map of the storey.
    pub(super) fn go_live(&mut self) {
        let live = self.live.as_ref().map(|live| live.entry.id.clone());
        self.switch(&live.unwrap_or_default());
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &NamedId> {
        let live = self.live.iter().map(|live| &live.entry);
        live.chain(self.kept.iter().map(|map| &map.entry))
    }

    /// Id of the map it is on; "" = none.
    pub(super) fn current_id(&self) -> &str {
        &self.current
    }

    /// The map it is on.
    pub(super) fn current(&self) -> Option<&OccupancyGrid> {
        self.look_up(&self.current).map(|map| map.grid)
    }

    /// Grows when the map it is on, or what is on it, is another one.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Grows when the list of maps, or which of them it is on, is another one.
    pub(super) fn listed(&self) -> u64 {
        self.listed
    }

    /// A map by its id; that of the storey has its charger where that is registered.
    pub(super) fn find(&self, id: &str, charger: Option<Pose2>) -> Result<MapView<'_>, Refusal> {
        let is_live = self.live.as_ref().is_some_and(|live| live.entry.id == id);
        let unknown = || {
            check_id("map_id", id).err().unwrap_or_else(|| {
                Refusal::new(code::UNKNOWN_MAP, format!("there is no map '{id}'"))
            })
        };
        let found = self.look_up(id).ok_or_else(unknown)?;
        Ok(MapView {
            charger: if is_live { charger } else { found.charger },
            ..found
        })
    }

    fn look_up(&self, id: &str) -> Option<MapView<'_>> {
        if let Some(live) = self.live.as_ref().filter(|live| live.entry.id == id) {
            return Some(MapView {
                name: &live.entry.name,
                grid: live.mapper.map()?,
                charger: None,
            });
        }
        let map = self.kept.iter().find(|map| map.entry.id == id)?;
        Some(MapView {
            name: &map.entry.name,
            grid: &map.grid,
            charger: map.charger,
        })
    }

    /// Whether a map would be taken.
    pub(super) fn check(&self, map: &NewMap) -> Result<(), Refusal> {
        check_text("name", &map.name)?;
        if let Some(charger) = &map.charger {
            check_pose(charger).map_err(|refusal| {
                Refusal::new(refusal.code, format!("charger_{}", refusal.message))
            })?;
        }
        let bad = |message: String| Err(Refusal::new(code::BAD_VALUE, message));
        let grid = &map.grid;
        if !(grid.resolution > 0.0 && grid.resolution.is_finite()) {
            return bad(format!(
                "map.info.resolution is {}, it must be above 0 m",
                Shown(grid.resolution)
            ));
        }
        check_pose(&grid.origin).map_err(|refusal| {
            Refusal::new(refusal.code, format!("map.info.origin.{}", refusal.message))
        })?;
        let cells = u64::from(grid.width) * u64::from(grid.height);
        if cells == 0 || cells > MAX_CELLS {
            return bad(format!(
                "map.info is {} by {} cells, it must be 1 to {MAX_CELLS} cells",
                grid.width, grid.height
            ));
        }
        if grid.cells.len() as u64 != cells {
            return bad(format!(
                "map.data has {} cells, width and height say {cells}",
                grid.cells.len()
            ));
        }
        let is_cell = |value: &i8| (-1..=100).contains(value);
        if let Some(index) = grid.cells.iter().position(|value| !is_cell(value)) {
            let message = format!(
                "map.data[{index}] is {}, it must be -1 (unknown) or 0 (free) to 100 (occupied)",
                grid.cells[index]
            );
            return Err(Refusal::new(code::BAD_MAP, message));
        }
        if self.kept.len() >= MAX_MAPS {
            let message = format!("a robot keeps at most {MAX_MAPS} maps");
            return Err(Refusal::new(code::TOO_MANY, message));
        }
        let kept: u64 = (self.kept.iter())
            .map(|map| map.grid.cells.len() as u64)
            .sum();
        if kept + cells > MAX_KEPT_CELLS {
            let message = format!(
                "a robot keeps maps of at most {MAX_KEPT_CELLS} cells together: it has {kept} \
                 already, and this one has {cells}"
            );
            return Err(Refusal::new(code::TOO_MANY, message));
        }
        Ok(())
    }

    /// Forgets the maps that were added.
    pub(super) fn forget_kept(&mut self) {
        if !self.kept.is_empty() {
            self.kept.clear();
            self.listed += 1;
        }
    }

    /// Keeps a map that was checked.
    pub(super) fn add(&mut self, id: String, map: NewMap) {
        let NewMap {
            name,
            grid,
            charger,
        } = map;
        let entry = NamedId { id, name };
        self.kept.push(KeptMap {
            entry,
            grid,
            charger,
        });
        self.listed += 1;
    }

    /// Goes over to a map that is there.
    pub(super) fn switch(&mut self, id: &str) {
        if self.current != id {
            self.current = id.to_owned();
            self.revision += 1;
            self.listed += 1;
        }
    }
}
