//! Python's string methods that minijinja's own compatibility layer lacks.

use minijinja::value::{Tuple, Value};
use minijinja::{Error, ErrorKind, State};

use crate::bounds;

fn triple(a: &str, b: &str, c: &str) -> Value {
    Value::from(Tuple::from(vec![Value::from(a), Value::from(b), Value::from(c)]))
}

fn rsplit(text: &str, separator: &str, limit: Option<&Value>) -> Value {
    let limit = limit.and_then(|v| i64::try_from(v.clone()).ok()).and_then(|n| usize::try_from(n).ok());
    let mut parts: Vec<&str> = match limit {
        Some(n) => text.rsplitn(n + 1, separator).collect(),
        None => text.rsplit(separator).collect(),
    };
    parts.reverse();
    Value::from(parts.into_iter().map(Value::from).collect::<Vec<_>>())
}

/// The method's result, or None where it is not one of these.
fn string_method(text: &str, method: &str, first: &str, args: &[Value]) -> Option<Result<Value, Error>> {
    let missing = || Error::new(ErrorKind::InvalidOperation, "substring not found");
    Some(Ok(match method {
        "removeprefix" => Value::from(text.strip_prefix(first).unwrap_or(text)),
        "removesuffix" => Value::from(text.strip_suffix(first).unwrap_or(text)),
        "partition" => match text.split_once(first) {
            Some((head, tail)) => triple(head, first, tail),
            None => triple(text, "", ""),
        },
        "rpartition" => match text.rsplit_once(first) {
            Some((head, tail)) => triple(head, first, tail),
            None => triple("", "", text),
        },
        "rsplit" => rsplit(text, first, args.get(1)),
        "index" => match text.find(first) {
            Some(at) => Value::from(text[..at].chars().count()),
            None => return Some(Err(missing())),
        },
        _ => return None,
    }))
}

/// Charges for the widths and precisions that a format string asks for: no more than all the numbers in it.
fn charge_format(state: &State, format: &str) -> Result<(), Error> {
    let numbers = format.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let bytes = numbers.fold(0u64, |sum, digits| sum.saturating_add(digits.parse().unwrap_or(u64::MAX)));
    state.consume_fuel(bytes / 64)
}

pub fn call(state: &mut State, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    if let (Some(text), "format") = (value.as_str(), method) {
        charge_format(state, text)?;
    }
    for arg in args {
        bounds::weigh(state, arg)?;
    }
    if let (Some(text), Some(first)) = (value.as_str(), args.first().and_then(|arg| arg.as_str())) {
        if let Some(result) = string_method(text, method, first, args) {
            return result;
        }
    }
    minijinja_contrib::pycompat::unknown_method_callback(state, value, method, args)
}
