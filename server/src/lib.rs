//! Bailiwick server.
