# precompiled(TARGET [TESTS]): lets TARGET reuse one parsed copy of the headers that nearly every file includes (they are
# 40 % of a debug build). Files still include what they use: the lint build, which has none, proves that.
option(PEREGRINE_PRECOMPILED "Parse the standard headers once per build" OFF)

if(PEREGRINE_PRECOMPILED AND CMAKE_CXX_COMPILER_LAUNCHER)
  # Otherwise ccache does not store objects compiled with a precompiled header.
  list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros)
endif()

function(precompiled_headers name)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE peregrine_flags fmt_linked Threads::Threads ${ARGN})
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Xclang -fno-pch-timestamp>)
endfunction()

if(PEREGRINE_PRECOMPILED)
  set(standard_headers <algorithm> <array> <bit> <charconv> <cmath> <cstring> <deque> <expected> <filesystem> <functional> <iterator>
    <map> <memory> <mutex> <optional> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map> <utility> <variant>
    <vector> <fmt/format.h> <fmt/ranges.h>)
  precompiled_headers(standard_headers)
  target_precompile_headers(standard_headers PRIVATE ${standard_headers})
  if(PEREGRINE_TESTS)
    find_package(GTest REQUIRED)
    precompiled_headers(test_headers GTest::gtest GTest::gmock)
    target_precompile_headers(test_headers PRIVATE ${standard_headers} <gtest/gtest.h> <gmock/gmock.h>)
  endif()
endif()

function(precompiled target)
  cmake_parse_arguments(ARG "TESTS" "" "" ${ARGN})
  if(NOT PEREGRINE_PRECOMPILED)
    return()
  endif()
  if(ARG_TESTS)
    target_precompile_headers(${target} REUSE_FROM test_headers)
  else()
    target_precompile_headers(${target} REUSE_FROM standard_headers)
  endif()
endfunction()
