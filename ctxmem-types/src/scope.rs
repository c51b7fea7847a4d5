//! The seven scopes, their storage keys and sets of them.
//!
//! The order of [`Scope::ALL`] is that of slices wherever they are listed, and of the facts of one
//! update in a prompt: what changes least comes first. Only this module maps scope names (used in grants and `denied_scopes`) to storage keys (used in
//! contexts and deltas).

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeSeq, Serializer};

/// One part of what is remembered about a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Identity: name, location, time zone.
    General,
    /// How the assistant should write its replies.
    CommunicationStyle,
    /// Tooling, environment and workflow choices.
    Preferences,
    /// Skills, tools, languages and frameworks.
    Knowledge,
    /// People and how the user relates to them.
    Relationships,
    /// Past decisions and completed actions.
    History,
    /// Current projects, tasks, blockers and priorities.
    Goals,
}

/// The form of a slice in a context object or a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceKind {
    /// A map of names to facts (`preferences`, `general`).
    Map,
    /// One text; several instructions are joined by `; ` (`communication_style`).
    Text,
    /// A list of facts.
    List,
}

impl Scope {
    /// Every scope, what changes least first.
    pub const ALL: [Self; 7] = [
        Self::General,
        Self::CommunicationStyle,
        Self::Preferences,
        Self::Knowledge,
        Self::Relationships,
        Self::History,
        Self::Goals,
    ];

    /// The name used in grants and in `denied_scopes`.
    pub const fn name(self) -> &'static str {
        let (name, _) = self.texts();
        name
    }

    /// The key of this scope's slice in a context object and in a delta.
    pub const fn storage_key(self) -> &'static str {
        let (_, storage_key) = self.texts();
        storage_key
    }

    /// The name and the storage key.
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::General => ("general", "general"),
            Self::CommunicationStyle => ("communication_style", "communication_style"),
            Self::Preferences => ("preferences", "preferences"),
            Self::Knowledge => ("knowledge", "domain_expertise"),
            Self::Relationships => ("relationships", "key_relationships"),
            Self::History => ("history", "raw_history"),
            Self::Goals => ("goals", "ongoing_tasks"),
        }
    }

    /// The form of this scope's slice.
    pub const fn kind(self) -> SliceKind {
        match self {
            Self::General | Self::Preferences => SliceKind::Map,
            Self::CommunicationStyle => SliceKind::Text,
            Self::Knowledge | Self::Relationships | Self::History | Self::Goals => SliceKind::List,
        }
    }

    /// The scope with this name. Storage keys are not accepted.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }

    /// The scope with this storage key.
    pub fn from_storage_key(key: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|scope| scope.storage_key() == key)
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is neither a scope name nor a storage key. The error does not repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownScope;

impl fmt::Display for UnknownScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected one of {}", ScopeSet::ALL)
    }
}

impl std::error::Error for UnknownScope {}

impl FromStr for Scope {
    type Err = UnknownScope;

    /// Accepts a scope name or a storage key: a grant may be requested with either.
    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Self::from_name(text)
            .or_else(|| Self::from_storage_key(text))
            .ok_or(UnknownScope)
    }
}

/// A scope in JSON: one of the seven names, or any other text that a deployment uses,
/// unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ScopeName {
    /// One of the seven names.
    Known(Scope),
    /// Any other text, including storage keys such as `ongoing_tasks`.
    Other(String),
}

impl ScopeName {
    /// The text in JSON.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(scope) => scope.name(),
            Self::Other(text) => text,
        }
    }

    /// The scope with this name or storage key.
    pub fn scope(&self) -> Option<Scope> {
        match self {
            Self::Known(scope) => Some(*scope),
            Self::Other(text) => Scope::from_storage_key(text),
        }
    }
}

impl From<Scope> for ScopeName {
    fn from(scope: Scope) -> Self {
        Self::Known(scope)
    }
}

impl From<String> for ScopeName {
    fn from(text: String) -> Self {
        Scope::from_name(&text).map_or(Self::Other(text), Self::Known)
    }
}

impl From<&str> for ScopeName {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Display for ScopeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ScopeName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ScopeName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Into::into)
    }
}

/// A set of scopes in one byte. It prints, iterates and serialises in the order of
/// [`Scope::ALL`].
///
/// ```
/// use ctxmem_types::{Scope, ScopeSet};
///
/// let granted: ScopeSet = [Scope::Goals, Scope::General].into_iter().collect();
/// let key = ScopeSet::ALL.without(Scope::Goals);
/// assert_eq!(granted.to_string(), "general,goals");
/// assert_eq!(granted.intersection(key).to_string(), "general");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScopeSet(u8);

impl ScopeSet {
    /// No scope.
    pub const EMPTY: Self = Self(0);
    /// All seven scopes.
    pub const ALL: Self = Self(0b111_1111);

    /// The set as bits, the first scope of [`Scope::ALL`] in the lowest. Databases store it, so
    /// it must not change.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The set with these bits. Bits of no scope are dropped.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// Whether the scope is in the set.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Whether no scope is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many scopes are in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether every scope of this set is in the other.
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The scopes that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The scopes of this set that are not in the other.
    #[must_use]
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// This set and one more scope.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | scope.bit())
    }

    /// This set without one scope.
    #[must_use]
    pub const fn without(self, scope: Scope) -> Self {
        Self(self.0 & !scope.bit())
    }

    /// The scopes of the set, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL
            .into_iter()
            .filter(move |scope| self.contains(*scope))
    }

    /// The scopes of the set as in JSON, in the order of [`Scope::ALL`].
    pub fn names(self) -> Vec<ScopeName> {
        self.iter().map(Into::into).collect()
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        scopes.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl From<Scope> for ScopeSet {
    fn from(scope: Scope) -> Self {
        Self::EMPTY.with(scope)
    }
}

impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, scope) in self.iter().enumerate() {
            if n > 0 {
                f.write_str(",")?;
            }
            f.write_str(scope.name())?;
        }
        Ok(())
    }
}

impl FromStr for ScopeSet {
    type Err = UnknownScope;

    /// Reads names or storage keys, separated by commas. An empty text is the empty set.
    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        text.split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::parse::<Scope>)
            .collect()
    }
}

impl Serialize for ScopeSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for scope in self.iter() {
            list.serialize_element(scope.name())?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for ScopeSet {
    /// Reads a list of names or storage keys. Anything else is an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        names
            .iter()
            .map(|name| name.parse::<Scope>())
            .collect::<Result<_, _>>()
            .map_err(D::Error::custom)
    }
}
