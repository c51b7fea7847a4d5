//! Statements, in terms that no engine owns.
//!
//! A statement is a constant beside the function that runs it, written once where both engines
//! understand it and as a pair where they don't. A database on Postgres that Citus distributes has a
//! text of its own for a few. Placeholders are `$1`, `$2`, …; columns are text,
//! 64-bit integers or bytes. The macro that defines the statements of a file also lists them, so
//! that a test can prepare each on both migrated databases.

/// A named SQL text, in the dialect of each engine.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// The name under which a test reports it.
    pub name: &'static str,
    /// What SQLite runs; empty where it never does.
    pub sqlite: &'static str,
    /// What Postgres runs.
    pub postgres: &'static str,
    /// What runs on a database that Citus distributes, where that is not the text for Postgres.
    pub citus: &'static str,
    /// What it changes that agents' requests depend on.
    pub(super) changes: Changes,
}

impl Statement {
    /// A statement without any text.
    pub(super) const NONE: Self = Self {
        name: "",
        sqlite: "",
        postgres: "",
        citus: "",
        changes: Changes::Nothing,
    };

    /// The same with its name and what it is declared to change, if anything.
    pub(super) const fn declared(self, name: &'static str, changes: &[Changes]) -> Self {
        assert!(
            self.sqlite.is_empty() || !self.postgres.is_empty(),
            "what runs on SQLite runs on Postgres"
        );
        let changes = match changes {
            [changes, ..] => *changes,
            [] => Changes::by_default(self.sqlite),
        };
        Self {
            name,
            changes,
            ..self
        }
    }

    /// What runs on Postgres, where the database is distributed or not.
    pub fn on_postgres(&self, is_distributed: bool) -> &'static str {
        if is_distributed && !self.citus.is_empty() {
            self.citus
        } else {
            self.postgres
        }
    }
}

/// What a statement changes, as far as requests of agents depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changes {
    /// Nothing that they depend on.
    Nothing,
    /// The facts of the users whom the unit of work names.
    Facts,
    /// The grants or the epoch of these users.
    Access,
    /// Anything else.
    All,
}

impl Changes {
    /// What an undeclared statement changes. A missing declaration costs speed, since cached
    /// answers are thrown away, but never a wrong answer.
    const fn by_default(sql: &str) -> Self {
        match sql.as_bytes() {
            [b'S', b'E', b'L', b'E', b'C', b'T', ..] => Self::Nothing,
            _ => Self::All,
        }
    }
}

/// Defines a statement as a constant that carries its own name.
///
/// ```ignore
/// statement!(FIND_USER: "SELECT …");
/// // One that writes says what it changes, unless it is something of all users.
/// statement!(PUT_FACT changes Facts: "INSERT …");
/// // Where the dialects differ, and where SQLite never runs it.
/// statement!(LOCK_USER: { sqlite: "SELECT …", postgres: "SELECT … FOR UPDATE" });
/// statement!(LOCK_USERS changes Nothing: { postgres: "SELECT … FOR UPDATE" });
/// // Where a distributed database needs another text (decision 057), and where only it has one.
/// statement!(SUM_UP: { all: "SELECT …", citus: "SELECT …" });
/// statement!(CLAIM_KEY changes Nothing: { citus: "INSERT …" });
/// ```
macro_rules! statement {
    (@texts $sql:literal) => {
        $crate::store::statement::statement!(@texts { sqlite: $sql, postgres: $sql })
    };
    (@texts { all: $sql:literal, citus: $citus:literal $(,)? }) => {
        $crate::store::statement::statement!(@texts { sqlite: $sql, postgres: $sql, citus: $citus })
    };
    (@texts { $($dialect:ident: $sql:literal),+ $(,)? }) => {
        $crate::store::Statement {
            $($dialect: $sql,)+
            ..$crate::store::Statement::NONE
        }
    };
    ($name:ident $(changes $changes:ident)?: $sql:tt) => {
        const $name: $crate::store::Statement = $crate::store::statement::statement!(@texts $sql)
            .declared(stringify!($name), &[$($crate::store::statement::Changes::$changes)?]);
    };
}

/// Defines the statements of a file, and lists them as its `STATEMENTS`.
macro_rules! statements {
    ($($name:ident $(changes $changes:ident)?: $sql:tt;)*) => {
        $($crate::store::statement::statement!($name $(changes $changes)?: $sql);)*

        pub(in $crate::store) const STATEMENTS: &[$crate::store::Statement] = &[$($name),*];
    };
}

pub(super) use statement;
pub(super) use statements;
