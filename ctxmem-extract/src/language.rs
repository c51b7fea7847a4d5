//! The languages that are read: a folder in `data/` each.
//!
//! Only `std` here: the build script checks the files that this file names.

/// The files of a language.
pub(crate) struct Files {
    /// The folder that they are in.
    #[allow(dead_code, reason = "the build script reads it")]
    pub(crate) folder: &'static str,
    /// Words by what they do in a sentence.
    pub(crate) words: &'static str,
    /// The files of lists, each with its name.
    pub(crate) lists: [(&'static str, &'static str); 6],
    /// Names of the slots of preferences.
    pub(crate) slots: &'static str,
    /// What the rules look for.
    pub(crate) patterns: &'static str,
}

macro_rules! languages {
    ($($(#[$doc:meta])* $language:ident = $folder:literal,)*) => {
        /// A language with a folder in `data/`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Language {
            $($(#[$doc])* $language,)*
        }

        impl Language {
            /// How many there are.
            pub(crate) const COUNT: usize = [$($folder),*].len();

            /// All of them, in their order.
            pub(crate) const ALL: [Self; Self::COUNT] = [$(Self::$language,)*];

            /// The files in its folder.
            pub(crate) const fn files(self) -> &'static Files {
                match self {
                    $(Self::$language => &Files {
                        folder: $folder,
                        words: include_str!(concat!("../data/", $folder, "/words.txt")),
                        lists: [
                            ("lists.txt", include_str!(concat!("../data/", $folder, "/lists.txt"))),
                            ("glue.txt", include_str!(concat!("../data/", $folder, "/glue.txt"))),
                            ("dates.txt", include_str!(concat!("../data/", $folder, "/dates.txt"))),
                            ("person.txt", include_str!(concat!("../data/", $folder, "/person.txt"))),
                            ("prose.txt", include_str!(concat!("../data/", $folder, "/prose.txt"))),
                            ("spelling.txt", include_str!(concat!("../data/", $folder, "/spelling.txt"))),
                        ],
                        slots: include_str!(concat!("../data/", $folder, "/slots.txt")),
                        patterns: include_str!(concat!("../data/", $folder, "/patterns.txt")),
                    },)*
                }
            }
        }
    };
}

languages! {
    English = "en",
    German = "de",
    French = "fr",
    Spanish = "es",
}

/// Lists that are the same in all languages.
pub(crate) const NAMES: &str = include_str!("../data/names.txt");
