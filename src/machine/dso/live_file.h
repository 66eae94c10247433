// live_file: finds a mapped file as a living process sees it: in its mount namespace, or since deleted.
//
// /proc/PID/root leads into the process's file system, /proc/PID/map_files to the mapped files themselves. The pid may
// have been reused: a place counts only if its inode is the recorded one, or if there is a recorded build-id, which
// the code that opens the file must compare.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

struct MappedFile {
  std::string path;  // as mapped, possibly with the suffix " (deleted)"
  u32 pid = 0;       // a process that mapped it; 0: unknown
  u32 major = 0, minor = 0;
  u64 inode = 0;  // 0: unknown
};

// Whether `path` has this inode. Device numbers without a disk (btrfs, overlayfs) differ between kernel interfaces;
// for those only the inode is compared.
bool is_same_file(const std::string& path, const MappedFile& file);

// Returns the places to try, best first, or none if the process is gone. `verified`: a build-id will be compared.
std::vector<std::string> live_places(const Root& root, const MappedFile& file, bool verified);

// Returns the file's location during recording: its path if that still has the inode, else a live place, or an empty
// string if the file is unreachable.
std::string place_while_recording(const Root& root, const MappedFile& file);

}  // namespace peregrine
