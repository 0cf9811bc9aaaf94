# ilt_text_rust: the Rust static library over the tokenizers and minijinja crates, built by cargo.
find_program(ILT_CARGO cargo HINTS $ENV{HOME}/.cargo/bin REQUIRED)

set(_features "")
set(_libraries m)
if(ILT_SANITIZE)
  set(_features --no-default-features)  # with the C library's allocator, which sanitizers watch
endif()
if(ILT_PARQUET)
  list(APPEND _features --features columnar)
  list(APPEND _libraries ilt_zstd)
endif()
set(_crate ${PROJECT_SOURCE_DIR}/src/text/rust)
set(_target_dir ${PROJECT_BINARY_DIR}/cargo)
set(_archive ${_target_dir}/release/libilt_text.a)
set(_environment CARGO_TARGET_DIR=${_target_dir})
if(ILT_FUZZ)
  # LLVM's pass counts for libFuzzer what runs in Rust, too. The flags must not reach build scripts, which link no libFuzzer:
  # with a target that is named, cargo keeps them from what runs while it builds.
  execute_process(COMMAND ${ILT_CARGO} -vV OUTPUT_VARIABLE _host COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE ".*host: ([^\n]+).*" "\\1" _host "${_host}")
  set(_archive ${_target_dir}/${_host}/release/libilt_text.a)
  string(JOIN " " _rust_flags -Ccodegen-units=1 -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
         -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
         -Cllvm-args=-sanitizer-coverage-trace-compares)
  list(APPEND _environment CARGO_BUILD_TARGET=${_host} CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1 "RUSTFLAGS=${_rust_flags}")
endif()
file(GLOB_RECURSE _rust_sources CONFIGURE_DEPENDS ${_crate}/src/*.rs)

add_custom_command(
  OUTPUT ${_archive}
  COMMAND ${CMAKE_COMMAND} -E env ${_environment} ${ILT_CARGO} build --release --locked --quiet --manifest-path
          ${_crate}/Cargo.toml ${_features}
  DEPENDS ${_rust_sources} ${_crate}/Cargo.toml ${_crate}/Cargo.lock
  COMMENT "Building the tokenizer and chat-template crate"
  USES_TERMINAL VERBATIM)
add_custom_target(ilt_text_archive DEPENDS ${_archive})

add_library(ilt_text_rust INTERFACE)
add_dependencies(ilt_text_rust ilt_text_archive)
target_link_libraries(ilt_text_rust INTERFACE ${_archive} ${_libraries})
