//! What crosses a wire and the pure rules both sides obey.
