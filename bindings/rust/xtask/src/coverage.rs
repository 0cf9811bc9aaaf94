//! Whether the safe crate reaches every function of `ilt.h`, but for those that `unbound.txt` excuses.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names after each `marker` that can be part of an identifier.
fn names_after<'t>(text: &'t str, marker: &str) -> impl Iterator<Item = &'t str> {
    text.match_indices(marker).map(move |(at, _)| {
        let rest = &text[at + marker.len()..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        &rest[..end.unwrap_or(rest.len())]
    })
}

fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it can be read").path()) {
        if entry.is_dir() {
            sources(&entry, text);
        } else {
            text.push_str(&fs::read_to_string(&entry).expect("sources are text"));
        }
    }
}

#[test]
fn the_safe_crate_reaches_every_function() {
    let root = crate::workspace();
    let header = fs::read_to_string(root.join("../../include/ilt.h")).expect("the header is there");
    let declared: BTreeSet<_> = header
        .lines()
        .filter(|line| line.starts_with("ILT_API "))
        .filter_map(|line| line[..line.find('(')?].rsplit([' ', '*']).next())
        .collect();
    assert!(declared.contains("ilt_train_run") && declared.contains("ilt_cancel_token_retain"), "{declared:?}");

    let mut code = String::new();
    sources(&root.join("ilt/src"), &mut code);
    let used: BTreeSet<_> = names_after(&code, "sys::").collect();
    let unbound = fs::read_to_string(root.join("unbound.txt")).expect("the list is there");
    let left_out: BTreeSet<_> = unbound
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some(line.split_once("  ")?.0))
        .collect();

    let missing: Vec<_> = declared.iter().filter(|name| !used.contains(*name) && !left_out.contains(*name)).collect();
    assert!(missing.is_empty(), "the crate ilt reaches no {missing:?}: add them, or say in unbound.txt why not");
    let stale: Vec<_> = left_out.iter().filter(|name| used.contains(*name) || !declared.contains(*name)).collect();
    assert!(stale.is_empty(), "unbound.txt names {stale:?} without need");
}
