//! Pictures as bytes: JPEG, PNG and the messages of image_transport.
//!
//! JPEG is the work of `jpeg-encoder`: a baseline encoder in Rust. Of what there is in Rust it is
//! four times as fast as the one of `image`; the others of the same speed are bindings to
//! C. Its vector code, used where the processor has AVX2, rounds a few coefficients
//! differently: JPEG bytes are the same on all processors with AVX2, and on all without.

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use super::depth_image::DepthImage;
use super::frame::Frame;

/// `encoding` of sensor_msgs/Image for a frame's colours.
pub const RGB_ENCODING: &str = "rgb8";

/// `format` of sensor_msgs/CompressedImage for JPEG, as image_transport writes it for
/// `rgb8`: what it was, what it is, and the order of channels that its OpenCV coder took.
pub const JPEG_FORMAT: &str = "rgb8; jpeg compressed bgr8";

/// `format` of sensor_msgs/CompressedImage on a `compressedDepth` topic.
pub const COMPRESSED_DEPTH_FORMAT: &str = "16UC1; compressedDepth png";

/// Quality of a JPEG where nothing else is said, 1 to 100; estimate, with which a picture
/// of 1280 x 720 has about 100 kB.
pub const DEFAULT_JPEG_QUALITY: u8 = 80;

/// A picture that can't be coded.
#[derive(Debug, thiserror::Error)]
pub enum CodingError {
    /// The frame was drawn without what is to be coded.
    #[error("the frame has {found} bytes of {channel}, a picture of its size has {expected}")]
    Missing {
        /// Colour or depth.
        channel: &'static str,
        /// Bytes there are.
        found: usize,
        /// Bytes there should be.
        expected: usize,
    },
    /// JPEG.
    #[error("JPEG: {0}")]
    Jpeg(#[from] jpeg_encoder::EncodingError),
    /// PNG.
    #[error("PNG: {0}")]
    Png(#[from] png::EncodingError),
}

/// A frame's colours as a JPEG file of a quality from 1 to 100 (what is beyond counts as the
/// nearest). The chroma has half the resolution.
///
/// # Errors
/// When the frame has no colours.
pub fn jpeg(frame: &Frame, quality: u8) -> Result<Vec<u8>, CodingError> {
    let (width, height) = sides(frame, "colour", frame.colour.len(), 3)?;
    let mut file = Vec::with_capacity(frame.colour.len() / 8);
    let mut encoder = Encoder::new(&mut file, quality.clamp(1, 100));
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.encode(&frame.colour, width, height, ColorType::Rgb)?;
    Ok(file)
}

/// A frame's colours as a PNG file.
///
/// # Errors
/// When the frame has no colours.
pub fn png(frame: &Frame) -> Result<Vec<u8>, CodingError> {
    let (width, height) = sides(frame, "colour", frame.colour.len(), 3)?;
    let size = (u32::from(width), u32::from(height));
    let kind = (png::ColorType::Rgb, png::BitDepth::Eight);
    png_file(Vec::new(), size, kind, &frame.colour)
}

/// A depth image as `compressedDepth`: the header of compressed_depth_image_transport and a
/// PNG of 16 bits.
///
/// The header is its struct `ConfigHeader`, little-endian: `int32 format` (0, inverse depth;
/// the one value there is) and `float32[2]`, the parameters of the quantisation that only
/// depths in floating point have: 0 here.
///
/// # Errors
/// When the image has no pixels.
pub fn compressed_depth(image: &DepthImage) -> Result<Vec<u8>, CodingError> {
    const HEADER: [u8; 12] = [0; 12];
    // PNG is big-endian.
    let samples: Vec<u8> = (image.millimetres.iter())
        .flat_map(|depth| depth.to_be_bytes())
        .collect();
    let size = (image.width as u32, image.height as u32);
    let kind = (png::ColorType::Grayscale, png::BitDepth::Sixteen);
    png_file(HEADER.to_vec(), size, kind, &samples)
}

fn png_file(
    mut start: Vec<u8>,
    (width, height): (u32, u32),
    (colour, depth): (png::ColorType, png::BitDepth),
    samples: &[u8],
) -> Result<Vec<u8>, CodingError> {
    let mut encoder = png::Encoder::new(&mut start, width, height);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(samples)?;
    writer.finish()?;
    Ok(start)
}

/// The sides of a frame, if it has a channel whole.
fn sides(
    frame: &Frame,
    channel: &'static str,
    found: usize,
    per_pixel: usize,
) -> Result<(u16, u16), CodingError> {
    let expected = frame.width * frame.height * per_pixel;
    match (u16::try_from(frame.width), u16::try_from(frame.height)) {
        (Ok(width), Ok(height)) if found == expected && found > 0 => Ok((width, height)),
        _ => Err(CodingError::Missing {
            channel,
            found,
            expected,
        }),
    }
}
