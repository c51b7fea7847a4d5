//! Tables to download, as CSV (RFC 4180).

use std::fmt::Write as _;

/// A table as text.
pub(super) struct Csv(String);

impl Csv {
    /// A table with these columns.
    pub(super) fn new(columns: &[&str]) -> Self {
        let mut csv = Self(String::new());
        csv.row(columns.iter().map(|name| (*name).to_owned()));
        csv
    }

    /// Adds a row.
    pub(super) fn row(&mut self, fields: impl IntoIterator<Item = String>) {
        for (n, field) in fields.into_iter().enumerate() {
            if n > 0 {
                self.0.push(',');
            }
            // Spreadsheets would run such a text as a formula.
            let guard = if field.starts_with(['=', '+', '-', '@', '\t', '\r']) {
                "'"
            } else {
                ""
            };
            if field.contains([',', '"', '\r', '\n']) {
                let field = field.replace('"', "\"\"");
                let _ = write!(self.0, "\"{guard}{field}\"");
            } else {
                let _ = write!(self.0, "{guard}{field}");
            }
        }
        self.0.push_str("\r\n");
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_stays_one_field_and_is_never_a_formula() {
        let mut csv = Csv::new(&["agent", "n"]);
        for name in ["plain", "a,b", "say \"hi\"", "=1+1", "-2,3", "two\nlines"] {
            csv.row([name.to_owned(), "1".to_owned()]);
        }
        let text = String::from_utf8(csv.into_bytes()).unwrap();
        assert_eq!(
            text,
            "agent,n\r\nplain,1\r\n\"a,b\",1\r\n\"say \"\"hi\"\"\",1\r\n'=1+1,1\r\n\"'-2,3\",1\r\n\
             \"two\nlines\",1\r\n"
        );
    }
}
