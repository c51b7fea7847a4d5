//! Every answer of the interface, including those of other and older deployments, to mount in one
//! line.

mod context;
mod facts;
mod failures;
mod grants;
mod health;
mod inject;
mod update;

use wiremock::matchers::{method, path, path_regex};
use wiremock::{Mock, MockBuilder};

pub use context::{ContextForm, DeleteForm};
pub use facts::{DeleteFactForm, FactsForm, SearchForm};
pub use failures::{Broken, RateLimit, ServiceError};
pub use grants::{GrantForm, RevokeForm};
pub use health::HealthForm;
pub use inject::InjectForm;
pub use update::UpdateForm;

/// One of the endpoints.
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

    /// Starts a mock of your own for this endpoint.
    pub fn given(self) -> MockBuilder {
        const CONTEXT: &str = "^/api/context/[^/]+$";
        const FACTS: &str = "^/api/context/[^/]+/facts$";
        const SEARCH: &str = "^/api/context/[^/]+/facts/search$";
        const FACT: &str = "^/api/context/[^/]+/facts/[^/]+$";
        const GRANT: &str = "^/api/grants/[^/]+$";
        match self {
            Self::Inject => Mock::given(method("POST")).and(path("/api/context/inject")),
            Self::Update => Mock::given(method("POST")).and(path("/api/context/update")),
            Self::Context => Mock::given(method("GET")).and(path_regex(CONTEXT)),
            Self::DeleteContext => Mock::given(method("DELETE")).and(path_regex(CONTEXT)),
            Self::Facts => Mock::given(method("GET")).and(path_regex(FACTS)),
            Self::SearchFacts => Mock::given(method("POST")).and(path_regex(SEARCH)),
            Self::DeleteFact => Mock::given(method("DELETE")).and(path_regex(FACT)),
            Self::CreateGrant => Mock::given(method("POST")).and(path("/api/grants")),
            Self::RevokeGrant => Mock::given(method("DELETE")).and(path_regex(GRANT)),
            Self::Health => Mock::given(method("GET")).and(path("/api/health")),
        }
    }
}

/// The forms of the answer of one endpoint.
macro_rules! forms {
    ($(#[$meta:meta])* $name:ident of $route:ident { $($(#[$doc:meta])* $form:ident,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $form,)+ }

        impl $name {
            /// All of them, for loops.
            pub const ALL: &'static [Self] = &[$(Self::$form,)+];

            /// The answer to the call, as a mock on which expectations can be set.
            pub fn mock(self) -> wiremock::Mock {
                super::Route::$route.given().respond_with(self)
            }

            /// Answers the call like this from now on. Earlier mounts take precedence.
            pub async fn mount(self, service: &wiremock::MockServer) {
                self.mock().mount(service).await;
            }
        }
    };
}

/// Answers that any endpoint may give.
macro_rules! any_call {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $form:ident,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $form,)+ }

        impl $name {
            /// All of them, for loops.
            pub const ALL: &'static [Self] = &[$(Self::$form,)+];

            /// The answer to any call, as a mock on which expectations can be set.
            pub fn mock(self) -> wiremock::Mock {
                wiremock::Mock::given(wiremock::matchers::any()).respond_with(self)
            }

            /// The answer to one call, as a mock on which expectations can be set.
            pub fn mock_at(self, route: super::Route) -> wiremock::Mock {
                route.given().respond_with(self)
            }

            /// Answers every call like this from now on. Earlier mounts take precedence.
            pub async fn mount(self, service: &wiremock::MockServer) {
                self.mock().mount(service).await;
            }

            /// Answers this call like this from now on. Earlier mounts take precedence.
            pub async fn mount_at(self, route: super::Route, service: &wiremock::MockServer) {
                self.mock_at(route).mount(service).await;
            }
        }

        impl wiremock::Respond for $name {
            fn respond(&self, _: &wiremock::Request) -> wiremock::ResponseTemplate {
                self.response()
            }
        }
    };
}

use {any_call, forms};
