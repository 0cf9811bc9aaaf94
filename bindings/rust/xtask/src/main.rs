//! Regenerates the generated files of the Rust binding from `ilt.h` and from libilt's schema of options.
//!
//! `make generate` (`cargo run -p xtask`) writes them; the tests of this crate fail where one of them is not current.

mod bindings;
mod config;
#[cfg(test)]
mod coverage;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// A file that is checked in, and what it should hold.
struct Generated {
    path: PathBuf,
    text: String,
}

/// The folder `bindings/rust`.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

fn generated() -> Result<Vec<Generated>, Box<dyn Error>> {
    let root = workspace();
    let header = root.join("../../include/ilt.h");
    let sys = root.join("ilt-sys/src");
    Ok(vec![
        Generated { path: sys.join("types.rs"), text: bindings::types(&header)? },
        Generated { path: sys.join("functions.rs"), text: bindings::functions(&header)? },
        Generated { path: sys.join("session_functions.rs"), text: bindings::session_functions(&header)? },
        Generated { path: root.join("ilt/src/config/options.rs"), text: config::options()? },
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    for file in generated()? {
        fs::write(&file.path, &file.text)?;
        println!("{}", file.path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_current() {
        for Generated { path, text } in generated().expect("the generators run") {
            let found = fs::read_to_string(&path).unwrap_or_default();
            let differs = text.lines().zip(found.lines()).position(|(new, old)| new != old);
            assert!(
                found == text,
                "{} is not what ilt.h and the schema ask for (first at line {}): make generate",
                path.display(),
                differs.unwrap_or_else(|| text.lines().count().min(found.lines().count())) + 1
            );
        }
    }
}
