//! Makes the declarations of `ilt-sys` from `ilt.h` with bindgen.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use bindgen::callbacks::ParseCallbacks;
use bindgen::{Builder, CodegenConfig, Formatter, RustEdition, RustTarget};

/// Constants, structs and the types of callbacks, with the layout that the C compiler gives them as assertions.
pub fn types(header: &Path) -> Result<String, Box<dyn Error>> {
    let mut parts = CodegenConfig::all();
    parts.remove(CodegenConfig::FUNCTIONS);
    let text = builder(header)?.with_codegen_config(parts).generate()?.to_string();
    Ok(finish("The constants and types of `ilt.h`.", &name_enums(&text, &fs::read_to_string(header)?)?))
}

/// Functions that take a session.
const OF_SESSIONS: &str =
    "ilt_(session|train|forward|optimizer|zero|evaluate|score|generate|checkpoint_(save|load)|metrics|param)_?.*";

/// The functions that take a session.
pub fn session_functions(header: &Path) -> Result<String, Box<dyn Error>> {
    let text = functions_of(builder(header)?.allowlist_function(OF_SESSIONS))?;
    Ok(finish(
        "The functions of `ilt.h` that take a session.",
        &format!("use crate::dlpack::DLManagedTensorVersioned;\n{text}"),
    ))
}

/// The other functions.
pub fn functions(header: &Path) -> Result<String, Box<dyn Error>> {
    let text = functions_of(builder(header)?.allowlist_function("ilt_.*").blocklist_function(OF_SESSIONS))?;
    Ok(finish("The functions of `ilt.h` that take no session.", &text))
}

fn functions_of(builder: Builder) -> Result<String, Box<dyn Error>> {
    let text = builder.with_codegen_config(CodegenConfig::FUNCTIONS).generate()?.to_string();
    Ok(format!("use crate::types::*;\n{text}"))
}

fn builder(header: &Path) -> Result<Builder, Box<dyn Error>> {
    Ok(Builder::default()
        .header(header.to_str().ok_or("the header's path is not UTF-8")?)
        .clang_arg("-fparse-all-comments")
        .rust_target(RustTarget::stable(85, 0).map_err(|e| e.to_string())?)
        .rust_edition(RustEdition::Edition2024)
        .allowlist_type("ilt_.*")
        .allowlist_var("ILT_.*")
        .allowlist_recursively(false)
        .must_use_type("ilt_status")
        .merge_extern_blocks(true)
        .use_core()
        .disable_header_comment()
        .formatter(Formatter::Prettyplease)
        .parse_callbacks(Box::new(Comments)))
}

/// Takes comments as text, not as markup.
#[derive(Debug)]
struct Comments;

impl ParseCallbacks for Comments {
    fn process_comment(&self, comment: &str) -> Option<String> {
        let text: Vec<_> = comment.lines().map(str::trim).collect();
        Some(format!(" {}", text.join("\n").trim()).replace('[', "\\[").replace('<', "\\<").replace("*out", "\\*out"))
    }
}

/// The enumerations of `ilt.h` are typedefs of `int32_t`, each followed by an anonymous enum with its constants. Bindgen
/// gives these constants a type with a number; this gives them that of the typedef.
fn name_enums(text: &str, header: &str) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with("pub type _bindgen_ty_") {
            continue;
        }
        let Some((constant, value)) =
            line.strip_prefix("pub const ").and_then(|rest| rest.split_once(": _bindgen_ty_"))
        else {
            writeln!(out, "{line}")?;
            continue;
        };
        let name = enum_of(constant, header).ok_or_else(|| format!("{constant} follows no typedef in the header"))?;
        let value = value.trim_start_matches(|c: char| c.is_ascii_digit());
        writeln!(out, "pub const {constant}: {name}{value}")?;
    }
    Ok(out)
}

/// The typedef before the enum that has the constant.
fn enum_of<'h>(constant: &str, header: &'h str) -> Option<&'h str> {
    let at = header.find(&format!("{constant} = "))?;
    let (_, typedef) = header[..at].rsplit_once("typedef int32_t ")?;
    Some(typedef.split_once(';')?.0)
}

/// Adds the file's first lines, and writes comments of several lines as line comments.
fn finish(purpose: &str, text: &str) -> String {
    let mut out = format!("//! {purpose} Generated from it: `make generate`.\n\n");
    let mut indent = None; // of the comment that the line is in
    for line in text.lines() {
        let mut words = line;
        if let Some((before, after)) = line.split_once("/**") {
            indent = Some(before);
            words = after;
        }
        if let Some(before) = indent {
            out.push_str(format!("{before}/// {}", words.trim_end_matches("*/").trim()).trim_end());
        } else {
            out.push_str(line);
        }
        out.push('\n');
        if words.ends_with("*/") {
            indent = None;
        }
    }
    out
}
