//! The real client against the real server.
