//! The map: drawn aside, since that takes long.

use std::sync::Arc;
use std::time::Instant;

use r2r::nav_msgs::msg::OccupancyGrid;

use super::super::map_image;
use super::super::proto::{GetPngMapResponse, Map};
use super::View;

/// A map that was told.
#[derive(Debug)]
pub(super) struct Chart {
    /// Of the robot of this number.
    robots: u64,
    at: Instant,
    grid: OccupancyGrid,
}

/// A map that was drawn.
#[derive(Debug)]
pub(super) struct Drawn {
    /// When it was told last.
    at: Instant,
    chart: Arc<Chart>,
}

impl View {
    /// Takes a map, which is drawn elsewhere. Told again, it is not drawn again.
    pub(in super::super) fn take_map(&self, grid: OccupancyGrid, now: Instant) {
        let is_drawn = self.drawn.send_if_modified(|drawn| {
            let latest = self.to_draw.borrow();
            let same = drawn.as_mut().filter(|drawn| {
                let is_latest =
                    (latest.as_ref()).is_some_and(|last| Arc::ptr_eq(last, &drawn.chart));
                is_latest && has_same_cells(&drawn.chart.grid, &grid)
            });
            same.map(|drawn| drawn.at = now).is_some()
        });
        if !is_drawn {
            let robots = self.known().robots;
            let at = now;
            self.to_draw
                .send_replace(Some(Arc::new(Chart { robots, at, grid })));
        }
    }

    /// Draws the latest map, for as long as it is polled. One without cells is left out.
    pub(in super::super) async fn keep_drawing(&self) {
        let mut to_draw = self.to_draw.subscribe();
        to_draw.mark_changed();
        while to_draw.changed().await.is_ok() {
            let Some(chart) = to_draw.borrow_and_update().clone() else {
                continue;
            };
            let drawing = Arc::clone(&chart);
            let draw = move || map_image::draw_for_message(&drawing.grid, "");
            match tokio::task::spawn_blocking(draw).await {
                Ok(map) => self.show_map(chart, map),
                Err(error) => tracing::error!("a map was not drawn: {error}"),
            }
        }
    }

    fn show_map(&self, chart: Arc<Chart>, map: Option<Map>) {
        let known = self.known();
        if known.robots != chart.robots {
            return;
        }
        match map {
            Some(mut map) => {
                known.map_name().clone_into(&mut map.name);
                self.cells.map.set_changed(GetPngMapResponse {
                    metadata: None,
                    map: Some(map),
                });
            }
            None => tracing::debug!("a map without cells is left out"),
        }
        let at = chart.at;
        self.drawn.send_replace(Some(Drawn { at, chart }));
    }

    /// Whether this is the map that the robot has now.
    pub(in super::super) fn has_map(&self, id: &str) -> bool {
        self.known().current_map == id
    }

    /// Waits until clients read a map that was told after this time, if any was told before.
    pub(in super::super) async fn follows_map(&self, asked: Instant) {
        if self.to_draw.borrow().is_none() {
            return;
        }
        let mut drawn = self.drawn.subscribe();
        // The sender lives as long as this.
        let _ = drawn
            .wait_for(|drawn| drawn.as_ref().is_some_and(|drawn| drawn.at >= asked))
            .await;
    }
}

/// Whether two maps show the same, whenever they were told.
fn has_same_cells(one: &OccupancyGrid, other: &OccupancyGrid) -> bool {
    let (a, b) = (&one.info, &other.info);
    (a.width, a.height, a.resolution, &a.origin) == (b.width, b.height, b.resolution, &b.origin)
        && one.data == other.data
}
