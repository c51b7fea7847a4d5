//! Enums whose variants have a name in the data files.
//!
//! Only `std` here, and so in each file with such an enum: the build script reads them too, and a
//! name that no variant has fails the build.

macro_rules! named {
    (
        $(#[$of:meta])* $name:ident { $($(#[$doc:meta])* $one:ident = $text:literal,)* }
    ) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            $($(#[$doc])* $one,)*
        }

        impl $name {
            /// The variants in their order.
            #[allow(dead_code, reason = "not every enum is counted")]
            pub(crate) const ALL: &[Self] = &[$(Self::$one,)*];

            /// The variant with this name in the data files.
            pub(crate) fn named(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$one),)*
                    _ => None,
                }
            }
        }
    };
}
