//! What one drawing leaves behind.

/// The id of pixels that show the floor, the ceiling or nothing.
pub const NOTHING: u32 = u32::MAX;

/// Which parts of a frame to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channels {
    /// Colour.
    pub colour: bool,
    /// Depth.
    pub depth: bool,
    /// Ids and what they would cover, as [`super::detect`] needs them together with depth.
    pub ids: bool,
}

impl Channels {
    /// A picture.
    pub const COLOUR: Self = Self {
        colour: true,
        depth: false,
        ids: false,
    };
    /// A depth image.
    pub const DEPTH: Self = Self {
        colour: false,
        depth: true,
        ids: false,
    };
    /// What detection needs.
    pub const OBJECTS: Self = Self {
        colour: false,
        depth: true,
        ids: true,
    };
    /// Everything.
    pub const ALL: Self = Self {
        colour: true,
        depth: true,
        ids: true,
    };
}

/// The pictures of one drawing, row by row from the top left. What was not asked for is
/// empty. A frame can be drawn into again and keeps its memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green, blue of each pixel: `rgb8`.
    pub colour: Vec<u8>,
    /// Depth along the optical axis, m; infinite where nothing is up to the far plane.
    pub depth: Vec<f32>,
    /// What each pixel shows, or [`NOTHING`].
    pub ids: Vec<u32>,
    /// Pixels that each id in the picture would cover if nothing stood before it, by id.
    /// Parts of one thing that hide each other count twice.
    pub covered: Vec<(u32, u32)>,
}

impl Frame {
    /// Sets sizes and empties what is not wanted.
    pub(super) fn prepare(&mut self, width: usize, height: usize, channels: Channels) {
        (self.width, self.height) = (width, height);
        let pixels = width * height;
        let of = |wanted: bool| if wanted { pixels } else { 0 };
        // All of it is drawn over.
        self.colour.resize(3 * of(channels.colour), 0);
        self.depth.resize(of(channels.depth), 0.0);
        self.ids.resize(of(channels.ids), 0);
        self.covered.clear();
    }

    /// Pixels that an id would cover if nothing stood before it.
    #[must_use]
    pub fn covered(&self, id: u32) -> u32 {
        let at = self.covered.binary_search_by_key(&id, |entry| entry.0);
        at.map_or(0, |at| self.covered[at].1)
    }
}
