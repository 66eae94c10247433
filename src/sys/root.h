// Root: the folder in which /proc, /sys and tracefs are. The live system is Root(); a test passes a folder that
// contains "proc/…" and "sys/…", with files that it wrote. Everything in this room takes a Root and keeps no other
// state.
//
// Thread safe (const). Paths are absolute as the kernel documents them:
// root.read("/proc/sys/kernel/perf_event_paranoid").
#pragma once
#include <optional>
#include <string>
#include <string_view>
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
  // The first line of a file, without its newline; nullopt when the file cannot be read.
  std::optional<std::string> line(std::string_view absolute) const;
  // A file that holds one integer (decimal or 0x…); nullopt when absent or not a number.
  std::optional<i64> number(std::string_view absolute) const;
  bool exists(std::string_view absolute) const;
  bool readable(std::string_view absolute) const;
  bool is_directory(std::string_view absolute) const;
  // What a symbolic link says; nullopt when there is none.
  std::optional<std::string> link(std::string_view absolute) const;
  // Names in a directory without "." and "..", unsorted, in the order the kernel gives; empty when it cannot be read.
  std::vector<std::string> names(std::string_view absolute) const;
  std::vector<std::string> sorted_names(std::string_view absolute) const;

 private:
  std::string prefix_;
};

// The text without blanks and newlines at both ends.
std::string_view trim(std::string_view text);
// A whole text as a number: decimal, or hexadecimal after 0x. nullopt when anything else is there.
std::optional<u64> to_number(std::string_view text);

}  // namespace peregrine
