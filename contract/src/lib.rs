//! What crosses a wire and the pure rules both sides obey.

pub mod code;
pub mod id;

pub use code::Code;
