//! A chat template, rendered as transformers renders it: Jinja with trimmed blocks, no escaping, and four extras.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;

use minijinja::machinery::{eval, make_string_output};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Value, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind};

use crate::compile::{compile, Program};
use crate::{bounds, generation, messages, pyjson, pymethods, strftime};

/// Bytes of an error's text, which the template can choose.
const MAX_REASON: usize = 4096;

pub struct ChatTemplate {
    // Refers to _source, and so comes before it.
    program: Program<'static>,
    _source: Box<str>,
    environment: Environment<'static>,
    now: Arc<AtomicI64>,
}

impl ChatTemplate {
    pub fn new(source: &str, unix_time: i64) -> Result<Self, String> {
        let now = Arc::new(AtomicI64::new(unix_time));
        let environment = environment(now.clone());
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(|e| describe(&e))?;
        let source = generation::rewrite(source).into_boxed_str();
        // SAFETY: the text lies on the heap, stays as it is, and is freed after the program.
        let text: &'static str = unsafe { &*std::ptr::from_ref::<str>(&source) };
        Ok(Self { program: compile(text, &syntax)?, _source: source, environment, now })
    }

    pub fn set_time(&self, unix_time: i64) {
        self.now.store(unix_time, Ordering::Relaxed)
    }

    /// `variables`: a JSON object; its `messages` are prepared as transformers prepares them.
    pub fn render(&self, variables: &str) -> Result<String, String> {
        let input = variables.len();
        let mut variables: serde_json::Value = serde_json::from_str(variables).map_err(|e| e.to_string())?;
        if let Some(messages) = variables.get_mut("messages") {
            messages::prepare(messages);
        }
        let mut environment = self.environment.clone();
        let steps = bounds::begin(input);
        environment.set_fuel(Some(steps));
        let program = &self.program;
        let root = messages::to_value(&variables);
        let mut text = String::with_capacity(program.size_hint);
        let mut out = make_string_output(&mut text);
        let done = eval(&environment, &program.instructions, root, &program.blocks, &mut out, AutoEscape::None);
        match done.map(|_| ()) {
            Ok(()) if text.len() > bounds::max_output() => {
                Err(format!("the chat template makes {} bytes of text of {input}", text.len()))
            }
            Ok(()) => Ok(text),
            Err(e) if is_out_of_fuel(&e) => Err(format!(
                "the chat template did not end within {steps} steps, which is plenty for these messages{}",
                at_line(&e)
            )),
            Err(e) => Err(describe(&e)),
        }
    }
}

fn innermost(error: &Error) -> &Error {
    let mut inner = error;
    while let Some(source) = std::error::Error::source(inner).and_then(|s| s.downcast_ref::<Error>()) {
        inner = source;
    }
    inner
}

fn is_out_of_fuel(error: &Error) -> bool {
    error.kind() == ErrorKind::OutOfFuel || innermost(error).kind() == ErrorKind::OutOfFuel
}

fn at_line(error: &Error) -> String {
    let line = innermost(error).line().or(error.line());
    line.map_or(String::new(), |line| format!(" (line {line} of the template)"))
}

/// The innermost reason (what raise_exception was given, for one) and where it arose.
pub fn describe(error: &Error) -> String {
    let inner = innermost(error);
    let mut text = match (inner.kind(), inner.detail()) {
        (ErrorKind::InvalidOperation, Some(detail)) => detail.to_string(),
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    };
    if text.len() > MAX_REASON {
        text.truncate((0..=MAX_REASON).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0));
        text.push_str(" ...");
    }
    let _ = write!(text, "{}", at_line(error));
    text
}

fn environment(now: Arc<AtomicI64>) -> Environment<'static> {
    let mut env = Environment::new();
    bounds::install(&mut env);
    // The native stack is not guarded by catch_unwind.
    env.set_recursion_limit(160);
    env.set_unknown_method_callback(pymethods::call);
    env.set_formatter(|out, _, value| match value.as_str() {
        Some(text) => Ok(out.write_str(text)?),
        None => Ok(out.write_str(&pyjson::to_str(value)?)?),
    });
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
    env
}
