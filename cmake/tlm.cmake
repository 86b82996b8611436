# Settings that every target shares, and the way in which headers are found: `#include "tlm/core/error.h"` in the tree and after
# installation.

file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/tlm)
foreach(folder core ir space lm codegen kernels tools)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/include/tlm/${folder} SYMBOLIC)
endforeach()

function(tlm_target_defaults target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
                                              $<INSTALL_INTERFACE:include>)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers)
  if(TLM_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${TLM_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${TLM_SANITIZE})
  endif()
endfunction()

# tlm_library(core DEPS …): library tlm_core (alias tlm::core) from all sources below this folder.
function(tlm_library name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp "")
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  endif()
  add_library(tlm_${name} STATIC ${sources})
  add_library(tlm::${name} ALIAS tlm_${name})
  tlm_target_defaults(tlm_${name})
  target_link_libraries(tlm_${name} PUBLIC ${ARG_DEPS})
endfunction()

# tlm_test(name sources… DEPS libraries…): a GoogleTest executable bin/test_<name>, registered with CTest.
function(tlm_test name)
  cmake_parse_arguments(ARG "" "" "DEPS;LABELS" ${ARGN})
  add_executable(test_${name} ${ARG_UNPARSED_ARGUMENTS})
  tlm_target_defaults(test_${name})
  target_link_libraries(test_${name} PRIVATE ${ARG_DEPS} GTest::gtest_main)
  target_compile_definitions(test_${name} PRIVATE TLM_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TLM_BINARY_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
endfunction()
