# Cross-compiles for arm64 on Debian: its compilers, and libraries from an unpacked folder of packages (made by
# cross_build).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(PEREGRINE_ARM64_PACKAGES $ENV{PEREGRINE_ARM64_PACKAGES} CACHE PATH "where packages of the target are unpacked")
set(packages ${PEREGRINE_ARM64_PACKAGES})
set(libraries ${packages}/usr/lib/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${packages} /usr/aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)  # what has headers alone may be the host's
set(CMAKE_CXX_FLAGS_INIT "-isystem ${packages}/usr/include -isystem ${packages}/usr/include/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${libraries} -L${packages}/lib/aarch64-linux-gnu -Wl,-rpath-link,${libraries}:${packages}/lib/aarch64-linux-gnu -static-libstdc++ -static-libgcc")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=${libraries}:/usr/aarch64-linux-gnu/lib)
