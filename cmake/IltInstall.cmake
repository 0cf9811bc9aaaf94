# What `cmake --install` puts where: component `runtime` (library), `command`, `development` (headers, CMake and
# pkg-config).
include(CMakePackageConfigHelpers)

set(ILT_INSTALL_RPATH ${ILT_LIBTORCH_FOUND}/lib
    CACHE STRING "Where the installed library looks for libtorch, besides the system's folders (an RPATH; may be empty)")
set_target_properties(ilt PROPERTIES INSTALL_RPATH "${ILT_INSTALL_RPATH}")
install(TARGETS ilt EXPORT ilt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
                                       NAMELINK_COMPONENT development)
if(ILT_BUILD_CLI)
  install(TARGETS ilt_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN *.h PATTERN *.hpp)

set(_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ilt)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ilt-config.cmake.in ${PROJECT_BINARY_DIR}/ilt-config.cmake
                              INSTALL_DESTINATION ${_cmake_dir} PATH_VARS CMAKE_INSTALL_BINDIR)
# Before 1.0 a minor version may break the ABI, as its soname says.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ilt-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ilt-config.cmake ${PROJECT_BINARY_DIR}/ilt-config-version.cmake
        DESTINATION ${_cmake_dir} COMPONENT development)
install(EXPORT ilt FILE ilt-targets.cmake NAMESPACE ilt:: DESTINATION ${_cmake_dir} COMPONENT development)

# The file finds its own prefix, so that an installed tree may be moved.
file(RELATIVE_PATH ILT_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" ILT_PC_TO_PREFIX "${ILT_PC_TO_PREFIX}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/ilt.pc.in ${PROJECT_BINARY_DIR}/ilt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ilt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
