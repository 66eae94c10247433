// live_file: a mapped file as a process that still lives sees it: in its own mount namespace, or deleted since.
//
// /proc/PID/root leads into the process's file system, /proc/PID/map_files to the very files it has mapped. A pid may
// be somebody else's by now: a place counts only if the inode there is the recorded one, or a build-id was recorded,
// which whoever opens the file compares.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sys/root.h"

namespace peregrine {

struct MappedFile {
  std::string path;  // as mapped, perhaps with " (deleted)" behind it
  u32 pid = 0;       // one that mapped it; 0: not known
  u32 major = 0, minor = 0;
  u64 inode = 0;  // 0: not known
};

// Whether `path` is that inode. The numbers of devices without a disk (btrfs, overlayfs) differ between the kernel's
// answers: there the inode alone decides.
bool is_same_file(const std::string& path, const MappedFile& file);

// The places to look at, best first; none when the process is gone. `verified`: a build-id will be compared.
std::vector<std::string> live_places(const Root& root, const MappedFile& file, bool verified);

// Where that file is while a recording is still being made: its path when it is still that inode, else a live place;
// empty when it cannot be reached any more.
std::string place_while_recording(const Root& root, const MappedFile& file);

}  // namespace peregrine
