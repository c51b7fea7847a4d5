//! Endpoints of the interface, recognised in requests.

use wiremock::{Match, Request};

/// One of the endpoints. As a matcher it is for mocks of your own: `Mock::given(Route::Update)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// `POST /api/context/inject`.
    Inject,
    /// `POST /api/context/update`.
    Update,
    /// `GET /api/context/{userId}`.
    Context,
    /// `DELETE /api/context/{userId}`.
    DeleteContext,
    /// `GET /api/context/{userId}/facts`. Not every deployment has it.
    Facts,
    /// `POST /api/context/{userId}/facts/search`. Not every deployment has it.
    SearchFacts,
    /// `DELETE /api/context/{userId}/facts/{factId}`. Not every deployment has it.
    DeleteFact,
    /// `POST /api/grants`.
    CreateGrant,
    /// `DELETE /api/grants/{grantId}`.
    RevokeGrant,
    /// `GET /api/health`.
    Health,
}

impl Route {
    /// All of them, for loops.
    pub const ALL: [Self; 10] = [
        Self::Inject,
        Self::Update,
        Self::Context,
        Self::DeleteContext,
        Self::Facts,
        Self::SearchFacts,
        Self::DeleteFact,
        Self::CreateGrant,
        Self::RevokeGrant,
        Self::Health,
    ];

    /// The endpoint of a request, if there is one.
    pub(super) fn of(request: &Request) -> Option<Self> {
        match (request.method.as_str(), segments(request).as_slice()) {
            ("POST", ["context", "inject"]) => Some(Self::Inject),
            ("POST", ["context", "update"]) => Some(Self::Update),
            ("GET", ["context", _]) => Some(Self::Context),
            ("DELETE", ["context", _]) => Some(Self::DeleteContext),
            ("GET", ["context", _, "facts"]) => Some(Self::Facts),
            ("POST", ["context", _, "facts", "search"]) => Some(Self::SearchFacts),
            ("DELETE", ["context", _, "facts", _]) => Some(Self::DeleteFact),
            ("POST", ["grants"]) => Some(Self::CreateGrant),
            ("DELETE", ["grants", _]) => Some(Self::RevokeGrant),
            ("GET", ["health"]) => Some(Self::Health),
            _ => None,
        }
    }
}

impl Match for Route {
    fn matches(&self, request: &Request) -> bool {
        Self::of(request) == Some(*self)
    }
}

/// The segments of a request's path after `/api/`, still encoded.
pub(super) fn segments(request: &Request) -> Vec<&str> {
    match request.url.path().strip_prefix("/api/") {
        Some(rest) => rest.split('/').collect(),
        None => Vec::new(),
    }
}
