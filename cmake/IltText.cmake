# ilt_text_rust: the Rust static library over the tokenizers and minijinja crates, built by cargo.
find_program(ILT_CARGO cargo HINTS $ENV{HOME}/.cargo/bin REQUIRED)

set(_features "")
set(_libraries m)
if(ILT_PARQUET)
  set(_features --features columnar)
  list(APPEND _libraries ilt_zstd)
endif()
set(_crate ${PROJECT_SOURCE_DIR}/src/text/rust)
set(_target_dir ${PROJECT_BINARY_DIR}/cargo)
set(_archive ${_target_dir}/release/libilt_text.a)
file(GLOB_RECURSE _rust_sources CONFIGURE_DEPENDS ${_crate}/src/*.rs)

add_custom_command(
  OUTPUT ${_archive}
  COMMAND ${CMAKE_COMMAND} -E env CARGO_TARGET_DIR=${_target_dir} ${ILT_CARGO} build --release --locked --quiet
          --manifest-path ${_crate}/Cargo.toml ${_features}
  DEPENDS ${_rust_sources} ${_crate}/Cargo.toml ${_crate}/Cargo.lock
  COMMENT "Building the tokenizer and chat-template crate"
  USES_TERMINAL VERBATIM)
add_custom_target(ilt_text_archive DEPENDS ${_archive})

add_library(ilt_text_rust INTERFACE)
add_dependencies(ilt_text_rust ilt_text_archive)
target_link_libraries(ilt_text_rust INTERFACE ${_archive} ${_libraries})
