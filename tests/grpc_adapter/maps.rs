//! Maps as pictures and files.

use futures::{StreamExt, stream};
use r2r::nav_msgs::msg::OccupancyGrid;
use tatami::grpc::proto::export_map_response::Response as Part;
use tatami::grpc::proto::*;
use tonic::Code;

use super::client::{Client, connect, newest, set_up, soon, told, unanswered};
use super::fake::time;
use super::ros::turn;

/// 300 by 200 cells, no two rows alike.
fn grid() -> OccupancyGrid {
    let mut grid = OccupancyGrid::default();
    grid.info.width = 300;
    grid.info.height = 200;
    grid.info.resolution = 0.05;
    grid.info.origin.position.x = -2.0;
    grid.info.origin.orientation.w = 1.0;
    // A sequence that does not compress, so that the file has several parts.
    let mut random = 1_u64;
    grid.data = (0..60_000)
        .map(|_| {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            [0, 100, -1][(random >> 33) as usize % 3]
        })
        .collect();
    grid
}

async fn export(client: &mut Client, id: &str) -> (Vec<Vec<u8>>, Result) {
    let request = ExportMapRequest {
        map_id: id.to_owned(),
    };
    let mut stream = told!(client.export_map(request));
    let mut parts = Vec::new();
    loop {
        let part = soon(stream.message())
            .await
            .unwrap()
            .expect("an end of the stream");
        match part.response.unwrap() {
            Part::MiddleOfStream(part) => parts.push(part.data),
            Part::EndOfStream(end) => {
                assert_eq!(soon(stream.message()).await.unwrap(), None);
                return (parts, end.result.unwrap());
            }
        }
    }
}

async fn import(client: &mut Client, file: &[u8], part: usize) -> ImportMapResponse {
    let parts: Vec<_> = file
        .chunks(part)
        .map(|data| ImportMapRequest {
            data: data.to_vec(),
        })
        .collect();
    told!(client.import_map(stream::iter(parts)))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_map_is_a_gray_picture_with_the_top_row_first() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    // A map without cells is none.
    fake.does(|robot| robot.to().map.publish(&OccupancyGrid::default()).unwrap());
    let none = unanswered(client.get_png_map(newest())).await;
    assert!(none.is_none(), "{none:?}");
    fake.does(|robot| robot.to().map.publish(&grid()).unwrap());
    let map = told!(soon(client.get_png_map(newest()))).map.unwrap();
    assert_eq!(
        (map.width, map.height, map.name.as_str()),
        (300, 200, "hall")
    );
    assert_eq!(map.resolution, 0.05);
    let origin = map.origin.unwrap();
    assert_eq!((origin.x, origin.y, origin.theta), (-2.0, 0.0, 0.0));
    let decoder = png::Decoder::new(std::io::Cursor::new(&map.data));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(
        (info.color_type, info.bit_depth),
        (png::ColorType::Grayscale, png::BitDepth::Eight)
    );
    let grid = grid();
    for row in 0..200 {
        for column in 0..300 {
            let cell = grid.data[(199 - row) * 300 + column];
            let expected = match cell {
                100 => 174,
                0 => 253,
                _ => 234,
            };
            assert_eq!(
                pixels[row * 300 + column],
                expected,
                "row {row}, column {column}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exported_map_is_imported_cell_by_cell_in_parts_of_any_size() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    fake.does(|robot| {
        let mut small = OccupancyGrid::default();
        (small.info.width, small.info.height) = (1, 1);
        small.data = vec![0];
        robot.to().map.publish(&small).unwrap();
        robot.map = grid();
        // Beside the three values of the picture there are none.
        robot.map.info.map_load_time = time(9);
    });
    let (parts, result) = export(&mut client, "M1").await;
    assert!(result.success, "{result:?}");
    let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
    let (last, whole) = sizes.split_last().unwrap();
    let even = whole.iter().all(|size| *size == 65_536);
    assert!(even && *last <= 65_536 && *last > 0, "{sizes:?}");
    let file = parts.concat();
    let mut ids = Vec::new();
    for part in [file.len(), 65_536, 1_048_576, 999] {
        let reply = import(&mut client, &file, part).await;
        assert!(reply.result.unwrap().success, "parts of {part}");
        let kept = reply.map_id.clone();
        let (name, back) = fake.does(move |robot| robot.kept[&kept].clone());
        assert_eq!(name, "hall");
        assert!(back.data == grid().data, "other cells with parts of {part}");
        assert_eq!(back.info.resolution, 0.05);
        assert_eq!(back.info.origin.position.x, -2.0);
        ids.push(reply.map_id);
    }
    let listed = told!(client.get_map_list(newest())).map_list_entries;
    let listed: Vec<&str> = listed
        .iter()
        .skip(1)
        .map(|entry| entry.id.as_str())
        .collect();
    assert_eq!(listed, ids);
    let request = LoadMapPreviewRequest {
        map_id: ids[0].clone(),
    };
    let preview = told!(client.load_map_preview(request));
    assert!(preview.result.unwrap().success);
    assert_eq!(preview.map.unwrap().width, 300);
    let request = SwitchMapRequest {
        map_id: ids[0].clone(),
        initial_pose: Some(Pose {
            x: 1.0,
            y: 2.0,
            theta: 3.0,
        }),
        docking_state_inherit_method: 1,
        ..Default::default()
    };
    let reply = told!(client.switch_map(request));
    assert!(reply.result.unwrap().success);
    let asked = fake.asked("sim/map/switch").unwrap();
    for part in [
        "has_initial_pose: true",
        "x: 1.0",
        "yaw: 3.0",
        "inherit_docked_shelf: true",
    ] {
        assert!(asked.contains(part), "{part} in {asked}");
    }
    let current = told!(client.get_current_map_id(newest()));
    assert_eq!(current.id, ids[0]);
    // The picture, too.
    let shown = soon(client.get_png_map(newest())).await.unwrap();
    assert_eq!(shown.into_inner().map.unwrap().width, 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_map_is_refused_with_a_code() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    fake.does(|robot| robot.map = grid());
    let (parts, result) = export(&mut client, "M9").await;
    assert!(parts.is_empty() && !result.success, "{result:?}");
    assert_eq!(result.error_code, 90003);
    let (parts, _) = export(&mut client, "M1").await;
    let file = parts.concat();
    let mut changed = file.clone();
    changed[file.len() / 2] ^= 1;
    for bad in [&b"no map"[..], &[], &file[..file.len() - 1], &changed] {
        let reply = import(&mut client, bad, 1000).await;
        let result = reply.result.unwrap();
        assert!(!result.success && result.error_code != 0, "{result:?}");
        assert_eq!(reply.map_id, "");
    }
    assert!(fake.does(|robot| robot.kept.is_empty()));
    // More than is taken.
    let part = ImportMapRequest {
        data: vec![0; 2_000_000],
    };
    let flood = stream::iter(vec![part; 40]);
    let status = client.import_map(flood).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
    assert!(status.message().contains("67108864"), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_becomes_a_map() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 3, 2);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer
        .write_image_data(&[0, 174, 205, 234, 253, 255])
        .unwrap();
    writer.finish().unwrap();
    let charger = Pose {
        x: 0.1,
        y: 0.2,
        theta: 0.3,
    };
    let parts: Vec<_> = file
        .chunks(10)
        .enumerate()
        .map(|(index, data)| ImportImageAsMapRequest {
            data: data.to_vec(),
            charger_pose: (index == 0).then_some(charger),
            resolution: if index == 0 { 0.1 } else { 0.0 },
        })
        .collect();
    let reply = told!(client.import_image_as_map(stream::iter(parts)));
    assert!(reply.result.unwrap().success);
    let kept = reply.map_id.clone();
    let (_, map) = fake.does(move |robot| robot.kept[&kept].clone());
    assert_eq!(map.data, [-1, 0, 0, 100, 100, -1]);
    assert_eq!(
        (map.info.width, map.info.height, map.info.resolution),
        (3, 2, 0.1)
    );
    let asked = fake.asked("sim/map/add").unwrap();
    assert!(asked.contains("has_charger_pose: true"), "{asked}");
    let without = ImportImageAsMapRequest {
        data: file,
        ..Default::default()
    };
    let reply = told!(client.import_image_as_map(stream::iter([without])));
    assert!(!reply.result.unwrap().success, "it had no resolution");
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_that_stall_are_few_and_end() {
    let _turn = turn();
    let (_fake, adapter, mut client) = set_up(&[]).await;
    let part = || ImportMapRequest {
        data: b"TATAMAP1".to_vec(),
    };
    let stalled = move || stream::iter([part()]).chain(stream::pending());
    let mut stalls = Vec::new();
    for _ in 0..7 {
        let mut client = connect(&adapter).await;
        stalls.push(tokio::spawn(
            async move { client.import_map(stalled()).await },
        ));
    }
    let mut codes = Vec::new();
    for stall in stalls {
        codes.push(soon(stall).await.unwrap().unwrap_err().code());
    }
    let count = |code| codes.iter().filter(|other| **other == code).count();
    assert_eq!(count(Code::DeadlineExceeded), 4, "{codes:?}");
    assert_eq!(count(Code::ResourceExhausted), 3, "{codes:?}");
    let reply = client.import_map(stream::iter([part()])).await.unwrap();
    assert!(!reply.into_inner().result.unwrap().success);
}
