# Language level, warnings and sanitisers: everything a preset can switch.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

option(PEREGRINE_TESTS "Build unit tests" ON)
option(PEREGRINE_WERROR "Treat warnings as errors" OFF)
option(PEREGRINE_FUZZ "Build the fuzz targets (clang only)" OFF)
set(PEREGRINE_SANITIZE "" CACHE STRING "Value for -fsanitize=, empty for none")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(peregrine_flags INTERFACE)
target_include_directories(peregrine_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(peregrine_flags INTERFACE
  -Wall -Wextra -Wpedantic $<$<CXX_COMPILER_ID:Clang>:-Wshadow> -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -Wundef -Wcast-qual -Wimplicit-fallthrough -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>  # libstdc++ 12 itself, in stable_sort
  # g++ reports enumerators of scoped enums as shadowing, treats the files of a unity build as headers, and claims that
  # initializer lists are used uninitialized.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  -fno-omit-frame-pointer $<$<BOOL:${PEREGRINE_WERROR}>:-Werror>)
# Two types with one name: only a link-time optimiser detects it (-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON), and one
# function would otherwise use the other's data.
target_link_options(peregrine_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Werror=odr>)
include(CheckCXXCompilerFlag)
option(PEREGRINE_HARDEN "Harden what is installed against memory errors (not together with sanitisers)" OFF)
if(PEREGRINE_HARDEN)
  check_cxx_compiler_flag(-fcf-protection=full PEREGRINE_HAS_CET)  # x86 only
  check_cxx_compiler_flag(-mbranch-protection=standard PEREGRINE_HAS_BRANCH_PROTECTION)  # arm64 only
  target_compile_options(peregrine_flags INTERFACE -fstack-protector-strong -fstack-clash-protection
    $<$<BOOL:${PEREGRINE_HAS_CET}>:-fcf-protection=full>
    $<$<BOOL:${PEREGRINE_HAS_BRANCH_PROTECTION}>:-mbranch-protection=standard>)
  target_compile_definitions(peregrine_flags INTERFACE _FORTIFY_SOURCE=3 _GLIBCXX_ASSERTIONS)
  # C library start files without CET (Debian 12) would clear the CET mark of the whole program. They return to where
  # they were called from, as shadow stacks require, but do not mark branch targets, so IBT is left to the linker.
  target_link_options(peregrine_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
    $<$<BOOL:${PEREGRINE_HAS_CET}>:-Wl,-z,shstk>)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  include(CheckPIESupported)
  check_pie_supported()
endif()
if(PEREGRINE_SANITIZE)
  target_compile_options(peregrine_flags INTERFACE -fsanitize=${PEREGRINE_SANITIZE} -fno-sanitize-recover=undefined)
  target_link_options(peregrine_flags INTERFACE -fsanitize=${PEREGRINE_SANITIZE})
endif()
# fmt is linked in: a program with fewer shared libraries starts faster, and runs on releases of Debian with another fmt.
find_path(FMT_INCLUDE fmt/format-inl.h REQUIRED)
add_library(fmt_linked STATIC ${CMAKE_SOURCE_DIR}/cmake/fmt_library.cc)
set_target_properties(fmt_linked PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(fmt_linked SYSTEM PUBLIC ${FMT_INCLUDE})
target_compile_definitions(fmt_linked PUBLIC FMT_SHARED)  # plug-ins hide all symbols but those of fmt
target_link_libraries(fmt_linked PRIVATE peregrine_flags)
find_package(Threads REQUIRED)
