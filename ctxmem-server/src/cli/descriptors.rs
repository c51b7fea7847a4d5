//! File descriptors: each connection takes one, and so do the database, the log and the calls to
//! a model.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::http::Limits;

/// Descriptors that are kept for everything but clients: the database (some forty on SQLite, some
/// thirty on Postgres), the listeners and the log.
const RESERVED: u64 = 64;

/// Raises the limit on descriptors as far as the system lets this process. Answers the limit;
/// `None` if there is none, or none that is known.
pub(super) fn raise_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let highest = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, highest) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    }
}

/// Lowers the limits on connections to what so many descriptors allow. A model takes a descriptor
/// for each update that asks it.
pub(super) fn fit(limits: &mut Limits, descriptors: Option<u64>, has_model: bool) {
    let Some(descriptors) = descriptors else {
        return;
    };
    let left = descriptors.saturating_sub(RESERVED);
    let turned_away = left / 8;
    let each = if has_model { 2 } else { 1 };
    let connections = (left - turned_away) / each;
    let at_most = |limit: &mut usize, bound: u64| {
        *limit = usize::try_from(bound).map_or(*limit, |bound| bound.min(*limit));
    };
    at_most(&mut limits.max_turned_away, turned_away);
    let wanted = limits.max_connections;
    at_most(&mut limits.max_connections, connections);
    if limits.max_connections < wanted {
        tracing::warn!(
            descriptors,
            connections = limits.max_connections,
            "the limit on open files allows fewer connections than {wanted}; raise it, for example \
             by LimitNOFILE of systemd"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(descriptors: Option<u64>, has_model: bool) -> (usize, usize) {
        let mut limits = Limits::default();
        fit(&mut limits, descriptors, has_model);
        (limits.max_connections, limits.max_turned_away)
    }

    #[test]
    fn connections_leave_room_for_what_else_needs_descriptors() {
        assert_eq!(connections(None, true), (10_000, 256));
        assert_eq!(connections(Some(1 << 20), false), (10_000, 256));
        assert_eq!(connections(Some(256), false), (168, 24));
        assert_eq!(connections(Some(256), true), (84, 24));
        assert_eq!(connections(Some(10), false), (0, 0));
    }
}
