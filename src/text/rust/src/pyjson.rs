//! Values as Python prints them: json.dumps (the tojson filter) and str().

use std::fmt::Write as _;

use minijinja::value::{Kwargs, ObjectRepr, Rest, Tuple, Value, ValueKind};
use minijinja::{Error, ErrorKind};

use crate::bounds;

/// repr() of a finite float: shortest digits, exponent outside 1e-4 .. 1e16.
fn float_repr(x: f64) -> String {
    let magnitude = x.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let text = format!("{x:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let text = x.to_string();
    if text.contains('.') {
        text
    } else {
        text + ".0"
    }
}

fn float_text(x: f64, nan: &str, infinity: &str) -> String {
    match x {
        _ if x.is_nan() => nan.into(),
        _ if x.is_infinite() && x > 0.0 => infinity.into(),
        _ if x.is_infinite() => format!("-{infinity}"),
        _ => float_repr(x),
    }
}

/// No template can build a deeper value, but indenting one gives more text than it holds.
fn check(level: usize, out: &str) -> Result<(), Error> {
    match level {
        _ if level > 2 * bounds::DEPTH => Err(bounds::too_deep()),
        _ if out.len() > bounds::max_text() => Err(bounds::too_large()),
        _ => Ok(()),
    }
}

struct Style {
    ascii: bool,
    indent: Option<String>,
    item_separator: String,
    key_separator: String,
    sort_keys: bool,
}

impl Style {
    fn new_line(&self, level: usize, out: &mut String) {
        if let Some(indent) = &self.indent {
            out.push('\n');
            (0..level).for_each(|_| out.push_str(indent));
        }
    }

    fn string(&self, text: &str, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                c if (c as u32) < 0x20 => {
                    let _ = write!(out, "\\u{:04x}", c as u32);
                }
                c if self.ascii && (c as u32) > 0x7e => {
                    for unit in c.encode_utf16(&mut [0u16; 2]) {
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
    }

    fn value(&self, value: &Value, level: usize, out: &mut String) -> Result<(), Error> {
        check(level, out)?;
        match value.kind() {
            ValueKind::None => out.push_str("null"),
            ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number if value.is_integer() => {
                let _ = write!(out, "{value}");
            }
            ValueKind::Number => out.push_str(&float_text(f64::try_from(value.clone())?, "NaN", "Infinity")),
            ValueKind::String => self.string(value.as_str().unwrap_or_default(), out),
            ValueKind::Seq | ValueKind::Iterable => self.sequence(value, level, out)?,
            ValueKind::Map => self.mapping(value, level, out)?,
            kind => {
                let message = format!("Object of type {kind} is not JSON serializable");
                return Err(Error::new(ErrorKind::InvalidOperation, message));
            }
        }
        Ok(())
    }

    fn sequence(&self, value: &Value, level: usize, out: &mut String) -> Result<(), Error> {
        out.push('[');
        let mut empty = true;
        for item in value.try_iter()? {
            out.push_str(if empty { "" } else { &self.item_separator });
            empty = false;
            self.new_line(level + 1, out);
            self.value(&item, level + 1, out)?;
        }
        if !empty {
            self.new_line(level, out);
        }
        out.push(']');
        Ok(())
    }

    fn mapping(&self, value: &Value, level: usize, out: &mut String) -> Result<(), Error> {
        let mut keys: Vec<Value> = value.try_iter()?.collect();
        if self.sort_keys {
            keys.sort();
        }
        out.push('{');
        for (i, key) in keys.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { &self.item_separator });
            self.new_line(level + 1, out);
            match key.as_str() {
                Some(text) => self.string(text, out),
                None => {
                    let mut text = String::new();
                    self.value(key, 0, &mut text)?;
                    self.string(&text, out);
                }
            }
            out.push_str(&self.key_separator);
            self.value(&value.get_item(key)?, level + 1, out)?;
        }
        if !keys.is_empty() {
            self.new_line(level, out);
        }
        out.push('}');
        Ok(())
    }
}

/// The filter that transformers installs: json.dumps(x, ensure_ascii=False, indent, separators, sort_keys).
pub fn tojson(value: &Value, positional: Rest<Value>, named: Kwargs) -> Result<Value, Error> {
    let argument = |index: usize, name: &str| -> Result<Option<Value>, Error> {
        let given: Option<Value> = named.get(name)?;
        Ok(given.or_else(|| positional.get(index).cloned()).filter(|v| !v.is_none() && !v.is_undefined()))
    };
    let ascii = argument(0, "ensure_ascii")?.is_some_and(|v| v.is_true());
    let indent = match argument(1, "indent")? {
        None => None,
        Some(v) if v.as_str().is_some_and(|text| text.len() > 64) => return Err(bounds::too_large()),
        Some(v) if v.as_str().is_some() => v.as_str().map(str::to_string),
        Some(v) => Some(" ".repeat(usize::try_from(i64::try_from(v)?.clamp(0, 64)).unwrap_or(0))),
    };
    let (item_separator, key_separator) = match argument(2, "separators")? {
        Some(pair) => (pair.get_item_by_index(0)?.to_string(), pair.get_item_by_index(1)?.to_string()),
        None => (if indent.is_some() { "," } else { ", " }.to_string(), ": ".to_string()),
    };
    let sort_keys = argument(3, "sort_keys")?.is_some_and(|v| v.is_true());
    named.assert_all_used()?;
    let mut out = String::new();
    Style { ascii, indent, item_separator, key_separator, sort_keys }.value(value, 0, &mut out)?;
    Ok(Value::from(out))
}

fn is_plain_map(value: &Value) -> bool {
    value.is_kwargs() || value.as_object().is_some_and(|object| matches!(object.repr(), ObjectRepr::Map))
}

fn repr(value: &Value, level: usize, out: &mut String) -> Result<(), Error> {
    let list = |open: &str, close: &str, out: &mut String| -> Result<(), Error> {
        out.push_str(open);
        for (i, item) in value.try_iter()?.enumerate() {
            out.push_str(if i == 0 { "" } else { ", " });
            repr(&item, level + 1, out)?;
            if open == "{" {
                out.push_str(": ");
                repr(&value.get_item(&item)?, level + 1, out)?;
            }
        }
        out.push_str(close);
        Ok(())
    };
    check(level, out)?;
    match value.kind() {
        ValueKind::Undefined => Ok(()),
        ValueKind::Number if !value.is_integer() => {
            out.push_str(&float_text(f64::try_from(value.clone())?, "nan", "inf"));
            Ok(())
        }
        ValueKind::Seq if value.downcast_object_ref::<Tuple>().is_none() => list("[", "]", out),
        ValueKind::Map if is_plain_map(value) => list("{", "}", out),
        _ => {
            let _ = if level > 0 { write!(out, "{value:?}") } else { write!(out, "{value}") };
            Ok(())
        }
    }
}

/// str(value), as `{{ value }}` prints it.
pub fn to_str(value: &Value) -> Result<String, Error> {
    let mut out = String::new();
    repr(value, 0, &mut out)?;
    Ok(out)
}
