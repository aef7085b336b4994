//! What a run needs besides its clients.

pub mod limits;
