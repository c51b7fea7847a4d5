//! The checks of the build script find what is wrong with a data file.

#[path = "../../build.rs"]
#[allow(
    dead_code,
    clippy::print_stdout,
    reason = "the build script itself, which is run elsewhere"
)]
mod build;

use std::collections::HashSet;

use build::{
    check_dates, check_folder, check_lists, check_patterns, check_sections, check_slots,
    check_tools, check_words,
};

fn lists(text: &str) -> Vec<String> {
    check_lists(text, &mut HashSet::new())
}

/// Whether the only problem is this one.
#[track_caller]
fn assert_problem(problems: &[String], expected: &str) {
    assert!(
        matches!(problems, [one] if one.contains(expected)),
        "{expected}: {problems:?}"
    );
}

#[test]
fn a_list_has_a_known_name_and_each_word_once() {
    assert!(lists("# A comment.\ntitles: dr, prof\nleads: day = on\ntoday = day 0").is_empty());
    for (text, problem) in [
        ("title: dr", "there is no list title"),
        ("titles: dr\ntitles: prof", "titles stands there twice"),
        ("titles: dr, prof, dr", "dr stands there twice"),
        ("titles: Dr", "not a word in lower case"),
        ("titles: dr,  prof", "not a word in lower case"),
        ("irony: (yeah|sure right", "no ')'"),
        (
            "third: mi = su, voy = va, voy = va",
            "voy stands there twice",
        ),
        ("third: mi = su, voy", "an entry without ' = '"),
        ("counts: un|una, un", "un stands there twice"),
        ("today = day 0\ntoday = day 1", "today stands there twice"),
        ("today = date 0", "can't be read"),
    ] {
        assert_problem(&lists(text), problem);
    }
}

#[test]
fn no_two_files_of_a_language_hold_the_same_list() {
    let mut names = HashSet::new();
    assert!(check_lists("titles: dr", &mut names).is_empty());
    assert_problem(&check_lists("titles: prof", &mut names), "twice");
}

#[test]
fn words_have_a_known_class() {
    assert!(check_words("filler: really, just").is_empty());
    assert_problem(&check_words("fillers: just"), "there is no class fillers");
    assert_problem(&check_words("filler: just, just"), "twice");
}

#[test]
fn a_phrase_names_one_slot() {
    assert!(check_slots("editor | editor, ide\nshell | shell").is_empty());
    assert_problem(&check_slots("editor | ide\nshell | shell, ide"), "ide");
}

#[test]
fn a_row_names_what_exists_and_says_what_no_other_does() {
    assert!(check_patterns("i use {x:tools} => #tools {x}").is_empty());
    for (text, problem) in [
        ("i use {x:gadget} => goals = {x}", "there is no kind gadget"),
        ("i use {x:tools} => #gadgets {x}", "there is no function"),
        ("i use {x:tools} => gadgets = {x}", "there is no scope"),
        ("i use {x:tools} => goals = {y}", "no capture is called y"),
        ("i use {x:tools} => general = {x}", "a slot is missing"),
        (
            "i am {x:job} => goals = {x}\ni am {y:job} => goals = {y}",
            "says the same as line 1",
        ),
    ] {
        assert_problem(&check_patterns(text), problem);
    }
}

#[test]
fn tools_and_lists_of_the_gate_hold_nothing_twice() {
    assert!(check_tools("@ preferences editor\nVim | vi").is_empty());
    assert_problem(&check_tools("@ preferences editor\nVim\nVi | vim"), "vim");
    assert_problem(&check_tools("Vim"), "nothing says where");
    assert!(check_sections("[a]\none\n[b]\none").is_empty());
    assert_problem(&check_sections("[a]\none\none"), "one stands there twice");
}

#[test]
fn each_folder_is_a_known_language_and_each_file_is_read() {
    let files = ["words.txt", "dates.txt", "notes.txt"].map(str::to_owned);
    assert!(check_folder("en", &files[..2]).is_empty());
    assert_problem(&check_folder("en", &files), "notes.txt: nobody reads it");
    assert_problem(&check_folder("xx", &files), "names no such language");
}

#[test]
fn a_language_can_write_dates() {
    let months = ["january"; 12].join(", ");
    let days = ["monday"; 7].join(", ");
    let text = |form: &str| {
        format!(
            "months: {months}\nweekdays: {days}\nleads: day = on\n\
             date_forms: day = {{day}}, week = {{monday}}, {form} = {{month}}"
        )
    };
    assert!(check_dates(&[("dates.txt", &text("month"))]).is_empty());
    assert_problem(
        &check_dates(&[("dates.txt", &text("moon"))]),
        "date_forms has no month",
    );
    let short = text("month").replace("leads", "lead");
    assert_problem(&check_dates(&[("dates.txt", &short)]), "leads is missing");
}
