//! Guards against message structs of an older build.
//!
//! r2r caches its bindings by environment variables, not by the `.msg` files. After a
//! message has changed, an incremental build may therefore go on with the old layout and
//! read other fields' memory. What the loaded type support says about a message's size is
//! compared here with what was compiled in.

use std::ffi::c_char;

use r2r::{WrappedServiceTypeSupport, WrappedTypesupport};

use super::building::BuildingServices;
use super::kachaka;
use super::parameter_services::ParameterInboxes;
use super::services::Services;

/// The leading fields of `rosidl_typesupport_introspection_c__MessageMembers`.
#[repr(C)]
struct MessageMembers {
    namespace: *const c_char,
    name: *const c_char,
    member_count: u32,
    size_of: usize,
}

/// A message whose compiled layout is not that of the loaded one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{message} was compiled with {compiled} bytes but the installed one has {loaded}: the bindings \
     are older than the message packages, run `cargo clean -p r2r_msg_gen -p r2r` and build again"
)]
pub(super) struct BindingsError {
    message: &'static str,
    compiled: usize,
    loaded: usize,
}

/// Checks messages of one package, and names them.
macro_rules! messages {
    ($check:ident, $names:ident: $package:ident { $($message:ident),* $(,)? }) => {
        #[cfg(test)]
        const $names: &[&str] = &[$(stringify!($message)),*];

        fn $check() -> Result<(), BindingsError> {
            $(check::<r2r::$package::msg::$message>()?;)*
            Ok(())
        }
    };
}

// All of them: of what stands in a list of another one, that one's size tells nothing.
messages! {
    check_own, OWN: tatami_msgs {
        AxisLimits, BeamFan, BodyContact, Box, Charger, ChargerState, ChargerStates, CommandHistory,
        CommandResult, Disc, Discs, Door, DoorState, DoorStates, DriveModel, Drop, DropStates,
        Elevator, ElevatorState, ElevatorStates, ElevatorStop, EntityInfo, EntityPart, EntityPose,
        EntityPoses, ErrorCodes, Floor, Location, Locations, NamedId, OnboardCommand, OnboardInfo,
        OnboardState, Outline, Person, PersonState, PersonStates, ResetEvent, RobotCommand,
        RobotInfo, RobotState, SensorSpec, Shelf, ShelfState, ShelfStates, Torches, Waypoint,
        WheelModel,
    }
}

messages! {
    check_bridge, BRIDGE: kachaka_interfaces {
        KachakaCommand, Location, LocationList,
    }
}

/// Compares every message that our programs know and that is built beside them with what is
/// installed, and those of its services.
///
/// # Errors
/// When one of them was compiled with another layout.
pub(super) fn check_all() -> Result<(), BindingsError> {
    check_own()?;
    check_bridge()?;
    Services::check_bindings()?;
    BuildingServices::check_bindings()?;
    ParameterInboxes::check_bindings()?;
    kachaka::check_bindings()
}

/// Compares the request and response of a service.
///
/// # Errors
/// When one of them has another size than the loaded type support says.
pub(super) fn check_service<T: WrappedServiceTypeSupport>() -> Result<(), BindingsError> {
    check::<T::Request>()?;
    check::<T::Response>()
}

/// Compares one message.
///
/// # Errors
/// When it has another size than the loaded type support says.
pub(super) fn check<T: WrappedTypesupport>() -> Result<(), BindingsError> {
    let compiled = size_of::<T::CStruct>();
    match loaded_size::<T>() {
        Some(loaded) if loaded != compiled => Err(BindingsError {
            message: std::any::type_name::<T>(),
            compiled,
            loaded,
        }),
        // Without introspection there is nothing to compare with.
        _ => Ok(()),
    }
}

fn loaded_size<T: WrappedTypesupport>() -> Option<usize> {
    let support = T::get_ts();
    let find = support.func?;
    // SAFETY: both pointers are valid for the call; the function is the one that the type
    // support itself names for finding its variant, which it returns or null.
    let handle = unsafe { find(support, c"rosidl_typesupport_introspection_c".as_ptr()).as_ref() }?;
    let members = handle.data.cast::<MessageMembers>();
    // SAFETY: the data of a handle with this identifier is a static MessageMembers, whose
    // leading fields have been the same in every distribution since Foxy.
    unsafe { members.as_ref() }.map(|members| members.size_of)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn defined(package: &str) -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(package)
            .join("msg");
        let files = std::fs::read_dir(&folder).unwrap();
        let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
        files.map(|file| name(&file.unwrap().path())).collect()
    }

    #[test]
    fn every_message_of_our_own_is_checked_and_none_that_is_not_there() {
        let own: BTreeSet<String> = OWN.iter().map(ToString::to_string).collect();
        assert_eq!(own, defined("msg_pkg/tatami_msgs"));
        let bridge = defined("msg_pkg/standins/kachaka_interfaces");
        assert!(
            BRIDGE.iter().all(|name| bridge.contains(*name)),
            "{bridge:?}"
        );
    }

    #[test]
    fn the_installed_messages_are_those_that_were_compiled() {
        assert_eq!(check_all(), Ok(()));
        // That there is something to compare with, else the check finds nothing.
        assert!(loaded_size::<r2r::tatami_msgs::msg::OnboardState>().is_some());
    }
}
