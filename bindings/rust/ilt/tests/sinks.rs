//! The log of libilt in the crates `log` and `tracing`.
#![cfg(all(feature = "log", feature = "tracing"))]

mod common;

use std::fmt::Debug;
use std::sync::Mutex;

use ilt::logging::{self, Level};
use tracing::field::{Field, Visit};
use tracing::span;

static LOGGED: Mutex<Vec<(log::Level, String, String)>> = Mutex::new(Vec::new());
static TRACED: Mutex<Vec<(tracing::Level, String, String)>> = Mutex::new(Vec::new());

struct Logger;

impl log::Log for Logger {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }

    fn log(&self, record: &log::Record) {
        let line = (record.level(), record.target().to_owned(), record.args().to_string());
        LOGGED.lock().unwrap().push(line);
    }

    fn flush(&self) {}
}

struct Subscriber;

#[derive(Default)]
struct Fields {
    component: String,
    message: String,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        assert_eq!(field.name(), "component");
        value.clone_into(&mut self.component);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        assert_eq!(field.name(), "message");
        self.message = format!("{value:?}");
    }
}

impl tracing::Subscriber for Subscriber {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        assert_eq!(event.metadata().target(), "ilt");
        TRACED.lock().unwrap().push((*event.metadata().level(), fields.component, fields.message));
    }
}

#[test]
fn lines_arrive_in_both() {
    log::set_logger(&Logger).unwrap();
    log::set_max_level(log::LevelFilter::Info);
    logging::to_log().unwrap();
    assert_eq!(logging::level(), Some(Level::Info));
    drop(common::session());

    tracing::subscriber::set_global_default(Subscriber).unwrap();
    logging::to_tracing(Level::Info).unwrap();
    drop(common::session());
    logging::silence().unwrap();

    let (logged, traced) = (LOGGED.lock().unwrap(), TRACED.lock().unwrap());
    assert!(!logged.is_empty());
    assert_eq!(logged.len(), traced.len());
    for ((log_level, target, _), (level, component, message)) in logged.iter().zip(traced.iter()) {
        assert_eq!(log_level.as_str(), level.as_str());
        assert_eq!(*target, format!("ilt::{component}"));
        assert!(!message.is_empty());
    }
}
