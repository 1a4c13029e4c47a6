//! Services of the server's node, declared once each.

/// Declares a struct with an inbox for each of some services of the server's node. A field is
/// named as its service, and its type is the one of the service.
macro_rules! service_set {
    (
        $(#[$about:meta])*
        $set_vis:vis struct $set:ident { $($vis:vis $name:ident: $kind:ident,)* }
    ) => {
        $(#[$about])*
        $set_vis struct $set {
            $($vis $name: $crate::ros::inbox::Inbox<r2r::ServiceRequest<$kind::Service>>,)*
        }

        impl $set {
            /// Names of all of them, below the node's.
            pub(in crate::ros) const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// Compares all messages of the services with what is installed.
            ///
            /// # Errors
            /// When one of them was compiled with another layout.
            pub(in crate::ros) fn check_bindings()
            -> Result<(), $crate::ros::bindings::BindingsError> {
                $($crate::ros::bindings::check_service::<$kind::Service>()?;)*
                Ok(())
            }

            /// Opens all services below the node's name.
            ///
            /// # Errors
            /// When the middleware does not let one be opened.
            pub(in crate::ros) fn open(node: &mut r2r::Node) -> r2r::Result<Self> {
                Ok(Self {
                    $($name: $crate::ros::services::open(
                        node,
                        concat!("~/", stringify!($name)),
                    )?,)*
                })
            }
        }
    };
}

pub(super) use service_set;
