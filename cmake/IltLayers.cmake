# ilt_layer(NAME LIBS...): the layer src/NAME as a static library ilt_NAME, made of all its .cpp files.
# ilt_layer_tests(NAME LIBS...): tests/NAME/*_test.cpp as one GoogleTest program test_NAME.
# Of the sources (and tests) in a folder columnar/ those that do without Parquet are called refuse*, the others read*.
if(ILT_PARQUET)
  set(ILT_OTHER_SOURCES "/columnar/refuse")
else()
  set(ILT_OTHER_SOURCES "/columnar/read")
endif()

function(ilt_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/kernels/")  # compiled by a rule of their own
  list(FILTER sources EXCLUDE REGEX ${ILT_OTHER_SOURCES})
  add_library(ilt_${name} STATIC ${sources})
  target_include_directories(ilt_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(ilt_${name} PUBLIC ${ARGN} PRIVATE ilt_warnings)
endfunction()

function(ilt_layer_tests name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*_test.cpp)
  list(FILTER sources EXCLUDE REGEX ${ILT_OTHER_SOURCES})
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE ${ARGN} ilt_warnings GTest::gmock GTest::gtest_main)
  target_compile_definitions(test_${name} PRIVATE ILT_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  add_test(NAME ${name} COMMAND test_${name})
endfunction()
