//! The library itself and its log, which is one for the process: hence one test.

mod common;

use std::sync::mpsc;

use ilt::DeviceKind;
use ilt::logging::{self, Level};

#[test]
fn the_library_tells_of_itself() {
    assert_eq!(ilt::build_info().unwrap().version, ilt::version());
    assert!(ilt::has_feature("train"));
    assert!(!ilt::has_feature("telepathy"));
    let devices = ilt::devices().unwrap();
    assert_eq!((devices[0].id.as_str(), devices[0].kind), ("cpu", DeviceKind::Cpu));
    assert!(devices[0].mem_total_bytes.unwrap() > 0);
    assert!(ilt::model::families().unwrap().iter().any(|family| family.model_type == "llama"));
}

#[test]
fn the_log_goes_where_it_is_sent() {
    assert_eq!(logging::level(), None);
    let (sender, lines) = mpsc::channel();
    logging::set(Level::Info, move |level, component, message| {
        sender.send((level, component.to_owned(), message.to_owned())).unwrap();
    })
    .unwrap();
    assert_eq!(logging::level(), Some(Level::Info));
    drop(common::session());
    logging::set_level(Some(Level::Error));
    assert_eq!(logging::level(), Some(Level::Error));
    logging::set_level(None);
    assert_eq!(logging::level(), None);
    logging::silence().unwrap();
    assert_eq!(logging::level(), None);
    let lines: Vec<_> = lines.iter().collect(); // ends, since the sink is dropped
    assert!(!lines.is_empty());
    assert!(lines.iter().all(|(level, component, message)| {
        *level >= Level::Info && !component.is_empty() && !message.contains('\n')
    }));

    // A sink that panics disturbs nothing.
    logging::set(Level::Trace, |_, _, _| panic!("in the sink")).unwrap();
    drop(common::session());
    logging::silence().unwrap();
}
