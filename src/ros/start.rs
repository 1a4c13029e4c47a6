//! What every node of ours begins with.

use r2r::{Context, Node, Parameter};

use super::bindings;
use super::error::ServerError;

/// What a program of ours begins with: messages that are those that were compiled in, and
/// arguments that can be read. r2r panics when rcl can't read them; here that is an error
/// like any other.
///
/// # Errors
/// When one of both is not so, or the middleware refuses.
pub(crate) fn create_context() -> Result<Context, ServerError> {
    bindings::check_all()?;
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let created = std::panic::catch_unwind(Context::create);
    std::panic::set_hook(hook);
    let reason = |payload: Box<dyn std::any::Any + Send>| {
        let text = payload.downcast_ref::<String>().cloned();
        // rcl adds where in its own source it noticed.
        let text = text.unwrap_or_else(|| "rcl does not say why".to_owned());
        let said = text.split(", at ").next().unwrap_or(&text);
        ServerError::Arguments(said.trim().to_owned())
    };
    Ok(created.map_err(reason)??)
}

/// What the command line and parameter files say.
pub(crate) fn overrides(node: &Node) -> Vec<(String, r2r::ParameterValue)> {
    let value = |(name, parameter): (&String, &Parameter)| (name.clone(), parameter.value.clone());
    match node.params.lock() {
        Ok(given) => given.iter().map(value).collect(),
        // Nobody else has held it.
        Err(_) => Vec::new(),
    }
}
