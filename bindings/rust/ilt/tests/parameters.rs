//! Parameters as tensors: read, viewed, changed.

mod common;

use std::ops::ControlFlow::Continue;
use std::sync::mpsc;
use std::thread;

use ilt::{ErrorKind, EventKind, Tensor};

const EMBEDDINGS: &str = "model.embed_tokens.weight";

#[test]
fn parameters_have_names_and_shapes() {
    let session = common::session_without_data();
    let names = session.parameters().unwrap();
    assert_eq!(names.len(), 20);
    assert!(names.iter().any(|name| name == EMBEDDINGS));
    let infos: Vec<_> = names.iter().map(|name| session.parameter_info(name).unwrap()).collect();
    let sum: u64 = infos.iter().map(|info| info.shape.iter().product::<u64>()).sum();
    assert_eq!(sum, 23712);
    assert!(infos.iter().all(|info| info.trained && info.dtype == "float32" && info.device == "cpu"));
    let error = session.parameter_info("model.embed_token.weight").unwrap_err();
    assert_eq!((error.kind(), error.detail()["nearest"].as_str()), (ErrorKind::NotFound, Some(EMBEDDINGS)));
}

#[test]
fn a_copy_outlives_its_session() {
    let mut session = common::session_without_data();
    let tensor = session.parameter(EMBEDDINGS).unwrap();
    drop(session);
    let sum = thread::spawn(move || {
        assert_eq!(tensor.shape(), [256, 32]);
        assert!(tensor.as_slice::<f64>().is_none());
        tensor.as_slice::<f32>().unwrap().iter().map(|value| value.abs()).sum::<f32>()
    });
    assert!(sum.join().unwrap() > 0.0);
}

#[test]
fn a_view_shows_what_was_set() {
    let mut session = common::session();
    let before = session.score(&[1, 2, 3]).unwrap();
    let mut values = session.parameter(EMBEDDINGS).unwrap().as_slice::<f32>().unwrap().to_vec();
    for value in &mut values {
        *value *= 2.0;
    }
    session.set_parameter(EMBEDDINGS, Tensor::new(values.clone(), &[256, 32]).unwrap()).unwrap();
    {
        let view = session.parameter_view(EMBEDDINGS).unwrap();
        assert_eq!(view.shape(), [256, 32]);
        assert_eq!(view.as_slice::<f32>().unwrap(), values);
    }
    assert_ne!(session.score(&[1, 2, 3]).unwrap(), before);

    let doubles: Vec<f64> = values.iter().map(|&value| f64::from(value) / 2.0).collect();
    session.set_parameter(EMBEDDINGS, Tensor::new(doubles, &[256, 32]).unwrap()).unwrap();
    assert_eq!(session.score(&[1, 2, 3]).unwrap(), before);
    session.step().unwrap();
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut session = common::session_without_data();
    let before = session.parameter(EMBEDDINGS).unwrap();
    for (name, tensor, kind) in [
        (EMBEDDINGS, Tensor::new(vec![0.0_f32; 256 * 32], &[32, 256]), ErrorKind::InvalidArgument),
        (EMBEDDINGS, Tensor::new(vec![0_i32; 256 * 32], &[256, 32]), ErrorKind::InvalidArgument),
        ("no.such.weight", Tensor::new(vec![0.0_f32], &[1]), ErrorKind::NotFound),
    ] {
        assert_eq!(session.set_parameter(name, tensor.unwrap()).unwrap_err().kind(), kind);
    }
    assert_eq!(session.parameter(EMBEDDINGS).unwrap().as_slice::<f32>(), before.as_slice::<f32>());
    assert_eq!(session.parameter("no.such.weight").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(session.parameter_view("no.such.weight").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_callback_reads_and_writes_parameters() {
    let mut session = common::session();
    let (sender, norms) = mpsc::channel();
    session
        .on_event(move |event| {
            if event.kind() == EventKind::StepEnd {
                let mut session = event.session();
                let name = "model.norm.weight";
                let tensor = session.parameter(name).unwrap();
                sender.send(tensor.as_slice::<f32>().unwrap()[0]).unwrap();
                let ones = vec![1.0_f32; tensor.len()];
                session.set_parameter(name, Tensor::new(ones, &[tensor.len()]).unwrap()).unwrap();
            }
            Continue(())
        })
        .unwrap();
    let _ = session.run().unwrap();
    drop(session);
    let norms: Vec<_> = norms.iter().collect();
    assert_eq!(norms.len(), 4);
    assert!(norms[1..].iter().all(|norm| (norm - 1.0).abs() < 0.01), "{norms:?}");
}

#[test]
fn tensors_of_the_host_are_what_they_are_said_to_be() {
    let scalar = Tensor::new(vec![7_i64], &[]).unwrap();
    assert_eq!((scalar.shape().len(), scalar.as_slice::<i64>()), (0, Some(&[7][..])));
    let empty = Tensor::new(Vec::<f32>::new(), &[3, 0]).unwrap();
    assert!(empty.is_empty());
    assert_eq!(empty.as_slice::<f32>(), Some(&[][..]));
    assert_eq!(Tensor::new(vec![1.0_f32], &[2]).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(Tensor::new(vec![1.0_f32], &[usize::MAX, 2]).unwrap_err().kind(), ErrorKind::InvalidArgument);

    // Another library calls the deleter.
    let raw = Tensor::new(vec![1.0_f32, 2.0], &[2]).unwrap().into_raw();
    // SAFETY: it was just made, and given to nobody.
    let tensor = unsafe { Tensor::from_raw(raw) };
    assert_eq!(tensor.as_slice::<f32>(), Some(&[1.0, 2.0][..]));
    assert!(format!("{tensor:?}").contains("[2]"));
}
