//! Programs that use a new key, in several languages. Each reads the service's address and the key
//! from the environment. A test compiles or runs each of them.

/// A program to start from.
pub(super) struct Quickstart {
    /// The id of its text on the page.
    pub(super) id: &'static str,
    pub(super) language: &'static str,
    /// The message that says what is needed to run it.
    pub(super) needs: &'static str,
    pub(super) program: &'static str,
}

/// All of them, in the order of the page.
pub(super) const QUICKSTARTS: &[Quickstart] = &[
    Quickstart {
        id: "curl",
        language: "curl",
        needs: "key-needs-curl",
        program: include_str!("../../../../templates/dashboard/first_turn.sh"),
    },
    Quickstart {
        id: "rust",
        language: "Rust",
        needs: "key-needs-rust",
        program: include_str!("../../../../templates/dashboard/first_turn.rs"),
    },
    Quickstart {
        id: "python",
        language: "Python",
        needs: "key-needs-python",
        program: include_str!("../../../../templates/dashboard/first_turn.py"),
    },
    Quickstart {
        id: "typescript",
        language: "TypeScript",
        needs: "key-needs-typescript",
        program: include_str!("../../../../templates/dashboard/first_turn.ts"),
    },
];
