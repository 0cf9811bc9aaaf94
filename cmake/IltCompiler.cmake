# How everything is compiled: standard, warnings, visibility, sanitizers, ccache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

find_program(ILT_CCACHE ccache)
if(ILT_CCACHE)
  # Without these, ccache compiles anew whatever uses a precompiled header.
  set(_launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
                ${ILT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_launcher})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

add_library(ilt_warnings INTERFACE)
target_compile_options(ilt_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)

if(ILT_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "ILT_FUZZ needs clang. Run `make fuzz`, or set CMAKE_CXX_COMPILER to clang++.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)  # counts what runs; tests/fuzz links libFuzzer, which looks at the counts
  add_compile_options(-Wno-deprecated-declarations)  # std::stable_sort of libstdc++ 12 calls what C++17 deprecates
endif()
if(ILT_SANITIZE)
  add_compile_options(-fsanitize=${ILT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ILT_SANITIZE})
endif()
