//! Finds libilt: in the folder that `ILT_DIR` names, else where pkg-config says.
use std::env;
use std::path::Path;
use std::process::exit;

/// The versions whose interface these bindings describe: before 1.0, each minor version may change it.
const VERSIONS: std::ops::Range<&str> = "0.1".."0.2";
const SONAME: &str = "libilt.so.0.1";

fn main() {
    println!("cargo::rerun-if-env-changed=ILT_DIR");
    println!("cargo::rerun-if-env-changed=DOCS_RS");
    // Documentation and lints need no library.
    if env::var_os("DOCS_RS").is_some() {
        return;
    }
    let found = match env::var_os("ILT_DIR") {
        Some(folder) => in_folder(Path::new(&folder)),
        None => {
            pkg_config::Config::new().range_version(VERSIONS).probe("ilt").map_err(|e| e.to_string()).map(|library| {
                if let Some(folder) = library.link_paths.first() {
                    println!("cargo::metadata=libdir={}", folder.display());
                }
            })
        }
    };
    if let Err(reason) = found {
        for line in reason.lines().filter(|line| !line.trim().is_empty()) {
            println!("cargo::error={line}");
        }
        for remedy in [
            "libilt was not found. One of these helps:",
            "  - set ILT_DIR to where it is installed (the folder that has lib/libilt.so) or to a build folder of it;",
            "  - set PKG_CONFIG_PATH to the folder that has ilt.pc (<where it is installed>/lib/pkgconfig);",
            "  - build and install it: make deps build && cmake --install build --prefix <where>",
        ] {
            println!("cargo::error={remedy}");
        }
        exit(1);
    }
}

fn in_folder(folder: &Path) -> Result<(), String> {
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let library_folders = ["lib".into(), "lib64".into(), format!("lib/{arch}-linux-gnu"), String::new()];
    let Some(libdir) = library_folders.iter().map(|sub| folder.join(sub)).find(|dir| dir.join("libilt.so").exists())
    else {
        return Err(format!("ILT_DIR={}: there is no lib/libilt.so", folder.display()));
    };
    println!("cargo::rerun-if-changed={}", libdir.join("libilt.so").display());
    if !libdir.join(SONAME).exists() {
        return Err(format!("{}: there is a libilt of another version; this crate needs {SONAME}", libdir.display()));
    }
    println!("cargo::rustc-link-search=native={}", libdir.display());
    println!("cargo::rustc-link-lib=dylib=ilt");
    println!("cargo::metadata=libdir={}", libdir.display());
    Ok(())
}
