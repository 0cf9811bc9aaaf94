//! Messages as a template sees them: no null keys, reasoning under every name that templates read.

use minijinja::value::Value;
use serde_json::Value as Json;

/// The first is the name that templates of today read; the others are older.
const REASONING: [&str; 3] = ["reasoning_content", "thinking", "reasoning"];

pub fn prepare(messages: &mut Json) {
    let Some(messages) = messages.as_array_mut() else { return };
    for message in messages.iter_mut().filter_map(Json::as_object_mut) {
        message.retain(|_, value| !value.is_null());
        let reasoning = REASONING.iter().find_map(|key| message.get(*key).cloned());
        if let Some(reasoning) = reasoning {
            message.entry("thinking").or_insert_with(|| reasoning.clone());
            message.insert("reasoning_content".into(), reasoning);
        }
    }
}

/// By hand, as minijinja's own way over serde gives a meaning to one key that text may hold.
pub fn to_value(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(b) => Value::from(*b),
        Json::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(i), _) => Value::from(i),
            (None, Some(u)) => Value::from(u),
            _ => Value::from(n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(s) => Value::from(s.as_str()),
        Json::Array(items) => Value::from(items.iter().map(to_value).collect::<Vec<_>>()),
        Json::Object(pairs) => Value::from_pairs(pairs.iter().map(|(key, value)| (key.as_str(), to_value(value)))),
    }
}
