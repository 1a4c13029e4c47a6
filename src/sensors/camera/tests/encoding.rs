//! Files and messages.

use super::*;
use crate::sensors::NoiseKey;

/// Boxes in a room, as a robot sees them.
fn picture() -> Frame {
    let mut prisms = vec![wall(1, 3.0, 9.0, [0.0, 2.4])];
    for (number, y) in [(2, -0.8), (3, 0.1), (4, 0.9)] {
        let shape = PlanarShape::rectangle(0.4, 0.5);
        let mut here = prism(number, shape, Pose2::new(1.5, y, y), [0.0, 0.4]);
        here.material = Material::new([60 * number as u8, 120, 90], Pattern::Wood);
        prisms.push(here);
    }
    let spec = CameraSpec {
        width: 322,
        height: 181,
        ..small()
    };
    draw(spec, &scene(prisms), &looking(0.1, 0.0))
}

#[test]
fn a_jpeg_has_the_right_size_and_is_near_the_picture() {
    let frame = picture();
    for (quality, least) in [(50, 28.0), (80, 30.0), (95, 33.0)] {
        let file = coding::jpeg(&frame, quality).unwrap();
        assert_eq!(file[..3], [0xff, 0xd8, 0xff]);
        let mut decoder = jpeg_decoder::Decoder::new(&file[..]);
        let pixels = decoder.decode().unwrap();
        let info = decoder.info().unwrap();
        assert_eq!((info.width, info.height), (322, 181));
        assert_eq!(info.pixel_format, jpeg_decoder::PixelFormat::RGB24);
        let square = |(a, b): (&u8, &u8)| (f64::from(*a) - f64::from(*b)).powi(2);
        let error: f64 = pixels.iter().zip(&frame.colour).map(square).sum();
        let error = error / pixels.len() as f64;
        let psnr = 10.0 * (255.0 * 255.0 / error).log10();
        assert!(psnr > least, "{psnr} dB at quality {quality}");
    }
    assert_eq!(
        coding::jpeg(&frame, 80).unwrap(),
        coding::jpeg(&frame, 80).unwrap()
    );
}

#[test]
fn a_png_is_the_picture() {
    let frame = picture();
    let file = coding::png(&frame).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (322, 181));
    assert!(pixels == frame.colour, "other pixels");
}

#[test]
fn a_frame_without_colours_is_no_picture() {
    let camera = Camera::new(small()).unwrap();
    let mut frame = Frame::default();
    assert!(coding::jpeg(&frame, 80).is_err());
    Renderer::new().draw(
        &camera,
        &Scene::default(),
        &looking(0.1, 0.0),
        Channels::DEPTH,
        &mut frame,
    );
    let error = coding::jpeg(&frame, 80).unwrap_err().to_string();
    assert!(
        error.contains("0 bytes of colour") && error.contains("72000"),
        "{error}"
    );
    assert!(coding::compressed_depth(&DepthImage::default()).is_err());
}

/// 4 x 3 depths of a wall and nothing above it.
fn depth_image(errors: &DepthNoise, step: u64) -> DepthImage {
    let spec = CameraSpec::kachaka_tof();
    let frame = draw(
        spec,
        &scene(vec![wall(1, 1.234, 9.0, [0.0, 1.0])]),
        &looking(0.5, 0.0),
    );
    let noise = NoiseKey::new(0, "kachaka", "tof_camera").at(step);
    DepthImage::of(&frame, &spec, errors, &noise)
}

#[test]
fn depth_is_in_millimetres_and_0_where_nothing_is() {
    let image = depth_image(&DepthNoise::default(), 1);
    assert_eq!((image.width, image.height), (160, 120));
    assert_eq!(image.millimetres[60 * 160 + 80], 1234);
    // Row 0 looks up by 59.5 / 138.6: 0.53 m at the wall, over its upper edge at 0.5 m.
    assert_eq!(image.millimetres[80], 0);
    let bytes = image.bytes();
    assert_eq!(bytes.len(), 320 * 120);
    let pixel = 2 * (60 * 160 + 80);
    assert_eq!(bytes[pixel..pixel + 2], 1234_u16.to_le_bytes());
}

#[test]
fn depth_noise_grows_with_depth_and_follows_its_seed() {
    let errors = DepthNoise::KACHAKA_TOF;
    let exact = depth_image(&DepthNoise::default(), 1);
    let noisy = depth_image(&errors, 1);
    assert_eq!(noisy, depth_image(&errors, 1));
    assert_ne!(noisy, depth_image(&errors, 2));
    // All pixels of the wall: 1234 mm, so 3 mm + 0.5 % = 9.17 mm.
    let of_wall: Vec<f64> = (exact.millimetres.iter().zip(&noisy.millimetres))
        .filter(|(exact, _)| **exact == 1234)
        .map(|(_, noisy)| f64::from(*noisy))
        .collect();
    let count = of_wall.len() as f64;
    assert!(count > 5000.0, "{count}");
    let mean = of_wall.iter().sum::<f64>() / count;
    let variance = of_wall.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / count;
    // Four standard errors, and the steps of a millimetre.
    assert!(
        (mean - 1234.0).abs() < 4.0 * 9.17 / count.sqrt() + 0.5,
        "{mean}"
    );
    assert!((variance.sqrt() - 9.17).abs() < 0.5, "{}", variance.sqrt());
    let missing = |image: &DepthImage| image.millimetres.iter().filter(|d| **d == 0).count();
    assert_eq!(missing(&exact), missing(&noisy), "noise is on hits only");
}

#[test]
fn compressed_depth_is_a_header_and_a_png_of_16_bits() {
    let image = depth_image(&DepthNoise::KACHAKA_TOF, 1);
    let message = coding::compressed_depth(&image).unwrap();
    // int32 format = 0 and two float32.
    assert_eq!(message[..12], [0; 12]);
    assert_eq!(message[12..20], *b"\x89PNG\r\n\x1a\n");
    let mut reader = png::Decoder::new(std::io::Cursor::new(&message[12..]))
        .read_info()
        .unwrap();
    let mut samples = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut samples).unwrap();
    assert_eq!((info.width, info.height), (160, 120));
    assert_eq!(info.bit_depth, png::BitDepth::Sixteen);
    assert_eq!(info.color_type, png::ColorType::Grayscale);
    let found: Vec<u16> = (samples.chunks_exact(2))
        .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
        .collect();
    assert_eq!(found, image.millimetres);
}

#[test]
fn bad_noise_is_refused() {
    let mut errors = DepthNoise::KACHAKA_TOF;
    assert_eq!(errors.check(), Ok(()));
    errors.per_metre = -1.0;
    let error = errors.check().unwrap_err().to_string();
    assert!(error.contains("noise_per_metre is -1"), "{error}");
}
