//! The Kachaka's own software: what the robot does by itself and when it is asked to.
