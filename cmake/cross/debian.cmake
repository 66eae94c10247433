# Cross-compiles on Debian for CROSS_PROCESSOR, which arm64.cmake sets: Debian's compilers, and libraries from a
# folder of unpacked packages (made by tools/cross_build).
set(triplet ${CROSS_PROCESSOR}-linux-gnu)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${CROSS_PROCESSOR})
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_STRIP ${triplet}-strip)
set(PEREGRINE_CROSS_PACKAGES $ENV{PEREGRINE_CROSS_PACKAGES} CACHE PATH "where packages of the target are unpacked")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PEREGRINE_CROSS_PACKAGES)
set(packages ${PEREGRINE_CROSS_PACKAGES})
set(libraries ${packages}/usr/lib/${triplet})
set(CMAKE_FIND_ROOT_PATH ${packages} /usr/${triplet})
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)  # what has headers alone may be the host's
set(CMAKE_CXX_FLAGS_INIT "-isystem ${packages}/usr/include -isystem ${packages}/usr/include/${triplet}")
set(links ${libraries}:${packages}/lib/${triplet})
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${libraries} -L${packages}/lib/${triplet} -Wl,-rpath-link,${links}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT}")
# The program itself writes its manual pages, and libpfm4's tables are those of the processor that reads them.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CROSS_PROCESSOR};-L;/usr/${triplet};-E;LD_LIBRARY_PATH=${links}:/usr/${triplet}/lib)
