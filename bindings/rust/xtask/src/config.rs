//! Makes the typed options of `ilt::ConfigBuilder` from the schema that libilt gives.

use std::error::Error;
use std::ffi::CStr;
use std::fmt::Write;

use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// The source of `ilt/src/config/options.rs`: one line for each option, and one enum for each that has choices.
pub fn options() -> Result<String, Box<dyn Error>> {
    // SAFETY: the function takes nothing and returns a string in static storage.
    let schema: Value =
        serde_json::from_slice(unsafe { CStr::from_ptr(ilt_sys::ilt_config_schema_json()) }.to_bytes())?;
    let properties = schema["properties"].as_object().ok_or("the schema has no properties")?;

    let mut fields = String::new();
    let mut enums = String::new();
    for (name, value) in properties {
        let option = value.as_object().ok_or_else(|| format!("{name}: the schema describes no option"))?;
        write_field(&mut fields, name, option)?;
        if let Some(choices) = choices(option) {
            write_enum(&mut enums, name, &choices)?;
        }
    }
    Ok(format!(
        "//! The options of a run, as libilt describes them. Generated from its schema: `make generate`.\n\n\
         use super::builder::{{choices, options}};\n\
         use super::OneOrMore;\n\n\
         options! {{\n{fields}}}\n{enums}"
    ))
}

fn write_field(out: &mut String, name: &str, option: &Object) -> Result<(), Box<dyn Error>> {
    let kind = rust_type(name, option)?;
    writeln!(out, "    /// {}", markdown(text(option, "description")?))?;
    writeln!(out, "    ///")?;
    writeln!(out, "    /// {}", place(option)?)?;
    let aliases: Vec<_> =
        option.get("x-aliases").and_then(Value::as_array).into_iter().flatten().map(Value::to_string).collect();
    if !aliases.is_empty() {
        writeln!(
            out,
            "    #[serde({})]",
            aliases.iter().map(|a| format!("alias = {a}")).collect::<Vec<_>>().join(", ")
        )?;
    }
    writeln!(out, "    {name}: {kind},")?;
    Ok(())
}

/// The group of the option, its bounds, whether it is needed, and its default.
fn place(option: &Object) -> Result<String, Box<dyn Error>> {
    let mut facts = vec![text(option, "x-group")?.to_owned()];
    let bound = |key: &str| option.get(key).map(Value::to_string);
    facts.extend(bound("minimum").map(|b| format!("at least {b}")));
    facts.extend(bound("exclusiveMinimum").map(|b| format!("more than {b}")));
    facts.extend(bound("maximum").map(|b| format!("at most {b}")));
    facts.extend(bound("exclusiveMaximum").map(|b| format!("less than {b}")));
    match option.get("x-required").and_then(Value::as_str) {
        Some("always") => facts.push("needed".to_owned()),
        Some("training") => facts.push("needed for training".to_owned()),
        _ => {}
    }
    match option.get("default") {
        None | Some(Value::Null) => {}
        Some(value) => facts.push(format!("default `{value}`")),
    }
    Ok(facts.join("; ") + ".")
}

fn rust_type(name: &str, option: &Object) -> Result<String, Box<dyn Error>> {
    if choices(option).is_some() {
        return Ok(camel_case(name));
    }
    let types: Vec<&str> = match &option["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).filter(|t| *t != "null").collect(),
        _ => vec![],
    };
    Ok(match types[..] {
        ["string"] => "String => into".to_owned(),
        ["string", "array"] => "OneOrMore => into".to_owned(),
        ["integer"] => "u64".to_owned(),
        ["number"] => "f64".to_owned(),
        ["boolean"] => "bool".to_owned(),
        ["array"] => {
            let item = match text(option["items"].as_object().ok_or("a list without items")?, "type")? {
                "number" => "f64",
                "integer" => "u64",
                "string" => "String",
                other => return Err(format!("{name}: a list of {other} has no type in Rust yet").into()),
            };
            match (option.get("minItems"), option.get("maxItems")) {
                (Some(least), Some(most)) if least == most => format!("[{item}; {least}]"),
                _ => format!("Vec<{item}> => into"),
            }
        }
        _ => return Err(format!("{name}: {} has no type in Rust yet", option["type"]).into()),
    })
}

fn choices(option: &Object) -> Option<Vec<&str>> {
    option.get("enum")?.as_array().map(|list| list.iter().filter_map(Value::as_str).collect())
}

fn write_enum(out: &mut String, name: &str, choices: &[&str]) -> Result<(), Box<dyn Error>> {
    writeln!(out, "\nchoices! {{\n    /// Choices of [`ConfigBuilder::{name}`](super::ConfigBuilder::{name}).")?;
    writeln!(out, "    {} {{", camel_case(name))?;
    for choice in choices {
        let variant = if choice.is_empty() { "Unset".to_owned() } else { camel_case(choice) };
        writeln!(out, "        {variant} = {choice:?},")?;
    }
    writeln!(out, "    }}\n}}")?;
    Ok(())
}

fn text<'o>(object: &'o Object, key: &str) -> Result<&'o str, Box<dyn Error>> {
    object.get(key).and_then(Value::as_str).ok_or_else(|| format!("the schema lacks {key}").into())
}

/// Text that rustdoc shows as it is, with what looks like a name or a path in backticks.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 1 {
            write!(out, "`{part}`").expect("strings take all");
            continue;
        }
        for word in part.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || "_./".contains(c))) {
            let name = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let rest = word[name.len()..].replace('[', "\\[").replace('<', "\\<").replace('*', "\\*");
            let quote = if name.contains('_') { "`" } else { "" };
            write!(out, "{quote}{name}{quote}{rest}").expect("strings take all");
        }
    }
    out
}

/// `warmup_stable_decay` to `WarmupStableDecay`; `adamw_8bit` to `Adamw8bit`.
fn camel_case(name: &str) -> String {
    name.split('_')
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        })
        .collect()
}
