// Opens files that other users can write or replace. No other code checks their type and owner.
//
// A check of a path proves nothing about the file that a later open(2) finds. These functions open first and check the
// descriptor; callers read that descriptor and never use the path again. Opening never blocks on a FIFO. Devices are
// not opened, because that may have side effects.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class TrustedOwner {
  Anyone,
  SelfOrRoot,  // the effective user or root
};

// The permitted owners of a file, besides root. Nothing: anybody.
using FileOwners = std::optional<std::vector<uid_t>>;
FileOwners owners_of(TrustedOwner owner);

bool is_trusted(const struct stat& status, const FileOwners& owners);
// Whether the file belongs to the effective user or to root.
bool owned_by_self_or_root(const struct stat& status);

struct FileRules {
  FileOwners owners = {};
  mode_t kind = S_IFREG;    // or S_IFDIR
  bool follow_link = true;  // applies to the last component; the kernel follows links on the way
  mode_t no_writers = 0;    // S_IWGRP, S_IWOTH: must not have write permission
};

// The first rule that a file violates, in this order.
enum class FileFault : u8 { None, Kind, Owner, Writable };
FileFault fault_of(const struct stat& status, const FileRules& rules);

struct JudgedFile {
  Fd fd;  // open for reading; empty if there is a fault
  struct stat status{};
  FileFault fault = FileFault::None;
};

// For callers with their own messages for faults. Errors: System, NotFound or Denied if the file cannot be opened.
Result<JudgedFile> open_and_judge(const std::string& path, const FileRules& rules);
// Opens `name` in an open folder; errors show `path`.
Result<JudgedFile> open_and_judge(int folder, const std::string& name, const std::string& path, const FileRules& rules);

// Turns a fault into an error: Denied, with the path and the owner.
Result<JudgedFile> open_judged(const std::string& path, const FileRules& rules);
Result<JudgedFile> open_judged(int folder, const std::string& name, const std::string& path, const FileRules& rules);

// Reads a regular file with an untrusted name or untrusted contents; files in /proc and /sys count as regular. Never
// blocks, unlike read_file(). Errors: those of open_judged(); Malformed, the file exceeds `limit` bytes.
Result<std::string> read_regular_file(const std::string& path, std::size_t limit = std::size_t{1} << 32);

// Reads a regular file from its start, without using or changing the descriptor's offset. Errors start with `what`.
Result<std::string> pread_all(int fd, std::string_view what, std::size_t limit = std::size_t{1} << 32);

}  // namespace peregrine
