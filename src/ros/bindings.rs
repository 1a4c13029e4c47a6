//! Guards against message structs of an older build.
//!
//! r2r caches its bindings by environment variables, not by the `.msg` files. After a
//! message has changed, an incremental build may therefore go on with the old layout and
//! read other fields' memory. What the loaded type support says about a message's size is
//! compared here with what was compiled in.

use std::ffi::c_char;

use r2r::{WrappedServiceTypeSupport, WrappedTypesupport};

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
