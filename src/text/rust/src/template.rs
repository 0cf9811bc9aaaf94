//! A chat template, rendered as transformers renders it: Jinja with trimmed blocks, no escaping, and four extras.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;

use minijinja::value::{Value, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind};

use crate::{generation, messages, pyjson, pymethods, strftime};

const NAME: &str = "chat";

pub struct ChatTemplate {
    environment: Environment<'static>,
    now: Arc<AtomicI64>,
}

impl ChatTemplate {
    pub fn new(source: &str, unix_time: i64) -> Result<Self, String> {
        let now = Arc::new(AtomicI64::new(unix_time));
        let mut environment = environment(now.clone()).map_err(|e| describe(&e))?;
        environment.add_template_owned(NAME, generation::rewrite(source)).map_err(|e| describe(&e))?;
        Ok(Self { environment, now })
    }

    pub fn set_time(&self, unix_time: i64) {
        self.now.store(unix_time, Ordering::Relaxed)
    }

    /// `variables`: a JSON object; its `messages` are prepared as transformers prepares them.
    pub fn render(&self, variables: &str) -> Result<String, String> {
        let mut variables: serde_json::Value = serde_json::from_str(variables).map_err(|e| e.to_string())?;
        if let Some(messages) = variables.get_mut("messages") {
            messages::prepare(messages);
        }
        let template = self.environment.get_template(NAME).map_err(|e| describe(&e))?;
        template.render(messages::to_value(&variables)).map_err(|e| describe(&e))
    }
}

/// The innermost reason (what raise_exception was given, for one) and where it arose.
fn describe(error: &Error) -> String {
    let mut inner = error;
    while let Some(source) = std::error::Error::source(inner).and_then(|s| s.downcast_ref::<Error>()) {
        inner = source;
    }
    let mut text = match (inner.kind(), inner.detail()) {
        (ErrorKind::InvalidOperation, Some(detail)) => detail.to_string(),
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    };
    if let Some(line) = inner.line().or(error.line()) {
        let _ = write!(text, " (line {line} of the template)");
    }
    text
}

fn environment(now: Arc<AtomicI64>) -> Result<Environment<'static>, Error> {
    let mut env = Environment::new();
    env.set_syntax(minijinja::syntax::SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    // The native stack is not guarded by catch_unwind.
    env.set_recursion_limit(200);
    env.set_unknown_method_callback(pymethods::call);
    env.set_formatter(|out, _, value| Ok(out.write_str(&pyjson::to_str(value)?)?));
    env.add_filter("string", |value: &Value| -> Result<Value, Error> {
        match value.kind() {
            ValueKind::String => Ok(value.clone()),
            _ => Ok(Value::from(pyjson::to_str(value)?)),
        }
    });
    env.add_filter("tojson", pyjson::tojson);
    // minijinja takes none for iterable, Python does not.
    env.add_test("iterable", |value: &Value| {
        matches!(
            value.kind(),
            ValueKind::String | ValueKind::Seq | ValueKind::Map | ValueKind::Iterable | ValueKind::Undefined
        )
    });
    env.add_function("raise_exception", |message: String| -> Result<Value, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, message))
    });
    env.add_function("strftime_now", move |format: String| strftime::format(&format, now.load(Ordering::Relaxed)));
    Ok(env)
}
