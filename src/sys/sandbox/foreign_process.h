// foreign_process: the broker's access to a process that the kernel stopped in a system call. Its data is untrusted.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/types.h"

namespace peregrine {

// `process` may be a thread. False, nothing or an empty descriptor: it is gone, or the address or number is not valid.
bool read_memory(u32 process, u64 address, void* bytes, std::size_t size);
std::optional<std::string> read_path(u32 process, u64 address);
Fd open_folder_of(u32 process, int folder);  // AT_FDCWD: its working folder
Fd open_file_of(u32 process, int fd);        // O_PATH, for its place only

// Where the kernel says that this descriptor of ours is, and the link there.
std::string path_of(int fd);
std::string own_link(int fd);

// "/proc/PID/root/…", "/proc/PID/map_files/…", "/proc/PID/maps".
bool leads_into_process(std::string_view path);
// For reading: the maps, an ELF file, or one that names code (perf-PID.map, jit-PID.dump). Empty, with errno: something
// else, or it cannot be opened.
Fd open_program_file(const std::string& path);

}  // namespace peregrine
