//! `{% generation %}` blocks, which transformers adds to Jinja, rewritten as the scopes `{% with %}` that they are.

/// The length of `source`'s head that a comment, a raw block or a string literal takes, else 0.
fn quoted(source: &str, in_tag: bool) -> usize {
    let until = |mark: &str, from: usize| source[from..].find(mark).map_or(source.len(), |p| from + p + mark.len());
    let first = source.as_bytes()[0];
    if in_tag && (first == b'\'' || first == b'"') {
        let mut escaped = false;
        for (i, &byte) in source.as_bytes().iter().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                _ if byte == first => return i + 1,
                _ => {}
            }
        }
        return source.len();
    }
    if !in_tag && source.starts_with("{#") {
        return until("#}", 2);
    }
    if !in_tag && tag(source).is_some_and(|t| t.name == "raw") {
        let mut at = 2;
        while let Some(next) = source[at..].find("{%") {
            at += next;
            if let Some(end) = tag(&source[at..]).filter(|t| t.name == "endraw") {
                return at + end.size;
            }
            at += 2;
        }
        return source.len();
    }
    0
}

struct Tag<'a> {
    name: &'a str,
    open: &'a str,
    close: &'a str,
    size: usize,
}

/// The tag without arguments that `source` starts with: `{%- name -%}`.
fn tag(source: &str) -> Option<Tag<'_>> {
    let body = source.strip_prefix("{%")?;
    let size = body.find("%}")?;
    let body = &body[..size];
    let open = if body.starts_with(['-', '+']) { &body[..1] } else { "" };
    let body = &body[open.len()..];
    let close = if body.ends_with(['-', '+']) { &body[body.len() - 1..] } else { "" };
    let name = body[..body.len() - close.len()].trim();
    Some(Tag { name, open, close, size: size + 4 })
}

pub fn rewrite(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    let mut end_of_tag: Option<&str> = None;
    while let Some(first) = rest.chars().next() {
        let mut taken = quoted(rest, end_of_tag.is_some());
        if taken == 0 {
            taken = first.len_utf8();
            match end_of_tag {
                Some(end) if rest.starts_with(end) => (taken, end_of_tag) = (end.len(), None),
                Some(_) => {}
                None => {
                    if let Some(tag) = tag(rest).filter(|t| t.name == "generation" || t.name == "endgeneration") {
                        let name = if tag.name == "generation" { "with" } else { "endwith" };
                        out.push_str(&format!("{{%{} {name} {}%}}", tag.open, tag.close));
                        rest = &rest[tag.size..];
                        continue;
                    }
                    if rest.starts_with("{%") || rest.starts_with("{{") {
                        end_of_tag = Some(if rest.starts_with("{%") { "%}" } else { "}}" });
                        taken = 2;
                    }
                }
            }
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}
