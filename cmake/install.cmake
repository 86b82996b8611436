# Installation: libraries, headers under include/tlm, the command line, and the package `tlm` for find_package.
#   find_package(tlm REQUIRED COMPONENTS runtime)   tlm::runtime alone: needs nothing else
#   find_package(tlm REQUIRED)                      all libraries: tlm::engine brings what it needs

include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tlm)
install(DIRECTORY core ir space lm codegen kernels DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tlm
        FILES_MATCHING PATTERN "*.h"
        PATTERN "ir/onnx/tensor_proto.h" EXCLUDE)  # private: speaks of generated classes
# The engine's headers are included as tlm/tools/engine/….
install(DIRECTORY tools/engine DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tlm/tools FILES_MATCHING PATTERN "*.h")
install(FILES core/runtime/runtime.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tlm)

install(EXPORT tlmRuntimeTargets NAMESPACE tlm:: DESTINATION ${package_folder})
install(EXPORT tlmTargets NAMESPACE tlm:: DESTINATION ${package_folder})
configure_package_config_file(cmake/tlmConfig.cmake.in ${CMAKE_BINARY_DIR}/tlmConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tlmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tlmConfig.cmake ${CMAKE_BINARY_DIR}/tlmConfigVersion.cmake DESTINATION ${package_folder})
