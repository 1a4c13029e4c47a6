//! Maps as pictures: an occupancy grid as the gray PNG that clients of the robot know.

use std::io::Cursor;

use r2r::nav_msgs::msg::OccupancyGrid;

use super::convert::{planar, spatial};
use super::limits::MESSAGE_BYTES;
use super::proto::{Map, Pose};

/// The three grays that the ROS bridge knows.
const OCCUPIED: u8 = 174;
const FREE: u8 = 253;
const UNKNOWN: u8 = 234;

/// From this probability on a cell is occupied, up to that one it is free, percent: the usual
/// thresholds of ROS maps.
const OCCUPIED_FROM: i8 = 65;
const FREE_TO: i8 = 25;

/// Most cells of a map.
pub(super) const MOST_CELLS: u64 = 16_000_000;

/// Largest picture of a map in one message, bytes: the message has a name and numbers, too.
const MOST_PICTURE_BYTES: usize = MESSAGE_BYTES - 64 * 1024;

/// Why a picture is no map.
#[derive(Debug, thiserror::Error)]
pub(super) enum ImageError {
    /// Not a PNG, or a broken one.
    #[error("the picture is no PNG that can be read: {0}")]
    Png(#[from] png::DecodingError),
    /// Too large.
    #[error("the picture has {width} x {height} pixels, at most {MOST_CELLS} are taken")]
    Size {
        /// Pixels of a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// A picture that does not fit into a message.
    #[error(
        "the map's picture has {given} bytes and clients take at most {most} in one message: \
         give it a coarser resolution"
    )]
    Bytes {
        /// Of the picture.
        given: usize,
        /// That are told.
        most: usize,
    },
    /// A resolution that is none.
    #[error("the resolution is {0} m, it must be above 0 and at most 10")]
    Resolution(f64),
    /// An origin that is no pose.
    #[error("the origin is not finite")]
    Origin,
    /// A picture of another size than told.
    #[error("the map says {said:?} cells and its picture has {shown:?}")]
    Contradiction {
        /// Width and height as told.
        said: (i32, i32),
        /// Those of the picture.
        shown: (u32, u32),
    },
}

/// A grid as a map with its picture, row 0 at the top. `None` for a grid without cells and
/// for one whose cells are not as many as it says: an empty picture ends the ROS bridge.
pub(super) fn draw(grid: &OccupancyGrid, name: &str) -> Option<Map> {
    let (width, height) = (grid.info.width, grid.info.height);
    let cells = u64::from(width) * u64::from(height);
    if cells == 0 || cells != grid.data.len() as u64 {
        return None;
    }
    let mut pixels = Vec::with_capacity(grid.data.len());
    for row in grid.data.chunks_exact(width as usize).rev() {
        pixels.extend(row.iter().map(|cell| gray(*cell)));
    }
    Some(Map {
        data: encode(&pixels, width, height).ok()?,
        name: name.to_owned(),
        // The float32 of the message as its shortest decimal: 0.025 and not 0.02500000037.
        resolution: shortest(grid.info.resolution),
        width: i32::try_from(width).ok()?,
        height: i32::try_from(height).ok()?,
        origin: Some(planar(&grid.info.origin)),
    })
}

/// Like `draw`, for one message: a map whose picture would be too large has larger cells.
pub(super) fn draw_for_message(grid: &OccupancyGrid, name: &str) -> Option<Map> {
    draw_within(grid, name, MOST_PICTURE_BYTES)
}

fn draw_within(grid: &OccupancyGrid, name: &str, most: usize) -> Option<Map> {
    let mut map = draw(grid, name)?;
    let mut coarse = None;
    while map.data.len() > most {
        let finer = coarse.as_ref().unwrap_or(grid);
        if finer.data.len() <= 1 {
            return None;
        }
        let next = coarser(finer);
        tracing::warn!(
            "the picture of the map {name:?} with {} m has {} bytes, more than a client takes: it \
             is told with {} m",
            finer.info.resolution,
            map.data.len(),
            next.info.resolution
        );
        map = draw(&next, name)?;
        coarse = Some(next);
    }
    Some(map)
}

/// The same map with cells twice as wide: occupied where one of four is, else unknown where one
/// of them is.
fn coarser(grid: &OccupancyGrid) -> OccupancyGrid {
    let (width, height) = (grid.info.width as usize, grid.info.height as usize);
    let mut coarse = OccupancyGrid {
        header: grid.header.clone(),
        info: grid.info.clone(),
        data: Vec::new(),
    };
    coarse.info.resolution *= 2.0;
    coarse.info.width = width.div_ceil(2) as u32;
    coarse.info.height = height.div_ceil(2) as u32;
    for row in (0..height).step_by(2) {
        for column in (0..width).step_by(2) {
            let rows = row..height.min(row + 2);
            let four = rows.flat_map(|row| {
                let columns = column..width.min(column + 2);
                columns.map(move |column| row * width + column)
            });
            let mut cells = four
                .filter_map(|index| grid.data.get(index))
                .map(|cell| gray(*cell));
            let worst = cells.clone().any(|cell| cell == OCCUPIED).then_some(100);
            let unknown = cells.any(|cell| cell == UNKNOWN);
            coarse
                .data
                .push(worst.unwrap_or(if unknown { -1 } else { 0 }));
        }
    }
    coarse
}

/// Whether a map can be told in one message as it is.
///
/// # Errors
/// When its picture is too large for that.
pub(super) fn check_fits(grid: &OccupancyGrid) -> Result<(), ImageError> {
    check_within(grid, MOST_PICTURE_BYTES)
}

fn check_within(grid: &OccupancyGrid, most: usize) -> Result<(), ImageError> {
    match draw(grid, "") {
        Some(map) if map.data.len() > most => Err(ImageError::Bytes {
            given: map.data.len(),
            most,
        }),
        _ => Ok(()),
    }
}

/// The grid that a map's picture shows; anything but the three grays is unknown.
///
/// # Errors
/// When the picture or a number of the map is wrong.
pub(super) fn read(map: &Map) -> Result<OccupancyGrid, ImageError> {
    let picture = decode(&map.data)?;
    if (i64::from(map.width), i64::from(map.height))
        != (i64::from(picture.width), i64::from(picture.height))
    {
        return Err(ImageError::Contradiction {
            said: (map.width, map.height),
            shown: (picture.width, picture.height),
        });
    }
    let origin = map.origin.unwrap_or_default();
    picture.grid(map.resolution, &origin, |gray| match gray {
        OCCUPIED => 100,
        FREE => 0,
        _ => -1,
    })
}

/// The grid that any picture shows: grays up to 189 are occupied, from 244 on free, between
/// them and where it is transparent unknown. So pictures of this robot (174, 253, 234) and of
/// ROS (0, 254, 205) both mean what they should. The lower left corner is the origin.
///
/// # Errors
/// When the picture or the resolution is wrong.
pub(super) fn read_picture(png: &[u8], resolution: f64) -> Result<OccupancyGrid, ImageError> {
    let picture = decode(png)?;
    picture.grid(resolution, &Pose::default(), |gray| match gray {
        0..=189 => 100,
        244.. => 0,
        _ => -1,
    })
}

fn gray(cell: i8) -> u8 {
    match cell {
        OCCUPIED_FROM.. => OCCUPIED,
        0..=FREE_TO => FREE,
        _ => UNKNOWN,
    }
}

fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// Compresses for speed, or for size when the file is too large for a message else.
fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, png::EncodingError> {
    let file = encode_with(pixels, width, height, |encoder| {
        encoder.set_compression(png::Compression::Balanced);
    })?;
    if file.len() <= MOST_PICTURE_BYTES {
        return Ok(file);
    }
    // Three grays that change often are smaller as they are than as differences.
    let small = encode_with(pixels, width, height, |encoder| {
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::NoFilter);
    })?;
    Ok(if small.len() < file.len() {
        small
    } else {
        file
    })
}

fn encode_with(
    pixels: &[u8],
    width: u32,
    height: u32,
    set: impl FnOnce(&mut png::Encoder<'_, &mut Vec<u8>>),
) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    set(&mut encoder);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

/// Gray values by rows from the top.
struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Picture {
    fn grid(
        &self,
        resolution: f64,
        origin: &Pose,
        cell: impl Fn(u8) -> i8,
    ) -> Result<OccupancyGrid, ImageError> {
        // NaN is in no range.
        if !(resolution > 0.0 && resolution <= 10.0) {
            return Err(ImageError::Resolution(resolution));
        }
        if ![origin.x, origin.y, origin.theta]
            .iter()
            .all(|v| v.is_finite())
        {
            return Err(ImageError::Origin);
        }
        let mut grid = OccupancyGrid::default();
        grid.header.frame_id = "map".to_owned();
        grid.info.resolution = resolution as f32;
        grid.info.width = self.width;
        grid.info.height = self.height;
        grid.info.origin = spatial(origin);
        for row in self.pixels.chunks_exact(self.width as usize).rev() {
            grid.data.extend(row.iter().map(|gray| cell(*gray)));
        }
        Ok(grid)
    }
}

fn decode(png: &[u8]) -> Result<Picture, ImageError> {
    let limits = png::Limits {
        bytes: 4 * MOST_CELLS as usize + (1 << 20),
    };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(png), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let (width, height) = (reader.info().width, reader.info().height);
    if u64::from(width) * u64::from(height) > MOST_CELLS {
        return Err(ImageError::Size { width, height });
    }
    let (color, _) = reader.output_color_type();
    let size = reader
        .output_buffer_size()
        .ok_or(ImageError::Size { width, height })?;
    let mut buffer = vec![0; size];
    reader.next_frame(&mut buffer)?;
    // The checks at the end of the file, too.
    reader.finish()?;
    let pixels = buffer
        .chunks_exact(color.samples())
        .map(|sample| match sample {
            [gray] => *gray,
            [_, 0] | [_, _, _, 0] => UNKNOWN,
            [gray, _] => *gray,
            [red, green, blue, ..] => luma(*red, *green, *blue),
            _ => UNKNOWN,
        });
    Ok(Picture {
        width,
        height,
        pixels: pixels.collect(),
    })
}

/// Brightness by the weights of Rec. 601.
fn luma(red: u8, green: u8, blue: u8) -> u8 {
    let sum = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
    ((sum + 500) / 1000) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 cells wide, 2 high; row 0 is the lowest y.
    fn grid() -> OccupancyGrid {
        let mut grid = OccupancyGrid::default();
        grid.info.width = 3;
        grid.info.height = 2;
        grid.info.resolution = 0.025;
        grid.info.origin = spatial(&Pose {
            x: -1.0,
            y: 2.0,
            theta: 0.0,
        });
        grid.data = vec![0, 100, -1, 25, 65, 50];
        grid
    }

    #[test]
    fn a_grid_becomes_a_picture_with_the_top_row_first() {
        let map = draw(&grid(), "hall").unwrap();
        let decoder = png::Decoder::new(Cursor::new(&map.data));
        let mut reader = decoder.read_info().unwrap();
        let info = reader.info();
        assert_eq!((info.width, info.height), (3, 2));
        assert_eq!(info.color_type, png::ColorType::Grayscale);
        assert_eq!(info.bit_depth, png::BitDepth::Eight);
        let mut pixels = vec![0; 6];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [253, 174, 234, 253, 174, 234]);
        assert_eq!((map.width, map.height, map.name.as_str()), (3, 2, "hall"));
        assert_eq!(map.resolution, 0.025);
        let origin = map.origin.unwrap();
        assert_eq!((origin.x, origin.y, origin.theta), (-1.0, 2.0, 0.0));
    }

    #[test]
    fn a_grid_without_cells_is_no_picture() {
        assert_eq!(draw(&OccupancyGrid::default(), ""), None);
        let mut torn = grid();
        torn.data.pop();
        assert_eq!(draw(&torn, ""), None);
    }

    #[test]
    fn a_map_is_read_back_cell_by_cell() {
        let back = read(&draw(&grid(), "").unwrap()).unwrap();
        assert_eq!(back.data, [0, 100, -1, 0, 100, -1]);
        assert_eq!((back.info.width, back.info.height), (3, 2));
        assert_eq!(back.info.origin.position.x, -1.0);
        assert_eq!(back.info.resolution, 0.025);
    }

    #[test]
    fn pictures_of_any_kind_are_read_by_their_brightness() {
        let gray = encode(&[0, 174, 205, 234, 253, 255], 3, 2).unwrap();
        let cells = read_picture(&gray, 0.05).unwrap().data;
        assert_eq!(cells, [-1, 0, 0, 100, 100, -1]);
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 3, 1);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().unwrap();
        // Black, white, and black that is transparent.
        let pixels = [0, 0, 0, 255, 255, 255, 255, 255, 0, 0, 0, 0];
        writer.write_image_data(&pixels).unwrap();
        writer.finish().unwrap();
        assert_eq!(read_picture(&file, 0.05).unwrap().data, [100, 0, -1]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let png = encode(&[0], 1, 1).unwrap();
        for resolution in [0.0, -1.0, 11.0, f64::NAN, f64::INFINITY] {
            let text = read_picture(&png, resolution).unwrap_err().to_string();
            assert!(text.contains("above 0 and at most 10"), "{text}");
        }
        let text = read_picture(b"no picture", 0.05).unwrap_err().to_string();
        assert!(text.contains("no PNG"), "{text}");
        let mut map = draw(&grid(), "").unwrap();
        map.width = 4;
        let text = read(&map).unwrap_err().to_string();
        assert!(text.contains("(4, 2)") && text.contains("(3, 2)"), "{text}");
        // Every truncation.
        map.width = 3;
        for length in 0..map.data.len() {
            let torn = Map {
                data: map.data[..length].to_vec(),
                ..map.clone()
            };
            assert!(read(&torn).is_err(), "{length} bytes were taken");
        }
    }

    /// 64 by 64 cells that do not compress.
    fn noise() -> OccupancyGrid {
        let mut grid = grid();
        (grid.info.width, grid.info.height) = (64, 64);
        let mut random = 1_u64;
        grid.data = (0..64 * 64)
            .map(|_| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                [0, 100, -1][(random >> 33) as usize % 3]
            })
            .collect();
        grid
    }

    #[test]
    fn a_picture_that_is_too_large_for_a_message_is_coarser() {
        let grid = noise();
        let whole = draw(&grid, "").unwrap();
        assert_eq!((whole.width, whole.height), (64, 64));
        let most = whole.data.len() - 1;
        let told = draw_within(&grid, "hall", most).unwrap();
        assert_eq!((told.width, told.height), (32, 32));
        assert!(told.data.len() <= most, "{} bytes", told.data.len());
        assert_eq!((told.resolution, told.name.as_str()), (0.05, "hall"));
        assert_eq!(told.origin, whole.origin);
        let told = draw_within(&grid, "", whole.data.len() / 8).unwrap();
        assert!(told.data.len() <= whole.data.len() / 8 && told.width < 32);
        // Nothing is as small as that.
        assert_eq!(draw_within(&grid, "", 10), None);
        let said = check_within(&grid, most).unwrap_err().to_string();
        assert!(said.contains(&format!("{} bytes", most + 1)), "{said}");
        assert!(check_within(&grid, most + 1).is_ok() && check_fits(&grid).is_ok());
    }

    #[test]
    fn a_coarser_cell_is_the_worst_of_its_four() {
        // 3 by 2: the last column has two cells only.
        let coarse = coarser(&grid());
        assert_eq!((coarse.info.width, coarse.info.height), (2, 1));
        assert_eq!(coarse.data, [100, -1]);
        assert_eq!(coarse.info.resolution, 0.05);
    }

    #[test]
    fn a_picture_that_says_it_is_huge_is_refused_before_it_is_read() {
        // A header alone: 65,535 x 65,535 pixels.
        let mut file =
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\xff\xff\0\0\xff\xff\x08\0\0\0\0".to_vec();
        file.extend([0x00; 4]);
        assert!(read_picture(&file, 0.05).is_err());
    }
}
