//! What crosses a wire and the pure rules both sides obey.

pub mod access;
pub mod audit;
pub mod code;
pub mod id;
pub mod text;

pub use code::Code;
