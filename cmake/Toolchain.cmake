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
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -Wundef -Wcast-qual -Wimplicit-fallthrough -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>  # libstdc++ 12 itself, in stable_sort
  -fno-omit-frame-pointer $<$<BOOL:${PEREGRINE_WERROR}>:-Werror>)
if(PEREGRINE_SANITIZE)
  target_compile_options(peregrine_flags INTERFACE -fsanitize=${PEREGRINE_SANITIZE} -fno-sanitize-recover=undefined)
  target_link_options(peregrine_flags INTERFACE -fsanitize=${PEREGRINE_SANITIZE})
endif()
find_package(fmt 9 REQUIRED)
find_package(Threads REQUIRED)
