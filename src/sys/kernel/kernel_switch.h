// A kernel file that turns something on ('1') or off ('0').
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <expected>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

inline Result<> write_switch(const std::string& path, char state) {
  auto file = open_file(path, O_WRONLY | O_TRUNC);
  if (!file) return std::unexpected(std::move(file.error()));
  if (::write(file->get(), &state, 1) != 1) return fail_errno(path);
  return {};
}

}  // namespace peregrine
