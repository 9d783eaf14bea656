//! Transport only: how requests become operations and answers become responses. It decides nothing.

pub mod address;
mod body;
mod call;
mod console;
pub mod cursor;
pub mod guard;
mod health;
mod page;
mod performed;
pub mod problem;
mod router;
pub mod stream;

pub use body::{Json, Path, Query};
pub use page::Page;
pub use problem::Problem;
pub use router::{Api, description, router};

pub use crate::app::App;
pub use crate::gate::{Call, Performed};

use crate::gate::Timestamp;

/// How times look in the API description: RFC 3339, UTC.
pub type Instant = Timestamp;
