// DaemonRow: one row of a daemon's answer to `list` (DaemonServer::kRowWidth texts).
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace peregrine {

struct DaemonRow {
  std::string_view pid, name, run, folder, minutes, state, restarts;
  bool is_running() const { return pid != "-"; }
};

// `at`: the index of the row's first text. The row borrows from `rows`.
inline DaemonRow row_at(std::span<const std::string> rows, std::size_t at) {
  return {rows[at], rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4], rows[at + 5], rows[at + 6]};
}

}  // namespace peregrine
