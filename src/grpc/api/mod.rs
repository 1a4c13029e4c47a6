//! The calls of kachaka-api.

mod commands;
mod control;
mod info;
mod maps;
mod reads;
mod service;
mod sounds;
mod transforms;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use r2r::WrappedServiceTypeSupport;
use tonic::{Request, Response, Status};

use super::limits::Limits;
use super::link::{Reply, Service, Services, call};
use super::presence::Watch;
use super::view::View;

/// What every call returns.
type Answer<T> = Result<Response<T>, Status>;

/// Answers calls from what the view knows and by the robot's services.
#[derive(Debug, Clone)]
pub(super) struct Api {
    view: Arc<View>,
    watch: Arc<Watch>,
    services: Arc<Services>,
    limits: Arc<Limits>,
    /// After which time a call that waits is given up.
    give_up: Option<Duration>,
}

impl Api {
    pub(super) fn new(
        view: &Arc<View>,
        watch: &Arc<Watch>,
        services: &Arc<Services>,
        give_up: Option<Duration>,
    ) -> Self {
        Self {
            view: Arc::clone(view),
            watch: Arc::clone(watch),
            services: Arc::clone(services),
            limits: Arc::default(),
            give_up,
        }
    }

    /// Asks a service of the robot.
    async fn ask<S>(
        &self,
        service: &Service<S>,
        request: &S::Request,
    ) -> Result<S::Response, Status>
    where
        S: WrappedServiceTypeSupport + 'static,
        S::Response: Reply,
    {
        call(service, request, &self.services, &self.view, &self.watch).await
    }
}

/// Where a request came from.
fn client<T>(request: &Request<T>) -> Option<SocketAddr> {
    request.remote_addr()
}
