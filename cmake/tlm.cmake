# Settings that every target shares, and the way in which headers are found: `#include "tlm/core/error.h"` in the tree and after
# installation.

file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/tlm)
foreach(folder core ir space lm codegen kernels tools)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/include/tlm/${folder} SYMBOLIC)
endforeach()
# The C API is included as <tlm/runtime.h>.
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/core/runtime/runtime.h ${CMAKE_BINARY_DIR}/include/tlm/runtime.h SYMBOLIC)

# Warnings; sanitizers; paths within the project in messages and debug information, so that builds do not depend on the folder.
function(tlm_target_defaults target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers
                         -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${CMAKE_BINARY_DIR}/include/tlm/=)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms of GCC 12 on std::string concatenation (GCC bug 105329).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(TLM_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${TLM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${TLM_SANITIZE})
  endif()
  if(TLM_FUZZ)
    target_compile_options(${target} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# tlm_library(core DEPS …): static library tlm_core (alias tlm::core) from all sources below this folder.
function(tlm_library name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp "")
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  endif()
  add_library(tlm_${name} STATIC ${sources})
  add_library(tlm::${name} ALIAS tlm_${name})
  set_target_properties(tlm_${name} PROPERTIES EXPORT_NAME ${name})
  tlm_target_defaults(tlm_${name})
  target_link_libraries(tlm_${name} PUBLIC ${ARG_DEPS})
  install(TARGETS tlm_${name} EXPORT tlmTargets ARCHIVE)
endfunction()

# tlm_test(name sources… DEPS libraries… LABELS quick|slow…): a GoogleTest executable bin/test_<name>, registered with CTest.
# Tests labelled `quick` are the quick tier: seconds each. TLM_SOURCE_DIR and TLM_BINARY_DIR are defined in the sources.
function(tlm_test name)
  cmake_parse_arguments(ARG "" "" "DEPS;LABELS" ${ARGN})
  add_executable(test_${name} ${ARG_UNPARSED_ARGUMENTS})
  tlm_target_defaults(test_${name})
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # tests compile for as long as they run
  target_link_libraries(test_${name} PRIVATE ${ARG_DEPS} GTest::gtest_main)
  target_compile_definitions(test_${name} PRIVATE TLM_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TLM_BINARY_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 540)
  if(TLM_SANITIZE)
    # A refused allocation is an error of the program's own, not of the sanitizer.
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1;TSAN_OPTIONS=allocator_may_return_null=1")
  endif()
endfunction()

# tlm_fuzz(name sources… DEPS libraries…): a libFuzzer executable bin/fuzz_<name>; only in builds with TLM_FUZZ.
function(tlm_fuzz name)
  if(NOT TLM_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(fuzz_${name} ${ARG_UNPARSED_ARGUMENTS})
  tlm_target_defaults(fuzz_${name})
  target_link_libraries(fuzz_${name} PRIVATE ${ARG_DEPS})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endfunction()
