//! The tiny model that the tests train, and folders for what they write.
#![allow(dead_code, reason = "each test program uses some of it")]

use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use ilt::{Config, ConfigBuilder, Session};

/// The folder of the tiny model; its data lies beside it.
pub fn model() -> PathBuf {
    let path = env::var_os("ILT_TINY_MODEL")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../build/tests/capi/model"), PathBuf::from);
    assert!(path.join("config.json").exists(), "{}: no model; ctest -R capi_model makes it", path.display());
    path
}

/// The four records that go with the model.
pub fn data() -> PathBuf {
    model().with_extension("jsonl")
}

/// The options of a short run: four steps, in which the loss falls.
pub fn options() -> ConfigBuilder {
    Config::builder()
        .model_path(model().to_string_lossy())
        .effective_batch_size(2)
        .max_seq_len(128)
        .max_batch_len(256)
        .learning_rate(1e-3)
        .num_epochs(2)
        .num_threads(1)
}

/// A session with these options and the data.
pub fn session() -> Session {
    Session::new(&options().data_path(data().to_string_lossy()).build().unwrap()).unwrap()
}

/// A session without data.
pub fn session_without_data() -> Session {
    Session::new(&options().build().unwrap()).unwrap()
}

/// An empty folder, removed at the end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("ilt-rust-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
