//! Comma-separated values, for spreadsheets.

/// What it is called in answers.
pub(crate) const TYPE: &str = "text/csv; charset=utf-8";

/// Appends one row (RFC 4180). A cell that a spreadsheet would take for a formula gets an apostrophe
/// in front, which spreadsheets don't show.
pub(crate) fn push_row(csv: &mut String, cells: &[&str]) {
    for (n, cell) in cells.iter().enumerate() {
        if n > 0 {
            csv.push(',');
        }
        let guard = if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
            "'"
        } else {
            ""
        };
        if cell.contains(['"', ',', '\n', '\r']) {
            csv.push('"');
            csv.push_str(guard);
            csv.push_str(&cell.replace('"', "\"\""));
            csv.push('"');
        } else {
            csv.push_str(guard);
            csv.push_str(cell);
        }
    }
    csv.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be_and_are_no_formulas() {
        let mut csv = String::new();
        push_row(&mut csv, &["plain", "a,b", "say \"hi\"", "two\nlines", ""]);
        push_row(
            &mut csv,
            &["=1+1", "+1", "-1", "@x", "\tx", "=A1,\"B\"", "a=b"],
        );
        let expected = [
            "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\r\n",
            "'=1+1,'+1,'-1,'@x,'\tx,\"'=A1,\"\"B\"\"\",a=b\r\n",
        ];
        assert_eq!(csv, expected.concat());
    }
}
