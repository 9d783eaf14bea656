//! Watching one's own access: a stream that ends the moment it is gone. Other slices hold their streams open through
//! [`crate::http::stream::Watch`], which asks here.

pub mod http;
pub mod operations;
