//! The server's loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use r2r::tatami_msgs::srv::ControlWorld;
use r2r::{Context, Node, ServiceRequest};

use super::building::BuildingServices;
use super::clock::{Pacer, RateMeter, Repeat};
use super::control::{Control, Reply};
use super::convert;
use super::error::ServerError;
use super::inbox::{self, poll};
use super::inputs::TopicInputs;
use super::parameter_services::ParameterServices;
use super::parameters::{Parameters, Settings};
use super::replies::Replies;
use super::respond::{self, respond};
use super::services::{Services, Tempo};
use super::stage::Stage;
use super::start::{create_context, overrides};
use super::words::message;
use crate::scene::{Scene, SceneConfig};

/// Wall time of steps between two looks for messages.
const BATCH: Duration = Duration::from_millis(1);
/// Longest wait for messages: a signal is noticed this late, no wake-up can be missed for
/// longer, and the nodes of Kachakas, which do not wake the server's, are looked at so often.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// How often to look while a subscription is being closed.
const CLOSING_WAIT: Duration = Duration::from_millis(5);
/// How often at most to look for more requests before those that have come are answered: a
/// node takes one request of each service at a time.
const MOST_LOOKS: usize = 64;
/// How often to look for publishers of commands of the wrong type.
const TYPE_CHECK_PERIOD: Duration = Duration::from_secs(1);

type Ticket = ServiceRequest<ControlWorld::Service>;

/// Runs the server as node `tatami` until `stop` is set.
///
/// # Errors
/// When it can't start: see [`ServerError`].
pub fn serve(stop: &Arc<AtomicBool>) -> Result<(), ServerError> {
    let context = create_context()?;
    let mut node = Node::create(context.clone(), "tatami", "")?;
    let parameters = Parameters::new(overrides(&node))?;
    let mut server = Server::open(context, &mut node, parameters)?;
    while !stop.load(Ordering::Relaxed) {
        server.turn(&mut node);
    }
    server.shut_down();
    Ok(())
}

/// The number of this run: the given one, or for 0 one that no earlier run had.
fn run_of(given: i64) -> i64 {
    if given != 0 {
        return given;
    }
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // The low bits of the nanoseconds tell runs apart, whatever the clock says otherwise.
    since.map_or(0, |since| since.as_nanos() as i64)
}

struct Server {
    begun: Instant,
    settings: Settings,
    parameters: Parameters,
    parameter_services: ParameterServices,
    services: Services,
    building: BuildingServices,
    inputs: TopicInputs,
    control: Control<Ticket>,
    stage: Stage,
    pacer: Pacer,
    meter: RateMeter,
    paused_clock: Repeat,
    look: Repeat,
    type_check: Repeat,
}

impl Server {
    fn open(
        context: Context,
        node: &mut Node,
        parameters: Parameters,
    ) -> Result<Self, ServerError> {
        let settings = parameters.settings()?;
        let scene = Scene::new(SceneConfig {
            dt: settings.physics_dt,
            dynamics: settings.dynamics,
            seed: settings.seed,
            run: run_of(settings.run_id),
        });
        let stage = Stage::new(context, node, scene, settings.clock_rate)?;
        let stamp = convert::stamp(stage.scene.time());
        let begun = Instant::now();
        let now = Duration::ZERO;
        let mut server = Self {
            begun,
            parameter_services: ParameterServices::open(node, &parameters, stamp)?,
            parameters,
            services: Services::open(node)?,
            building: BuildingServices::open(node)?,
            inputs: TopicInputs::open(node)?,
            control: Control::new(settings.paused),
            pacer: Pacer::new(settings.physics_dt, settings.real_time_factor, now),
            meter: RateMeter::default(),
            paused_clock: Repeat::new(now),
            look: Repeat::new(now),
            type_check: Repeat::new(now),
            stage,
            settings,
        };
        server.stage.publish_clock();
        tracing::info!(
            "{} is up: step {} s, {}",
            node.fully_qualified_name()?,
            server.settings.physics_dt.seconds(),
            if server.settings.paused {
                "paused"
            } else {
                "running"
            },
        );
        Ok(server)
    }

    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    /// One turn of the loop.
    fn turn(&mut self, node: &mut Node) {
        node.spin_once(self.wait());
        if self.may_have_work() {
            self.take_inputs();
            if !self.control.stepping() {
                self.apply_inputs();
            }
            self.serve(node);
            self.advance(node);
        }
        self.run_steps(node);
        self.keep_house(node);
    }

    /// How long to wait for messages.
    fn wait(&self) -> Duration {
        if self.control.stepping() {
            return Duration::ZERO;
        }
        let now = self.now();
        let step = if self.control.paused() {
            self.paused_clock.wait(now)
        } else {
            self.pacer.wait(now)
        };
        let longest = if self.stage.is_closing() {
            CLOSING_WAIT
        } else {
            LONGEST_WAIT
        };
        step.min(longest)
    }

    /// Whether there may be more to do than to step and to tell the time. While the world is
    /// paused most turns are for the clock alone: then only what has come to the server's node
    /// is a reason to look everywhere, and that it is time to look at the nodes of Kachakas.
    fn may_have_work(&mut self) -> bool {
        let now = self.now();
        let has_arrived = inbox::take_arrival();
        let is_idle = self.control.paused() && !self.control.stepping() && !self.stage.is_closing();
        has_arrived || !is_idle || self.look.take(now, LONGEST_WAIT)
    }

    /// Takes in what has arrived on topics.
    fn take_inputs(&mut self) {
        let now = self.now();
        self.inputs.collect(&mut self.stage, now);
    }

    /// Applies what was taken in. Whether a Kachaka was asked for anything.
    fn apply_inputs(&mut self) -> bool {
        let now = self.now();
        self.inputs.apply(&mut self.stage, now)
    }

    /// Carries out everything that has arrived, publishes what has become of it and answers.
    fn serve(&mut self, node: &mut Node) {
        let now = self.now();
        let paused = self.control.paused();
        let measured = self.meter.factor(now, self.stage.scene.time());
        let tempo = Tempo {
            paused,
            real_time_factor: if paused { 0.0 } else { measured },
        };
        let mut replies = Replies::default();
        for _ in 0..MOST_LOOKS {
            let before = replies.len();
            (self.services).serve(&mut self.stage, node, now, tempo, &mut replies);
            self.building.serve(&mut self.stage, &mut replies);
            if replies.len() == before {
                break;
            }
            node.spin_once(Duration::ZERO);
            self.take_inputs();
        }
        self.stage.settle(node);
        replies.send();
        let stamp = convert::stamp(self.stage.scene.time());
        if self.parameter_services.serve(&mut self.parameters, &stamp) {
            self.take_settings();
        }
        while let Some(request) = poll(&mut self.services.control_world) {
            let ask = convert::ask(&request.message);
            for reply in self.control.submit(ask, request) {
                self.answer(reply);
            }
        }
        self.follow_pause(paused);
    }

    /// Parameters that were set take effect.
    fn take_settings(&mut self) {
        // Their ranges were checked when they were set.
        let Ok(settings) = self.parameters.settings() else {
            return;
        };
        if settings.real_time_factor != self.settings.real_time_factor {
            self.pacer.set_factor(settings.real_time_factor, self.now());
            self.meter.clear();
        }
        if settings.paused_clock_period != self.settings.paused_clock_period {
            let period = Duration::from_secs_f64(settings.paused_clock_period);
            self.paused_clock.bring_forward(self.now(), period);
        }
        self.stage.set_clock_rate(settings.clock_rate);
        self.settings = settings;
    }

    /// Works off waiting requests until one has steps to take.
    fn advance(&mut self, node: &mut Node) {
        let paused = self.control.paused();
        let scene = &mut self.stage.scene;
        let mut moved = false;
        let replies = self.control.advance(|ticket| {
            let inputs = convert::inputs(&ticket.message);
            // Steps that follow make maps anew themselves.
            moved |= ticket.message.multi_step == 0 && !inputs.poses.is_empty();
            scene.apply(&inputs).map_err(|error| error.to_string())
        });
        if moved {
            self.stage.update_maps();
        }
        if !replies.is_empty() {
            self.stage.settle(node);
        }
        for reply in replies {
            self.answer(reply);
        }
        self.follow_pause(paused);
    }

    /// What begins when time begins or stops to run.
    fn follow_pause(&mut self, was_paused: bool) {
        if self.control.paused() == was_paused {
            return;
        }
        self.meter.clear();
        if was_paused {
            self.pacer.restart(self.now());
        } else {
            self.stage.catch_up_clock();
        }
    }

    fn answer(&mut self, reply: Reply<Ticket>) {
        // The time that the response names is out before it.
        self.stage.catch_up_clock();
        let scene = &self.stage.scene;
        let states = (scene.robots())
            .filter(|_| reply.ticket.message.report)
            .filter_map(|robot| {
                let contacts = scene.contacts(robot.name()).ok()?;
                let state = scene.state(robot.name()).ok()?;
                Some(convert::robot_state(&state, &contacts))
            });
        let response = ControlWorld::Response {
            success: reply.success,
            message: message(reply.message),
            sim_time: convert::stamp(scene.time()),
            step: scene.step_index(),
            steps_taken: reply.steps_taken,
            robots: states.collect(),
        };
        respond(reply.ticket, response);
    }

    /// Takes the steps that are due, for about [`BATCH`].
    fn run_steps(&mut self, node: &mut Node) {
        let begun = self.now();
        let mut now = begun;
        let mut stepped = false;
        while now < begun + BATCH {
            if self.control.stepping() {
                self.stage.step(self.control.steps_left() == 1);
                if let Some(reply) = self.control.stepped() {
                    self.answer(reply);
                    if self.apply_inputs() {
                        self.stage.settle(node);
                    }
                    self.advance(node);
                }
            } else if !self.control.paused() && self.pacer.wait(now).is_zero() {
                if let Some(delay) = self.pacer.stepped(now) {
                    tracing::warn!(
                        "can't keep up with real_time_factor {}: {:.1} s lost in the last {:.1} s",
                        self.settings.real_time_factor,
                        delay.lost.as_secs_f64(),
                        delay.within.as_secs_f64(),
                    );
                }
                self.stage.step(false);
            } else {
                break;
            }
            stepped = true;
            now = self.now();
        }
        if stepped {
            let period = Duration::from_secs_f64(self.settings.paused_clock_period);
            self.paused_clock.put_off(now, period);
        }
    }

    /// What comes round in wall time.
    fn keep_house(&mut self, node: &mut Node) {
        let now = self.now();
        if self.control.paused() && !self.control.stepping() {
            let period = Duration::from_secs_f64(self.settings.paused_clock_period);
            if self.paused_clock.take(now, period) {
                self.stage.publish_clock();
            }
        } else {
            self.meter.note(now, self.stage.scene.time());
        }
        respond::retry();
        self.stage.finish_closing(node, now);
        if self.type_check.take(now, TYPE_CHECK_PERIOD) {
            for robot in self.stage.robots.values_mut() {
                robot.warn_of_wrong_type(node);
                if let Some(surface) = robot.surface() {
                    surface.keep_house(node, now);
                }
            }
        }
    }

    /// Answers who still waits.
    fn shut_down(&mut self) {
        for reply in self.control.shut_down() {
            self.answer(reply);
        }
        tracing::info!("shut down at {} s", self.stage.scene.time());
    }
}
