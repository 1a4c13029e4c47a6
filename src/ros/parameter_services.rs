//! The six parameter services and `/parameter_events`.
//!
//! r2r's own ones panic when a reply can't be sent, create what is unknown and know neither
//! ranges nor read-only parameters.

use r2r::builtin_interfaces::msg::Time;
use r2r::rcl_interfaces::msg::{
    FloatingPointRange, ListParametersResult, Parameter, ParameterDescriptor, ParameterEvent,
    ParameterValue as ValueMessage, SetParametersResult,
};
use r2r::rcl_interfaces::srv::{
    DescribeParameters, GetParameterTypes, GetParameters, ListParameters, SetParameters,
    SetParametersAtomically,
};
use r2r::{Node, ParameterValue, QosProfile};

use super::inbox::poll;
use super::output::Output;
use super::parameters::{Declaration, ParameterError, Parameters};
use super::respond::respond;
use super::service_set::service_set;
use super::words;

service_set! {
    /// Where requests to read and to set parameters arrive.
    pub(super) struct ParameterInboxes {
        get_parameters: GetParameters,
        get_parameter_types: GetParameterTypes,
        describe_parameters: DescribeParameters,
        list_parameters: ListParameters,
        set_parameters: SetParameters,
        set_parameters_atomically: SetParametersAtomically,
    }
}

/// The services that give access to the parameters.
pub(super) struct ParameterServices {
    inboxes: ParameterInboxes,
    events: Output<ParameterEvent>,
}

impl ParameterServices {
    /// Opens the services and says which parameters there are.
    ///
    /// # Errors
    /// When the middleware does not let them be opened.
    pub(super) fn open(node: &mut Node, parameters: &Parameters, stamp: Time) -> r2r::Result<Self> {
        let event = ParameterEvent {
            node: node.fully_qualified_name()?,
            ..Default::default()
        };
        let events = QosProfile::parameter_events();
        let mut services = Self {
            inboxes: ParameterInboxes::open(node)?,
            events: Output::open(node, "/parameter_events", events, event)?,
        };
        let all = parameters.iter().map(|(d, value)| named(d.name, value));
        services.events.message.new_parameters = all.collect();
        services.events.message.stamp = stamp;
        services.events.publish();
        services.events.message.new_parameters.clear();
        Ok(services)
    }

    /// Answers what has arrived. Returns whether a parameter is different now.
    pub(super) fn serve(&mut self, parameters: &mut Parameters, stamp: &Time) -> bool {
        self.answer_reads(parameters);
        let mut changed = false;
        while let Some(request) = poll(&mut self.inboxes.set_parameters) {
            let results = request.message.parameters.iter().map(|parameter| {
                let outcome = parameters.set(vec![given(parameter)]);
                self.conclude(outcome, parameters, stamp, &mut changed)
            });
            let results = results.collect();
            respond(request, SetParameters::Response { results });
        }
        while let Some(request) = poll(&mut self.inboxes.set_parameters_atomically) {
            let changes = request.message.parameters.iter().map(given).collect();
            let outcome = parameters.set(changes);
            let result = self.conclude(outcome, parameters, stamp, &mut changed);
            respond(request, SetParametersAtomically::Response { result });
        }
        changed
    }

    fn answer_reads(&mut self, parameters: &Parameters) {
        while let Some(request) = poll(&mut self.inboxes.get_parameters) {
            let value = |name: &String| match parameters.get(name) {
                Some((_, value)) => message(value),
                None => ValueMessage::default(),
            };
            let values = request.message.names.iter().map(value).collect();
            respond(request, GetParameters::Response { values });
        }
        while let Some(request) = poll(&mut self.inboxes.get_parameter_types) {
            let kind = |name: &String| parameters.get(name).map_or(0, |(_, v)| message(v).type_);
            let types = request.message.names.iter().map(kind).collect();
            respond(request, GetParameterTypes::Response { types });
        }
        while let Some(request) = poll(&mut self.inboxes.describe_parameters) {
            let describe = |name: &String| match parameters.get(name) {
                Some((declared, value)) => descriptor(declared, value),
                None => ParameterDescriptor {
                    name: name.clone(),
                    ..Default::default()
                },
            };
            let descriptors = request.message.names.iter().map(describe).collect();
            respond(request, DescribeParameters::Response { descriptors });
        }
        while let Some(request) = poll(&mut self.inboxes.list_parameters) {
            // No name holds a dot, so every depth lists all and a prefix is a whole name.
            let prefixes = &request.message.prefixes;
            let listed = |name: &&str| prefixes.is_empty() || prefixes.iter().any(|p| p == name);
            let names = parameters.iter().map(|(d, _)| d.name).filter(listed);
            let result = ListParametersResult {
                names: names.map(ToOwned::to_owned).collect(),
                prefixes: Vec::new(),
            };
            respond(request, ListParameters::Response { result });
        }
    }

    /// Tells everybody what changed, and the caller how it went.
    fn conclude(
        &mut self,
        outcome: Result<Vec<&'static str>, ParameterError>,
        parameters: &Parameters,
        stamp: &Time,
        changed: &mut bool,
    ) -> SetParametersResult {
        let names = match outcome {
            Ok(names) => names,
            Err(error) => {
                return SetParametersResult {
                    successful: false,
                    reason: words::message(error.to_string()),
                };
            }
        };
        if !names.is_empty() {
            *changed = true;
            let values = names.iter().filter_map(|name| parameters.get(name));
            let event = &mut self.events.message;
            event.changed_parameters = values.map(|(d, value)| named(d.name, value)).collect();
            event.stamp.clone_from(stamp);
            self.events.publish();
        }
        SetParametersResult {
            successful: true,
            reason: String::new(),
        }
    }
}

fn named(name: &str, value: &ParameterValue) -> Parameter {
    Parameter {
        name: name.to_owned(),
        value: message(value),
    }
}

fn descriptor(declared: &Declaration, value: &ParameterValue) -> ParameterDescriptor {
    let range = declared
        .range
        .map(|[from_value, to_value]| FloatingPointRange {
            from_value,
            to_value,
            step: 0.0,
        });
    ParameterDescriptor {
        name: declared.name.to_owned(),
        type_: message(value).type_,
        description: declared.description.to_owned(),
        additional_constraints: declared.choices.join(" or "),
        read_only: declared.read_only,
        floating_point_range: range.into_iter().collect(),
        ..Default::default()
    }
}

/// The value as a message; only the types that are declared here are ever stored.
fn message(value: &ParameterValue) -> ValueMessage {
    let mut message = ValueMessage::default();
    match value {
        ParameterValue::Bool(value) => {
            message.type_ = 1;
            message.bool_value = *value;
        }
        ParameterValue::Integer(value) => {
            message.type_ = 2;
            message.integer_value = *value;
        }
        ParameterValue::Double(value) => {
            message.type_ = 3;
            message.double_value = *value;
        }
        ParameterValue::String(value) => {
            message.type_ = 4;
            message.string_value.clone_from(value);
        }
        _ => {}
    }
    message
}

fn given(parameter: &Parameter) -> (String, ParameterValue) {
    let value = &parameter.value;
    let given = match value.type_ {
        1 => ParameterValue::Bool(value.bool_value),
        2 => ParameterValue::Integer(value.integer_value),
        3 => ParameterValue::Double(value.double_value),
        4 => ParameterValue::String(value.string_value.clone()),
        5 => ParameterValue::ByteArray(value.byte_array_value.clone()),
        6 => ParameterValue::BoolArray(value.bool_array_value.clone()),
        7 => ParameterValue::IntegerArray(value.integer_array_value.clone()),
        8 => ParameterValue::DoubleArray(value.double_array_value.clone()),
        9 => ParameterValue::StringArray(value.string_array_value.clone()),
        _ => ParameterValue::NotSet,
    };
    (parameter.name.clone(), given)
}
