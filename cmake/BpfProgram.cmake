# bpf_program(TARGET FILE.bpf.c): compiles a BPF program and generates its skeleton <FILE.skel.h> for TARGET's sources.
# Does not need a kernel's type data: programs declare the fields they read, and libbpf finds them when it loads them.
find_program(BPF_CLANG NAMES clang-19 clang REQUIRED)
find_program(BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin REQUIRED)

set(_bpf_arch x86)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(_bpf_arch arm64)
endif()

add_custom_target(bpf_programs)  # all of them

function(bpf_program target source)
  get_filename_component(name ${source} NAME)
  string(REGEX REPLACE "\\.bpf\\.c$" "" name ${name})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bpf/*.h ${CMAKE_SOURCE_DIR}/src/abi/*.h)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/bpf)
  file(MAKE_DIRECTORY ${made})
  set(includes "")
  if(CMAKE_LIBRARY_ARCHITECTURE)  # asm/types.h, which linux/bpf.h wants: of this machine, or of a cross compiler
    set(includes -isystem /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -isystem /usr/${CMAKE_LIBRARY_ARCHITECTURE}/include)
  endif()
  add_custom_command(
    OUTPUT ${made}/${name}.skel.h
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${headers}
    COMMAND ${BPF_CLANG} -target bpf -mcpu=v3 -D__TARGET_ARCH_${_bpf_arch} -O2 -g -Wall -Werror ${includes} -I ${CMAKE_SOURCE_DIR}/src
            -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${made}/${name}.whole.o
    COMMAND ${BPFTOOL} gen object ${made}/${name}.o ${made}/${name}.whole.o
    COMMAND ${BPFTOOL} gen skeleton ${made}/${name}.o name ${name} > ${made}/${name}.skel.h
    VERBATIM)
  add_custom_target(bpf_${name} DEPENDS ${made}/${name}.skel.h)
  add_dependencies(${target} bpf_${name})
  add_dependencies(bpf_programs bpf_${name})
  target_include_directories(${target} SYSTEM PRIVATE ${made})
endfunction()
