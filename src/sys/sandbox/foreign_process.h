// foreign_process: the broker's access to a process that the kernel stopped in a system call. Its data is untrusted.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/types.h"

namespace peregrine {

// `process` may be a thread. If it is gone, or the address or number is invalid, these return false, nothing or an
// empty descriptor.
bool read_memory(u32 process, u64 address, void* bytes, std::size_t size);
std::optional<std::string> read_path(u32 process, u64 address);
Fd open_folder_of(u32 process, int folder);  // AT_FDCWD: its working folder
Fd open_file_of(u32 process, int fd);        // O_PATH, only to find its place

// Return the path that the kernel reports for our descriptor, and the link to it in /proc.
std::string path_of(int fd);
std::string own_link(int fd);

// Matches "/proc/PID/root/…", "/proc/PID/map_files/…" and "/proc/PID/maps".
bool leads_into_process(std::string_view path);
// Opens the maps, an ELF file, or a file that names code (perf-PID.map, jit-PID.dump) for reading. Returns an empty
// descriptor with errno if it is something else or cannot be opened.
Fd open_program_file(const std::string& path);

}  // namespace peregrine
