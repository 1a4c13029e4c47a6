//! The light of torches on a place that a camera sees.

use super::faces::Eye;
use super::scene::Torch;

/// Square of the distance at which a torch is half as bright as at the lamp, m². Real light
/// has no bound there; a real camera would lower its exposure. Estimate.
const HALF_SQUARE: f32 = 0.25;

/// A torch in the camera's frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beam {
    position: [f32; 3],
    direction: [f32; 3],
    strength: f32,
    /// Cosines of the angles at which it begins to fade and at which it is gone.
    full: f32,
    gone: f32,
}

impl Beam {
    pub(super) fn new(torch: &Torch, eye: &Eye) -> Self {
        let half = torch.half_angle;
        Self {
            position: eye.place(&torch.position.coords).map(|x| x as f32),
            direction: eye.turn(&torch.direction).map(|x| x as f32),
            strength: torch.strength,
            full: libm::cos(0.5 * half) as f32,
            gone: libm::cos(half) as f32,
        }
    }

    /// Light on a place with a normal.
    pub(super) fn on(&self, place: [f32; 3], normal: [f32; 3]) -> f32 {
        let to: [f32; 3] = std::array::from_fn(|i| place[i] - self.position[i]);
        let square = dot(to, to);
        let distance = square.sqrt().max(1e-6);
        let along = dot(to, self.direction) / distance;
        let part = ((along - self.gone) / (self.full - self.gone)).clamp(0.0, 1.0);
        let facing = (-dot(to, normal) / distance).max(0.0);
        let fading = part * part * (3.0 - 2.0 * part);
        self.strength * fading * facing * (1.0 + HALF_SQUARE) / (square + HALF_SQUARE)
    }
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
