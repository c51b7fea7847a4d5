//! QR code: a text as a picture for the camera of a phone.

use std::fmt::Write as _;

use qrcode::{Color, QrCode};

/// A picture in a square of modules, as its template draws it.
pub(super) struct QrCodeView {
    /// How many modules a side has.
    pub(super) side: usize,
    /// The dark ones, as the data of an SVG path.
    pub(super) path: String,
}

impl QrCodeView {
    /// The picture of a text; none if it is too long for one.
    pub(super) fn of(text: &str) -> Option<Self> {
        let code = QrCode::new(text).ok()?;
        let side = code.width();
        let mut path = String::new();
        for (n, color) in code.to_colors().iter().enumerate() {
            if *color == Color::Dark {
                let _ = write!(path, "M{} {}h1v1h-1z", n % side, n / side);
            }
        }
        Some(Self { side, path })
    }

    /// The side with the margin that cameras need, four modules around.
    pub(super) fn with_margin(&self) -> usize {
        self.side + 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_corners_by_which_a_camera_finds_it_and_takes_no_endless_text() {
        let code = QrCodeView::of("otpauth://totp/ctxmem:ada?secret=ABC").unwrap();
        for corner in ["M0 0h1v1h-1z", "M6 6h1v1h-1z"] {
            assert!(code.path.contains(corner));
        }
        assert!(!code.path.contains("M1 1h1v1h-1z"));
        assert!(QrCodeView::of(&"x".repeat(3_000)).is_none());
    }
}
