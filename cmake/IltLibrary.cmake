# libilt.so: all layers behind include/ilt.h, exporting ilt_* only.
set(_map ${PROJECT_SOURCE_DIR}/src/capi/ilt.map)
add_library(ilt SHARED $<TARGET_OBJECTS:ilt_capi>)  # every object: an archive would lose those that nothing refers to
add_library(ilt::ilt ALIAS ilt)
target_link_libraries(ilt PRIVATE ilt_train)
target_include_directories(ilt PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(ilt PRIVATE -Wl,--exclude-libs,ALL -Wl,--version-script=${_map} -Wl,--gc-sections -Wl,-z,now -Wl,-z,defs)
set_target_properties(ilt PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                     LINKER_LANGUAGE CXX LINK_DEPENDS ${_map})
