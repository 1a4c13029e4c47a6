//! Cameras in software: pictures, depth images and what a detector would find in them.
//!
//! A [`Scene`] is a plain list of vertical prisms between a floor and a ceiling, lit by
//! ambient light and torches. A [`Renderer`] draws it for a [`Camera`] into a [`Frame`]:
//! colour, depth and the id of what each pixel shows. From there come JPEG and the
//! compressedDepth of ROS ([`coding`]), depth in millimetres ([`DepthImage`]) and objects
//! ([`detect`]). [`scene_of`] alone knows how a scene comes from a world.
//!
//! The same scene and the same view give the same bytes: there are no threads, and the
//! arithmetic is that of IEEE with functions from `libm`.

pub mod coding;
mod depth_image;
mod detection;
mod faces;
mod frame;
mod from_world;
mod lens;
mod lighting;
mod outline;
mod renderer;
mod rows;
mod scene;
mod shading;
mod spec;
mod texture;

pub use depth_image::{DepthImage, DepthNoise};
pub use detection::{Detection, DetectionConfig, Label, Roi, Target, detect};
pub use frame::{Channels, Frame, NOTHING};
pub use from_world::{SceneOptions, scene_of, targets_of};
pub use lens::Lens;
pub use renderer::{Camera, Renderer, View};
pub use scene::{Hole, Level, Material, Pattern, Prism, Scene, Torch};
pub use spec::{CameraInfo, CameraSpec, Distortion, FieldOfView, Intrinsics};

#[cfg(test)]
mod tests;
