// Root: the folder that contains /proc, /sys and tracefs. The live system is Root(); a test passes a folder with its
// own "proc/…" and "sys/…" files. Everything in this room takes a Root and keeps no other state.
//
// Thread safe (const). Paths are absolute as the kernel documents them:
// root.read("/proc/sys/kernel/perf_event_paranoid").
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

class Root {
 public:
  Root() = default;
  // `prefix` is put before each path; empty means the live system.
  explicit Root(std::string prefix) : prefix_(std::move(prefix)) {}

  bool live() const { return prefix_.empty(); }
  std::string path(std::string_view absolute) const;

  Result<std::string> read(std::string_view absolute) const;
  // Returns the first line of a file, without its newline, or nullopt if the file cannot be read.
  std::optional<std::string> line(std::string_view absolute) const;
  // Reads a file with one integer (decimal or 0x…). Returns nullopt if it is absent or not a number.
  std::optional<i64> number(std::string_view absolute) const;
  bool exists(std::string_view absolute) const;
  bool readable(std::string_view absolute) const;
  bool is_directory(std::string_view absolute) const;
  // Returns the target of a symbolic link, or nullopt.
  std::optional<std::string> link(std::string_view absolute) const;
  // Returns the names in a directory without "." and "..", in the kernel's order; empty if it cannot be read.
  std::vector<std::string> names(std::string_view absolute) const;
  std::vector<std::string> sorted_names(std::string_view absolute) const;

 private:
  std::string prefix_;
};

}  // namespace peregrine
