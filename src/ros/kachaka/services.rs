//! The services of a Kachaka: what arrives is asked of its software at once. The state that
//! shows the effect, which the reply names, or a later one is sent before the reply.

use r2r::std_srvs::srv::{SetBool, Trigger};
use r2r::tatami_msgs::srv::{
    AddMap, AddSound, CancelCommand, GetMap, OnboardSetBool, OnboardSetNumber, OnboardSetText,
    OnboardTrigger, PlaySound, SetManualControl, SetPoseEstimate, SetVelocity, StartCommand,
    StartShortcut, SwitchMap,
};
use r2r::{Context, Node, ServiceRequest, WrappedServiceTypeSupport};
use std::time::Duration;

use super::closing::ClosingServices;
use super::convert;
use super::desk::{Asked, Desk, Onboard};
use super::names::{bridge_service, sim_service};
use super::plan::KachakaPlan;
use super::reply::Reply;
use crate::kachaka::error_codes::code;
use crate::kachaka::{Kachaka, NewMap, Refusal, TorchSide};
use crate::ros::bindings::{BindingsError, check_service};
use crate::ros::inbox::{Inbox, poll};
use crate::ros::onboard::Outcome;
use crate::ros::replies::Replies;
use crate::ros::services::open;
use crate::world::Pose2;

pub(super) type Requests<T> = Inbox<ServiceRequest<T>>;

/// What a request without fields does.
type Act = fn(&mut Kachaka) -> Asked;
/// What a request with one field does.
type ActWith<T> = fn(&mut Kachaka, T) -> Asked;
/// What a request with text does.
type ActOnText = fn(&mut Kachaka, &str) -> Asked;

const TRIGGERS: [(&str, Act); 4] = [
    (sim_service::PROCEED, Kachaka::proceed),
    (sim_service::EMERGENCY_STOP, |kachaka| {
        kachaka.emergency_stop();
        Ok(())
    }),
    (sim_service::RESTART, |kachaka| {
        kachaka.restart();
        Ok(())
    }),
    (sim_service::STOP_SOUND, |kachaka| {
        kachaka.stop_sound();
        Ok(())
    }),
];

const NUMBERS: [(&str, ActWith<f64>); 4] = [
    (sim_service::SPEAKER_VOLUME, Kachaka::set_speaker_volume),
    (sim_service::TORCH_FRONT, |kachaka, brightness| {
        kachaka.set_torch(TorchSide::Front, brightness)
    }),
    (sim_service::TORCH_BACK, |kachaka, brightness| {
        kachaka.set_torch(TorchSide::Back, brightness)
    }),
    (
        sim_service::ACTIVATE_LASER_SCAN,
        Kachaka::activate_laser_scan,
    ),
];

const TEXTS: [(&str, ActOnText); 2] = [
    (sim_service::RESET_SHELF_POSE, Kachaka::reset_shelf_pose),
    (sim_service::DELETE_SOUND, Kachaka::delete_sound),
];

const SWITCHES: [(&str, ActWith<bool>); 3] = [
    (bridge_service::MANUAL_CONTROL, |kachaka, enable| {
        kachaka.set_manual_control(enable, false)
    }),
    (bridge_service::AUTO_HOMING, set_auto_homing),
    (sim_service::MUTE_FRONT_STOP, |kachaka, mute| {
        kachaka.mute_front_stop(mute);
        Ok(())
    }),
];

/// When somebody else localizes the robot, it is for that one to take the estimate.
fn set_pose_estimate(robot: &mut Onboard<'_>, pose: Pose2) -> Asked {
    match robot.kachaka.set_pose_estimate(pose) {
        Ok(()) => {
            robot.outputs.tell_place_again();
            Ok(())
        }
        Err(refusal)
            if refusal.code == code::LOCALIZED_ELSEWHERE
                && robot.outputs.publish_initial_pose(robot.now, pose) =>
        {
            Ok(())
        }
        Err(refusal) => Err(refusal),
    }
}

fn set_auto_homing(kachaka: &mut Kachaka, enable: bool) -> Asked {
    kachaka.set_auto_homing(enable);
    Ok(())
}

/// Declares all services: the tables of those that differ in what they do alone, and each
/// other one with its type and its name.
macro_rules! services {
    (
        tables { $($table:ident: $table_kind:ident, $act:ty = $rows:ident,)* }
        single { $($field:ident: $kind:ident = $name:expr,)* }
    ) => {
        /// All its services.
        pub(super) struct KachakaServices {
            $($table: Vec<($act, Requests<$table_kind::Service>)>,)*
            $($field: Requests<$kind::Service>,)*
        }

        /// Compares all messages of the services with what is installed.
        ///
        /// # Errors
        /// When one of them was compiled with another layout.
        pub(super) fn check_bindings() -> Result<(), BindingsError> {
            $(check_service::<$table_kind::Service>()?;)*
            $(check_service::<$kind::Service>()?;)*
            Ok(())
        }

        /// Names of all services.
        pub(super) fn names() -> impl Iterator<Item = &'static str> {
            let single = [$($name),*];
            std::iter::empty()
                $(.chain($rows.iter().map(|(name, _)| *name)))*
                .chain(single)
        }

        impl KachakaServices {
            /// Opens all services on the server's node, which wakes up for their requests.
            ///
            /// # Errors
            /// When the middleware does not let one be opened.
            pub(super) fn open(node: &mut Node, plan: &KachakaPlan) -> r2r::Result<Self> {
                Ok(Self {
                    $($table: open_all(node, plan, &$rows)?,)*
                    $($field: open(node, &plan.absolute($name))?,)*
                })
            }

            /// Makes ready what ends all services once they are dropped.
            ///
            /// # Errors
            /// When the middleware does not let it.
            pub(super) fn prepare_close(
                context: &Context,
                plan: &KachakaPlan,
                now: Duration,
            ) -> r2r::Result<ClosingServices> {
                let mut closing = ClosingServices::begin(context, now)?;
                $(for (name, _) in $rows {
                    closing.prepare::<$table_kind::Service>(plan.absolute(name))?;
                })*
                $(closing.prepare::<$kind::Service>(plan.absolute($name))?;)*
                Ok(closing)
            }
        }
    };
}

services! {
    tables {
        triggers: OnboardTrigger, Act = TRIGGERS,
        numbers: OnboardSetNumber, ActWith<f64> = NUMBERS,
        texts: OnboardSetText, ActOnText = TEXTS,
        switches: SetBool, ActWith<bool> = SWITCHES,
    }
    single {
        auto_homing: OnboardSetBool = sim_service::AUTO_HOMING,
        start: StartCommand = sim_service::START,
        cancel: CancelCommand = sim_service::CANCEL,
        shortcut: StartShortcut = sim_service::SHORTCUT,
        manual_control: SetManualControl = sim_service::MANUAL_CONTROL,
        velocity: SetVelocity = sim_service::VELOCITY,
        pose_estimate: SetPoseEstimate = sim_service::POSE_ESTIMATE,
        add_sound: AddSound = sim_service::ADD_SOUND,
        play_sound: PlaySound = sim_service::PLAY_SOUND,
        switch_map: SwitchMap = sim_service::SWITCH_MAP,
        get_map: GetMap = sim_service::GET_MAP,
        add_map: AddMap = sim_service::ADD_MAP,
        power_button: Trigger = sim_service::POWER_BUTTON,
        reset: SetBool = sim_service::RESET,
        shelf_dock: SetBool = sim_service::DOCK_SHELF,
    }
}

/// A request that concerns the world around a robot.
pub(in crate::ros) enum Beyond {
    /// To put it back to where it was spawned.
    Reset(ServiceRequest<SetBool::Service>),
    /// To take up the shelf above it, or to put down the one that it carries.
    ShelfDock(ServiceRequest<SetBool::Service>),
}

impl Beyond {
    /// What it is asked with.
    pub(in crate::ros) fn data(&self) -> bool {
        match self {
            Self::Reset(request) | Self::ShelfDock(request) => request.message.data,
        }
    }

    /// Answers it.
    pub(in crate::ros) fn answer(self, asked: Result<(), Refusal>, replies: &mut Replies) {
        let outcome = match asked {
            Ok(()) => Outcome::success(0),
            Err(refusal) => Outcome::refused(refusal, 0),
        };
        match self {
            Self::Reset(request) | Self::ShelfDock(request) => {
                replies.add(request, SetBool::Response::of(outcome));
            }
        }
    }
}

/// Opens one service for each row of a table.
fn open_all<T: WrappedServiceTypeSupport + 'static, A: Copy>(
    node: &mut Node,
    plan: &KachakaPlan,
    rows: &[(&str, A)],
) -> r2r::Result<Vec<(A, Requests<T>)>> {
    rows.iter()
        .map(|(name, act)| Ok((*act, open(node, &plan.absolute(name))?)))
        .collect()
}

impl KachakaServices {
    /// The next request that is more than the robot's software can do.
    pub(super) fn next_beyond(&mut self) -> Option<Beyond> {
        let reset = poll(&mut self.reset).map(Beyond::Reset);
        reset.or_else(|| poll(&mut self.shelf_dock).map(Beyond::ShelfDock))
    }

    /// Refuses such requests to a robot that is gone.
    pub(super) fn refuse_beyond(&mut self, replies: &mut Replies) {
        while let Some(beyond) = self.next_beyond() {
            beyond.answer(Err(Refusal::of(code::ROBOT_REMOVED)), replies);
        }
    }

    /// Carries out everything else that has arrived.
    pub(super) fn serve(&mut self, desk: &mut Desk<'_, '_>, map_frame: &str) {
        for (act, inbox) in &mut self.triggers {
            desk.serve_plain(inbox, |kachaka, _| act(kachaka));
        }
        for (act, inbox) in &mut self.numbers {
            desk.serve_plain(inbox, |kachaka, ask| act(kachaka, ask.data));
        }
        for (act, inbox) in &mut self.texts {
            desk.serve_plain(inbox, |kachaka, ask| act(kachaka, &ask.data));
        }
        for (act, inbox) in &mut self.switches {
            desk.serve_plain(inbox, |kachaka, ask| act(kachaka, ask.data));
        }
        let inbox = &mut self.auto_homing;
        desk.serve_plain(inbox, |kachaka, ask| set_auto_homing(kachaka, ask.data));
        self.serve_power_button(desk);
        self.serve_commands(desk);
        self.serve_driving(desk);
        self.serve_maps(desk, map_frame);
        desk.serve(
            &mut self.add_sound,
            |kachaka, ask| kachaka.add_sound(&ask.name, &ask.data),
            |response, id| response.sound_id = id,
        );
        desk.serve_plain(&mut self.play_sound, |kachaka, ask| {
            kachaka.play_sound(&ask.sound_id, ask.loop_)
        });
    }

    fn serve_power_button(&mut self, desk: &mut Desk<'_, '_>) {
        desk.serve(
            &mut self.power_button,
            |kachaka, _| Ok(kachaka.power_button()),
            |response, is_paused| {
                let now = if is_paused { "paused" } else { "not paused" };
                response.message = now.to_owned();
            },
        );
    }

    fn serve_commands(&mut self, desk: &mut Desk<'_, '_>) {
        desk.serve(
            &mut self.start,
            |kachaka, ask| kachaka.start_command(convert::start(ask)?),
            |response, id| response.command_id = id,
        );
        desk.serve(
            &mut self.cancel,
            |kachaka, ask| kachaka.cancel_command(ask.queued),
            |response, command| response.command = convert::command_message(&command),
        );
        desk.serve(
            &mut self.shortcut,
            |kachaka, ask| kachaka.start_shortcut(&ask.shortcut_id, ask.cancel_all),
            |response, ids| response.command_ids = ids,
        );
    }

    fn serve_driving(&mut self, desk: &mut Desk<'_, '_>) {
        desk.serve_plain(&mut self.manual_control, |kachaka, ask| {
            kachaka.set_manual_control(ask.enable, ask.use_shelf_registration)
        });
        desk.serve_plain(&mut self.velocity, |kachaka, ask| {
            kachaka.set_velocity(ask.linear, ask.angular)
        });
        desk.serve_onboard(
            &mut self.pose_estimate,
            |robot, ask| set_pose_estimate(robot, Pose2::new(ask.x, ask.y, ask.yaw)),
            |_, ()| {},
        );
    }

    fn serve_maps(&mut self, desk: &mut Desk<'_, '_>, map_frame: &str) {
        desk.serve_onboard(
            &mut self.switch_map,
            |robot, ask| {
                let pose = Pose2::new(ask.x, ask.y, ask.yaw);
                let pose = ask.has_initial_pose.then_some(pose);
                let inherits = ask.inherit_docked_shelf;
                robot.kachaka.switch_map(&ask.map_id, pose, inherits)?;
                robot.outputs.tell_place_again();
                Ok(())
            },
            |_, ()| {},
        );
        desk.serve_onboard(
            &mut self.get_map,
            |robot, ask| {
                let map = robot.kachaka.map(&ask.map_id)?;
                let message = convert::grid_message(map.grid, map_frame, robot.now);
                Ok((message, map.name.to_owned()))
            },
            |response, (map, name)| {
                response.map = map;
                response.name = name;
            },
        );
        desk.serve(
            &mut self.add_map,
            |kachaka, ask| {
                let charger = Pose2::new(ask.charger_x, ask.charger_y, ask.charger_yaw);
                kachaka.add_map(NewMap {
                    name: ask.name.clone(),
                    grid: convert::grid(&ask.map),
                    charger: ask.has_charger_pose.then_some(charger),
                })
            },
            |response, id| response.map_id = id,
        );
    }
}
