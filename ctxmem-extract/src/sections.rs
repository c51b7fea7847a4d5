//! Files of words, phrases and samples that are compiled in: `[name]` begins a section, every
//! other line is one entry, and `#` at the start of a line is a comment.

/// The entries of a file, each with the name of its section.
pub(crate) fn sections(
    file: &'static str,
) -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    let mut section = "";
    file.lines().map(str::trim).filter_map(move |line| {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = name;
            return None;
        }
        (!line.is_empty() && !line.starts_with("# ")).then_some((section, line))
    })
}

/// The entries of one section.
pub(crate) fn section(
    file: &'static str,
    name: &'static str,
) -> impl Iterator<Item = &'static str> + Clone {
    sections(file).filter_map(move |(section, entry)| (section == name).then_some(entry))
}

/// The words of one section, with several on a line.
pub(crate) fn section_words(
    file: &'static str,
    name: &'static str,
) -> impl Iterator<Item = &'static str> + Clone {
    section(file, name).flat_map(str::split_whitespace)
}

/// The samples of one section: an input, and the expected output. `\n` is a line break.
#[cfg(test)]
pub(crate) fn samples(
    file: &'static str,
    name: &'static str,
) -> impl Iterator<Item = (String, String)> {
    section(file, name).map(|line| {
        let (given, comes_to) = line.split_once(" -> ").unwrap_or((line, ""));
        let (given, comes_to) = (given.trim_matches('"'), comes_to.trim_matches('"'));
        (given.replace("\\n", "\n"), comes_to.replace("\\n", "\n"))
    })
}
