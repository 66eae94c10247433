// Opens files that other users can write or replace: the one place that checks their type and owner.
//
// A check of a path proves nothing about the file that a later open(2) finds. These functions open first and check the
// descriptor; callers read that descriptor and never use the path again. Opening never blocks on a FIFO. A device is
// not opened, because opening it may have an effect.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/types.h"

namespace peregrine {

enum class TrustedOwner {
  Anyone,
  SelfOrRoot,  // the effective user or root
};

// Who may own a file besides root. Nothing: anybody.
using FileOwners = std::optional<std::vector<uid_t>>;
FileOwners owners_of(TrustedOwner owner);

bool is_trusted(const struct stat& status, const FileOwners& owners);
// Whether the file belongs to the effective user or to root.
bool owned_by_self_or_root(const struct stat& status);

struct FileRules {
  FileOwners owners = {};
  mode_t kind = S_IFREG;    // or S_IFDIR
  bool follow_link = true;  // the last one; those on the way are the kernel's business
  mode_t no_writers = 0;    // S_IWGRP, S_IWOTH: who must not be able to write it
};

// The first rule that a file breaks, in this order.
enum class FileFault : u8 { None, Kind, Owner, Writable };
FileFault fault_of(const struct stat& status, const FileRules& rules);

struct JudgedFile {
  Fd fd;  // open for reading; empty with a fault
  struct stat status{};
  FileFault fault = FileFault::None;
};

// For callers with words of their own for a fault. Errors: System, NotFound or Denied, when it cannot be opened.
Result<JudgedFile> open_and_judge(const std::string& path, const FileRules& rules);
// `name` below a folder that is open; errors name `path`.
Result<JudgedFile> open_and_judge(int folder, const std::string& name, const std::string& path, const FileRules& rules);

// A fault is an error: Denied, with the path and the owner.
Result<JudgedFile> open_judged(const std::string& path, const FileRules& rules);
Result<JudgedFile> open_judged(int folder, const std::string& name, const std::string& path, const FileRules& rules);

// All of a regular file whose name or contents may be a stranger's; one of /proc or /sys is a regular file, too. Never
// waits, unlike read_file(). Errors: those of open_judged(); Malformed, it has more than `limit` bytes.
Result<std::string> read_regular_file(const std::string& path, std::size_t limit = std::size_t{1} << 32);

// All of an open regular file, wherever the descriptor's offset is, which stays. Errors begin with `what`.
Result<std::string> pread_all(int fd, std::string_view what, std::size_t limit = std::size_t{1} << 32);

}  // namespace peregrine
