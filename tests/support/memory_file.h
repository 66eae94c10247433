// A file in memory that disappears when its descriptor is closed.
#pragma once
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/fd.h"

namespace peregrine::support {

inline Fd memory_file(Bytes bytes = {}) {
  Fd fd(::memfd_create("recording", MFD_CLOEXEC));
  EXPECT_TRUE(write_all(fd.get(), bytes.data(), bytes.size()));
  return fd;
}

}  // namespace peregrine::support
