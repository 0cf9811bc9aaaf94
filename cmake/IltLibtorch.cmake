# Imported target ilt::libtorch: libtorch_cpu and libc10 of any libtorch folder.
#
# find_package(Torch) is not used: on a CUDA build of libtorch it asks for a CUDA compiler, although the CPU half needs
# none. What libtorch_cpu itself needs from elsewhere (CUDA's runtime and CUPTI, shipped as packages beside the torch
# wheel) is found by its own run path; the linker only has to be told where to look.
if(NOT ILT_LIBTORCH AND SKBUILD)  # a Python wheel: the torch package of its build environment
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND ${Python_EXECUTABLE} -c
                          "import importlib.util as u; print(*u.find_spec('torch').submodule_search_locations, end='')"
                  OUTPUT_VARIABLE ILT_LIBTORCH COMMAND_ERROR_IS_FATAL ANY)
endif()
if(NOT ILT_LIBTORCH)
  file(GLOB _wheels ${PROJECT_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/torch)
  if(_wheels)
    list(GET _wheels 0 ILT_LIBTORCH_FOUND)
  endif()
  if(NOT ILT_LIBTORCH_FOUND)
    message(FATAL_ERROR "libtorch not found. Run `make deps`, or pass -DILT_LIBTORCH=<folder with include/ and lib/>.")
  endif()
else()
  set(ILT_LIBTORCH_FOUND ${ILT_LIBTORCH})
endif()

foreach(_lib torch_cpu c10)
  if(NOT EXISTS ${ILT_LIBTORCH_FOUND}/lib/lib${_lib}.so)
    message(FATAL_ERROR "${ILT_LIBTORCH_FOUND}/lib/lib${_lib}.so does not exist: ILT_LIBTORCH is no libtorch folder.")
  endif()
endforeach()

file(STRINGS ${ILT_LIBTORCH_FOUND}/include/torch/headeronly/version.h _version REGEX "define TORCH_VERSION_(MAJOR|MINOR) ")
list(TRANSFORM _version REPLACE ".*_M[AJINOR]+ +" "")
list(JOIN _version "." ILT_LIBTORCH_VERSION)
if(ILT_LIBTORCH_VERSION VERSION_LESS 2.9 OR ILT_LIBTORCH_VERSION VERSION_GREATER_EQUAL 2.16)
  message(WARNING "libtorch ${ILT_LIBTORCH_VERSION} is outside the tested range 2.9 to 2.15.")
endif()
message(STATUS "libtorch ${ILT_LIBTORCH_VERSION}: ${ILT_LIBTORCH_FOUND}")

# One OpenMP runtime a process: the one that libtorch brings where it brings one (its name carries a hash).
file(GLOB ILT_OPENMP_RUNTIME ${ILT_LIBTORCH_FOUND}/lib/libgomp*.so* ${ILT_LIBTORCH_FOUND}.libs/libgomp*.so*)
if(ILT_OPENMP_RUNTIME)
  list(GET ILT_OPENMP_RUNTIME 0 ILT_OPENMP_RUNTIME)
else()
  set(ILT_OPENMP_RUNTIME gomp)
endif()

add_library(ilt_libtorch INTERFACE)
add_library(ilt::libtorch ALIAS ilt_libtorch)
target_include_directories(ilt_libtorch SYSTEM INTERFACE ${ILT_LIBTORCH_FOUND}/include
                                                         ${ILT_LIBTORCH_FOUND}/include/torch/csrc/api/include)
target_compile_options(ilt_libtorch INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fopenmp>)
target_link_libraries(ilt_libtorch INTERFACE ${ILT_LIBTORCH_FOUND}/lib/libtorch_cpu.so
                                             ${ILT_LIBTORCH_FOUND}/lib/libc10.so ${ILT_OPENMP_RUNTIME})
file(GLOB _beside ${ILT_LIBTORCH_FOUND}/../nvidia/*/lib ${ILT_LIBTORCH_FOUND}/../nvidia/*/extras/CUPTI/lib64)
foreach(_dir ${ILT_LIBTORCH_FOUND}/lib ${_beside})
  target_link_options(ilt_libtorch INTERFACE -Wl,-rpath-link,${_dir})
endforeach()
# libtorch's folder holds a copy of fmt's headers without their library: where they are found, they must suffice.
target_compile_definitions(ilt_libtorch INTERFACE FMT_HEADER_ONLY)
