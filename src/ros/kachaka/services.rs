//! The services of a Kachaka: what arrives is asked of its software at once. The state that
//! shows the effect is sent before the reply, which names it.

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
use super::names::{bridge_service, sim_service};
use super::outputs::Outputs;
use super::plan::KachakaPlan;
use super::reply::{Outcome, Reply};
use crate::kachaka::{Kachaka, NewMap, Refusal, TorchSide};
use crate::ros::bindings::{BindingsError, check_service};
use crate::ros::command_input::{Inbox, poll};
use crate::ros::services::{open, respond};
use crate::world::{Pose2, SimTime};

type Requests<T> = Inbox<ServiceRequest<T>>;
type Asked<R = ()> = Result<R, Refusal>;

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

const SWITCHES: [(&str, ActWith<bool>); 4] = [
    (bridge_service::MANUAL_CONTROL, |kachaka, enable| {
        kachaka.set_manual_control(enable, false)
    }),
    (bridge_service::AUTO_HOMING, set_auto_homing),
    (sim_service::MUTE_FRONT_STOP, |kachaka, mute| {
        kachaka.mute_front_stop(mute);
        Ok(())
    }),
    (sim_service::DOCK_SHELF, Kachaka::dock_shelf),
];

fn set_auto_homing(kachaka: &mut Kachaka, enable: bool) -> Asked {
    kachaka.set_auto_homing(enable);
    Ok(())
}

/// One Kachaka while requests are served.
pub(super) struct Desk<'a> {
    /// Sim time.
    pub(super) now: SimTime,
    /// Its software.
    pub(super) kachaka: &'a mut Kachaka,
    /// Where its state goes before a reply.
    pub(super) outputs: &'a mut Outputs,
}

impl Desk<'_> {
    /// Asks for something and sends the state that shows its effect.
    fn ask<R>(&mut self, act: impl FnOnce(&mut Kachaka) -> Asked<R>) -> (Outcome, Option<R>) {
        let asked = act(self.kachaka);
        self.outputs.publish_changes(self.now, self.kachaka);
        let sequence = self.kachaka.sequence();
        match asked {
            Ok(value) => (Outcome::success(sequence), Some(value)),
            Err(refusal) => (Outcome::refused(refusal, sequence), None),
        }
    }

    /// Answers everything that has arrived at one service. `fill` puts what came of it into
    /// the response.
    fn serve<T, R>(
        &mut self,
        inbox: &mut Requests<T>,
        act: impl Fn(&mut Kachaka, &T::Request) -> Asked<R>,
        fill: impl Fn(&mut T::Response, R),
    ) where
        T: WrappedServiceTypeSupport + 'static,
        T::Response: Reply,
    {
        while let Some(request) = poll(inbox) {
            let (outcome, value) = self.ask(|kachaka| act(kachaka, &request.message));
            let mut response = T::Response::of(outcome);
            if let Some(value) = value {
                fill(&mut response, value);
            }
            respond(request, response);
        }
    }

    /// As [`Self::serve`], of what has no more to say than how it went.
    fn serve_plain<T>(
        &mut self,
        inbox: &mut Requests<T>,
        act: impl Fn(&mut Kachaka, &T::Request) -> Asked,
    ) where
        T: WrappedServiceTypeSupport + 'static,
        T::Response: Reply,
    {
        self.serve(inbox, act, |_, ()| {});
    }
}

/// All its services.
pub(in crate::ros) struct KachakaServices {
    triggers: Vec<(Act, Requests<OnboardTrigger::Service>)>,
    numbers: Vec<(ActWith<f64>, Requests<OnboardSetNumber::Service>)>,
    texts: Vec<(ActOnText, Requests<OnboardSetText::Service>)>,
    switches: Vec<(ActWith<bool>, Requests<SetBool::Service>)>,
    auto_homing: Requests<OnboardSetBool::Service>,
    start: Requests<StartCommand::Service>,
    cancel: Requests<CancelCommand::Service>,
    shortcut: Requests<StartShortcut::Service>,
    manual_control: Requests<SetManualControl::Service>,
    velocity: Requests<SetVelocity::Service>,
    pose_estimate: Requests<SetPoseEstimate::Service>,
    add_sound: Requests<AddSound::Service>,
    play_sound: Requests<PlaySound::Service>,
    switch_map: Requests<SwitchMap::Service>,
    get_map: Requests<GetMap::Service>,
    add_map: Requests<AddMap::Service>,
    power_button: Requests<Trigger::Service>,
    reset: Requests<SetBool::Service>,
}

/// Compares all messages of the services with what is installed.
///
/// # Errors
/// When one of them was compiled with another layout.
pub(in crate::ros) fn check_bindings() -> Result<(), BindingsError> {
    check_service::<OnboardTrigger::Service>()?;
    check_service::<OnboardSetNumber::Service>()?;
    check_service::<OnboardSetText::Service>()?;
    check_service::<OnboardSetBool::Service>()?;
    check_service::<StartCommand::Service>()?;
    check_service::<CancelCommand::Service>()?;
    check_service::<StartShortcut::Service>()?;
    check_service::<SetManualControl::Service>()?;
    check_service::<SetVelocity::Service>()?;
    check_service::<SetPoseEstimate::Service>()?;
    check_service::<AddSound::Service>()?;
    check_service::<PlaySound::Service>()?;
    check_service::<SwitchMap::Service>()?;
    check_service::<GetMap::Service>()?;
    check_service::<AddMap::Service>()
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
    /// Opens all services on the server's node, which wakes up for their requests.
    ///
    /// # Errors
    /// When the middleware does not let one be opened.
    pub(super) fn open(node: &mut Node, plan: &KachakaPlan) -> r2r::Result<Self> {
        let name = |relative| plan.absolute(relative);
        Ok(Self {
            triggers: open_all(node, plan, &TRIGGERS)?,
            numbers: open_all(node, plan, &NUMBERS)?,
            texts: open_all(node, plan, &TEXTS)?,
            switches: open_all(node, plan, &SWITCHES)?,
            auto_homing: open(node, &name(sim_service::AUTO_HOMING))?,
            start: open(node, &name(sim_service::START))?,
            cancel: open(node, &name(sim_service::CANCEL))?,
            shortcut: open(node, &name(sim_service::SHORTCUT))?,
            manual_control: open(node, &name(sim_service::MANUAL_CONTROL))?,
            velocity: open(node, &name(sim_service::VELOCITY))?,
            pose_estimate: open(node, &name(sim_service::POSE_ESTIMATE))?,
            add_sound: open(node, &name(sim_service::ADD_SOUND))?,
            play_sound: open(node, &name(sim_service::PLAY_SOUND))?,
            switch_map: open(node, &name(sim_service::SWITCH_MAP))?,
            get_map: open(node, &name(sim_service::GET_MAP))?,
            add_map: open(node, &name(sim_service::ADD_MAP))?,
            power_button: open(node, &name(sim_service::POWER_BUTTON))?,
            reset: open(node, &name(sim_service::RESET))?,
        })
    }

    /// Ends all services.
    ///
    /// # Errors
    /// When the middleware does not let it; they then stay without anybody behind them.
    pub(super) fn close(
        self,
        context: Context,
        plan: &KachakaPlan,
        now: Duration,
    ) -> r2r::Result<ClosingServices> {
        // Without their streams r2r lets them go.
        drop(self);
        let mut closing = ClosingServices::begin(context, now)?;
        let name = |relative| plan.absolute(relative);
        for (service, _) in TRIGGERS {
            closing.close::<OnboardTrigger::Service>(&name(service));
        }
        for (service, _) in NUMBERS {
            closing.close::<OnboardSetNumber::Service>(&name(service));
        }
        for (service, _) in TEXTS {
            closing.close::<OnboardSetText::Service>(&name(service));
        }
        for (service, _) in SWITCHES {
            closing.close::<SetBool::Service>(&name(service));
        }
        closing.close::<OnboardSetBool::Service>(&name(sim_service::AUTO_HOMING));
        closing.close::<StartCommand::Service>(&name(sim_service::START));
        closing.close::<CancelCommand::Service>(&name(sim_service::CANCEL));
        closing.close::<StartShortcut::Service>(&name(sim_service::SHORTCUT));
        closing.close::<SetManualControl::Service>(&name(sim_service::MANUAL_CONTROL));
        closing.close::<SetVelocity::Service>(&name(sim_service::VELOCITY));
        closing.close::<SetPoseEstimate::Service>(&name(sim_service::POSE_ESTIMATE));
        closing.close::<AddSound::Service>(&name(sim_service::ADD_SOUND));
        closing.close::<PlaySound::Service>(&name(sim_service::PLAY_SOUND));
        closing.close::<SwitchMap::Service>(&name(sim_service::SWITCH_MAP));
        closing.close::<GetMap::Service>(&name(sim_service::GET_MAP));
        closing.close::<AddMap::Service>(&name(sim_service::ADD_MAP));
        closing.close::<Trigger::Service>(&name(sim_service::POWER_BUTTON));
        closing.close::<SetBool::Service>(&name(sim_service::RESET));
        Ok(closing)
    }

    /// The next request to reset the robot, which is more than its software can do.
    pub(super) fn next_reset(&mut self) -> Option<ServiceRequest<SetBool::Service>> {
        poll(&mut self.reset)
    }

    /// Answers everything else that has arrived.
    pub(super) fn serve(&mut self, desk: &mut Desk<'_>, map_frame: &str) {
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

    fn serve_power_button(&mut self, desk: &mut Desk<'_>) {
        desk.serve(
            &mut self.power_button,
            |kachaka, _| Ok(kachaka.power_button()),
            |response, is_paused| {
                let now = if is_paused { "paused" } else { "not paused" };
                response.message = now.to_owned();
            },
        );
    }

    fn serve_commands(&mut self, desk: &mut Desk<'_>) {
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

    fn serve_driving(&mut self, desk: &mut Desk<'_>) {
        desk.serve_plain(&mut self.manual_control, |kachaka, ask| {
            kachaka.set_manual_control(ask.enable, ask.use_shelf_registration)
        });
        desk.serve_plain(&mut self.velocity, |kachaka, ask| {
            kachaka.set_velocity(ask.linear, ask.angular)
        });
        desk.serve_plain(&mut self.pose_estimate, |kachaka, ask| {
            kachaka.set_pose_estimate(Pose2::new(ask.x, ask.y, ask.yaw))
        });
    }

    fn serve_maps(&mut self, desk: &mut Desk<'_>, map_frame: &str) {
        let now = desk.now;
        desk.serve_plain(&mut self.switch_map, |kachaka, ask| {
            let pose = Pose2::new(ask.x, ask.y, ask.yaw);
            let pose = ask.has_initial_pose.then_some(pose);
            kachaka.switch_map(&ask.map_id, pose, ask.inherit_docked_shelf)
        });
        desk.serve(
            &mut self.get_map,
            |kachaka, ask| {
                let map = kachaka.map(&ask.map_id)?;
                let message = convert::grid_message(map.grid, map_frame, now);
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
