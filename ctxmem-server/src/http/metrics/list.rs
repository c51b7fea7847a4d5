//! Every metric, in the order in which they are shown. `docs/metrics.md`, the dashboard and the
//! alerts in `deploy/` are compared with this list by tests.

/// What a metric is to Prometheus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A metric with the names of its labels.
#[derive(Debug)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) labels: &'static [&'static str],
    pub(super) help: &'static str,
}

macro_rules! metrics {
    ($($constant:ident: $kind:ident $name:literal [$($label:literal),*] $help:literal;)*) => {
        $(pub(super) const $constant: &Metric = &Metric {
            name: $name,
            kind: Kind::$kind,
            labels: &[$($label),*],
            help: $help,
        };)*

        /// All of them.
        #[cfg(test)]
        pub(super) const METRICS: &[&Metric] = &[$($constant),*];
    };
}

metrics! {
    BUILD: Gauge "ctxmem_build_info" ["version", "commit"]
        "Always 1. The labels say what is running.";
    STARTED: Gauge "process_start_time_seconds" []
        "When the process started, in seconds since 1970.";
    CPU: Counter "process_cpu_seconds_total" []
        "Processor time that the process has used. On Unix.";
    MEMORY: Gauge "process_resident_memory_bytes" []
        "Memory that the process occupies. On Linux.";
    DESCRIPTORS: Gauge "process_open_fds" []
        "File descriptors that are open. On Linux.";
    MAX_DESCRIPTORS: Gauge "process_max_fds" []
        "File descriptors that may be open. On Unix.";

    REQUESTS: Counter "ctxmem_requests_total" ["method", "route", "status"]
        "Requests that were answered.";
    REQUEST_DURATION: Histogram "ctxmem_request_duration_seconds" ["method", "route"]
        "How long requests took, from their head to the head of the answer.";
    IN_FLIGHT: Gauge "ctxmem_requests_in_flight" []
        "Requests that are not answered yet.";
    REFUSALS: Counter "ctxmem_refusals_total" ["reason"]
        "Requests that were refused. An update beyond the quota is one, though its status is 200.";
    FAILURES: Counter "ctxmem_failures_total" ["cause"]
        "Requests that failed on the side of the server.";
    CONNECTIONS: Gauge "ctxmem_connections_open" []
        "Connections of clients that are open.";
    CONNECTIONS_LIMIT: Gauge "ctxmem_connections_limit" []
        "Connections of clients that may be open.";
    CONNECTIONS_ACCEPTED: Counter "ctxmem_connections_accepted_total" []
        "Connections that clients made.";
    CONNECTIONS_REFUSED: Counter "ctxmem_connections_refused_total" []
        "Connections beyond the limit.";
    CONNECTIONS_FAILED: Counter "ctxmem_connections_failed_total" []
        "Connections that could not be accepted, for example for want of file descriptors.";

    UPDATES: Counter "ctxmem_updates_total" ["outcome"]
        "Updates by what came of them.";
    EVICTED: Counter "ctxmem_facts_evicted_total" []
        "Facts that made room for others in full scopes.";
    EXTRACTION: Histogram "ctxmem_extraction_duration_seconds" ["extractor"]
        "How long it took to find the facts in a message.";
    MODEL_REQUESTS: Counter "ctxmem_model_requests_total" ["result"]
        "Requests to the model. An extraction takes one or two. Only with a model.";
    MODEL_DURATION: Histogram "ctxmem_model_request_duration_seconds" []
        "How long requests to the model took. Only with a model.";
    MODEL_TOKENS: Counter "ctxmem_model_tokens_total" ["direction"]
        "Tokens that the model counted. Only with a model.";
    ERASURES: Counter "ctxmem_erasures_total" ["result"]
        "Erasures of all that is known of a user, and attempts to complete interrupted ones that failed.";

    QUEUE: Gauge "ctxmem_queue_length" ["queue"]
        "How many wait where many can.";
    QUEUE_LIMIT: Gauge "ctxmem_queue_limit" ["queue"]
        "How many can wait there.";
    CACHE_HITS: Counter "ctxmem_cache_hits_total" []
        "Injects and updates that were answered from memory.";
    CACHE_MISSES: Counter "ctxmem_cache_misses_total" []
        "Injects and updates for which the database was asked.";
    CACHE_EVICTIONS: Counter "ctxmem_cache_evictions_total" []
        "Cached answers that made room for others.";
    CACHE_ENTRIES: Gauge "ctxmem_cache_entries" []
        "Answers in memory.";
    CACHE_BYTES: Gauge "ctxmem_cache_bytes" []
        "About how many bytes the answers in memory take.";

    DATABASE: Histogram "ctxmem_database_duration_seconds" ["operation"]
        "How long units of work on the database took, with their wait for it.";
    DATABASE_CONNECTIONS: Gauge "ctxmem_database_connections" ["pool", "state"]
        "Connections to the database.";
    COMMIT: Histogram "ctxmem_commit_duration_seconds" []
        "How long commits took, which is mostly the flush to the disk.";
    COMMIT_UNITS: Histogram "ctxmem_commit_units" []
        "How many units of work shared a commit. On SQLite.";
    COMMIT_FAILURES: Counter "ctxmem_commit_failures_total" []
        "Commits that failed.";
    DATABASE_FILE: Gauge "ctxmem_database_file_bytes" []
        "Size of the database file. On SQLite.";
    WAL: Gauge "ctxmem_wal_bytes" []
        "Size of the write-ahead log. On SQLite.";
    DISK_FREE: Gauge "ctxmem_disk_free_bytes" []
        "What the disk with the database still has room for. On SQLite.";
    ROWS: Gauge "ctxmem_stored_rows" ["kind"]
        "Rows that expire, up to a million of each, counted every ten minutes.";
    ROWS_COUNTED: Gauge "ctxmem_stored_rows_counted_timestamp_seconds" []
        "When these rows were counted, in seconds since 1970.";
}

/// What stands in a label.
#[cfg(test)]
pub(super) const LABELS: &[(&str, &str)] = &[
    ("version", "of the release, such as `0.1.0`"),
    ("commit", "of the sources, or `unknown`"),
    ("method", "`GET`, `POST`, `DELETE`; `other` without a route"),
    (
        "route",
        "the path with its parameter in braces, such as `/api/context/{userId}`; `other` for requests \
         that match no route",
    ),
    ("status", "the number, such as `200`"),
    (
        "reason",
        "`bad_request`, `unauthorized`, `forbidden`, `consent` (the user has to be asked), \
         `not_found`, `method`, `conflict`, `gone`, `too_large`, `too_slow`, `rate_limit`, \
         `sign_in_limit`, `overload`, `connections` (too many are open), `quota`",
    ),
    (
        "cause",
        "`database`, `model`, `panic`, `timeout`, `not_ready` (asked by an orchestrator), `other`",
    ),
    (
        "outcome",
        "`stored` (or removed), `nothing_new`, `filtered` (small talk), `refused` (a secret or an \
         order), `denied` (scopes that were not granted), `limit_reached`, `replayed`, \
         `not_allowed`, `model_failed`, `database_failed`, `rejected` (malformed, or overload)",
    ),
    ("extractor", "`rules`, `model`"),
    (
        "result",
        "of a request to the model: `answered`, `unreachable`, `timed_out`, `status` (none of \
         success), `too_large`, `malformed`, `not_sent`; of an erasure: `done`, `failed`",
    ),
    (
        "direction",
        "`in` (what was sent), `out` (what was answered)",
    ),
    (
        "queue",
        "`updates` (under way), `writes` (for the next commit; SQLite), `passwords` (to be hashed), \
         `audit_entries` and `logged_requests` (to be stored)",
    ),
    (
        "operation",
        "`read`; `write`, with the wait in the queue and the commit; `optimistic_write` (Postgres)",
    ),
    ("pool", "`read`, `write` (Postgres)"),
    ("state", "`used`, `idle`"),
    (
        "kind",
        "`sign_in_links`, `sessions`, `developer_sessions`, `oidc_sign_ins`, `idempotency_records`, \
         `logged_requests`, `consent_requests`, `audit_entries`, `unfinished_erasures`",
    ),
];
