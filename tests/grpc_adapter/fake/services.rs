//! The services of the robot.

use futures::{FutureExt, Stream, StreamExt};
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::tatami_msgs::srv::*;
use r2r::{Node, QosProfile, ServiceRequest, WrappedServiceTypeSupport};

use super::robot::{Robot, named};

type Requests<T> = Box<dyn Stream<Item = ServiceRequest<T>> + Send + Unpin>;

/// Answers what has been asked of one service.
pub(super) type Serve = Box<dyn FnMut(&mut Robot) + Send>;

fn serve<T: WrappedServiceTypeSupport + 'static>(
    node: &mut Node,
    robot: &str,
    name: &'static str,
    mut answer: impl FnMut(&mut Robot, &T::Request) -> T::Response + Send + 'static,
) -> Serve {
    let qos = QosProfile::services_default().keep_last(1000);
    let service = node
        .create_service::<T>(&format!("{robot}/{name}"), qos)
        .unwrap();
    let mut requests: Requests<T> = Box::new(service);
    Box::new(move |robot| {
        while let Some(Some(request)) = requests.next().now_or_never() {
            let said = format!("{:?}", request.message);
            robot.asked.push((name.to_owned(), said));
            if robot.mute {
                continue;
            }
            let response = answer(robot, &request.message);
            respond(request, response);
        }
    })
}

/// Sends a reply, again while the way back to the client is not found yet.
fn respond<T: WrappedServiceTypeSupport + 'static>(
    request: ServiceRequest<T>,
    response: T::Response,
) {
    while let Err(error) = request.clone().respond(response.clone()) {
        assert!(matches!(error, r2r::Error::RCL_RET_TIMEOUT), "{error}");
    }
}

/// A reply that says yes, after a change of the state.
macro_rules! yes {
    ($service:ident, $robot:expr, $change:expr) => {{
        $robot.change($change);
        $service::Response {
            success: true,
            sequence: $robot.state.sequence,
            ..Default::default()
        }
    }};
}

/// All services of a robot in this namespace.
pub(super) fn services(node: &mut Node, at: &str) -> Vec<Serve> {
    vec![
        serve::<StartCommand::Service>(node, at, "sim/command/start", |robot, asked| {
            robot.start(asked)
        }),
        serve::<CancelCommand::Service>(node, at, "sim/command/cancel", |robot, _| robot.cancel()),
        serve::<OnboardTrigger::Service>(node, at, "sim/command/proceed", |robot, _| {
            yes!(OnboardTrigger, robot, |_| {})
        }),
        serve::<StartShortcut::Service>(node, at, "sim/shortcut/start", |robot, _| {
            yes!(StartShortcut, robot, |_| {})
        }),
        serve::<SetManualControl::Service>(node, at, "sim/manual_control", |robot, asked| {
            let enable = asked.enable;
            yes!(SetManualControl, robot, |s| s.manual_control_enabled =
                enable)
        }),
        serve::<SetVelocity::Service>(node, at, "sim/velocity", |robot, _| robot.velocity()),
        serve::<SetPoseEstimate::Service>(node, at, "sim/pose_estimate", |robot, asked| {
            let mut pose = PoseStamped::default();
            pose.pose.position.x = asked.x;
            pose.pose.position.y = asked.y;
            pose.pose.orientation.z = (asked.yaw / 2.0).sin();
            pose.pose.orientation.w = (asked.yaw / 2.0).cos();
            robot.to.pose.publish(&pose).unwrap();
            yes!(SetPoseEstimate, robot, |_| {})
        }),
        serve::<OnboardSetBool::Service>(node, at, "sim/auto_homing", |robot, asked| {
            let data = asked.data;
            yes!(OnboardSetBool, robot, |s| s.auto_homing_enabled = data)
        }),
        serve::<OnboardTrigger::Service>(node, at, "sim/emergency_stop", |robot, _| {
            yes!(OnboardTrigger, robot, |s| s.errors = vec![21051])
        }),
        serve::<OnboardTrigger::Service>(node, at, "sim/restart", |robot, _| {
            yes!(OnboardTrigger, robot, |s| s.ready = false)
        }),
        serve::<OnboardSetNumber::Service>(node, at, "sim/speaker_volume", |robot, asked| {
            let volume = asked.data as i32;
            if !(0..=10).contains(&volume) {
                return OnboardSetNumber::Response {
                    error_code: 90004,
                    sequence: robot.state.sequence,
                    ..Default::default()
                };
            }
            yes!(OnboardSetNumber, robot, |s| s.speaker_volume = volume)
        }),
        serve::<OnboardSetNumber::Service>(node, at, "sim/torch/front", |robot, _| {
            yes!(OnboardSetNumber, robot, |_| {})
        }),
        serve::<OnboardSetNumber::Service>(node, at, "sim/torch/back", |robot, _| {
            yes!(OnboardSetNumber, robot, |_| {})
        }),
        serve::<OnboardSetNumber::Service>(node, at, "sim/laser_scan/activate", |robot, _| {
            yes!(OnboardSetNumber, robot, |_| {})
        }),
        serve::<OnboardSetText::Service>(node, at, "sim/shelf/reset_pose", |robot, _| {
            yes!(OnboardSetText, robot, |_| {})
        }),
        serve::<AddSound::Service>(node, at, "sim/sound/add", |robot, asked| {
            let sound = named("SO1", &asked.name);
            let mut reply = yes!(AddSound, robot, |s| s.sounds.push(sound));
            reply.sound_id = "SO1".to_owned();
            reply
        }),
        serve::<OnboardSetText::Service>(node, at, "sim/sound/delete", |robot, asked| {
            let id = asked.data.clone();
            yes!(OnboardSetText, robot, |s| s
                .sounds
                .retain(|sound| sound.id != id))
        }),
        serve::<PlaySound::Service>(node, at, "sim/sound/play", |robot, _| {
            yes!(PlaySound, robot, |_| {})
        }),
        serve::<OnboardTrigger::Service>(node, at, "sim/sound/stop", |robot, _| {
            yes!(OnboardTrigger, robot, |_| {})
        }),
        serve::<SwitchMap::Service>(node, at, "sim/map/switch", |robot, asked| {
            let id = asked.map_id.clone();
            let reply = yes!(SwitchMap, robot, |s| s.current_map_id = id);
            let map = robot.kept_map(&asked.map_id).map;
            robot.to.map.publish(&map).unwrap();
            reply
        }),
        serve::<GetMap::Service>(node, at, "sim/map/get", |robot, asked| {
            robot.kept_map(&asked.map_id)
        }),
        serve::<AddMap::Service>(node, at, "sim/map/add", |robot, asked| {
            robot.keep_map(asked)
        }),
        serve::<Republish::Service>(node, "", "tatami/republish", |robot, _| robot.republish()),
    ]
}
