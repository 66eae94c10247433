#include "analysis/io/file_calls.h"

#include <algorithm>
#include <array>

namespace peregrine {

namespace {

using enum IoOperation;

constexpr std::array kCalls{
    FileCall{"open", Open, kNoArgument},
    FileCall{"creat", Open, kNoArgument},
    FileCall{"openat", Open, kNoArgument},
    FileCall{"openat2", Open, kNoArgument},
    FileCall{"read", Read, 0, 2},
    FileCall{"pread64", Read, 0, 2},
    FileCall{.name = "readv", .operation = Read, .vectors = true},
    FileCall{.name = "preadv", .operation = Read, .vectors = true},
    FileCall{.name = "preadv2", .operation = Read, .vectors = true},
    FileCall{"getdents64", Read, 0, 2},
    FileCall{"write", Write, 0, 2},
    FileCall{"pwrite64", Write, 0, 2},
    FileCall{.name = "writev", .operation = Write, .vectors = true},
    FileCall{.name = "pwritev", .operation = Write, .vectors = true},
    FileCall{.name = "pwritev2", .operation = Write, .vectors = true},
    FileCall{"sendfile", Read, 1, 3, 0},
    FileCall{"sendfile64", Read, 1, 3, 0},
    FileCall{"copy_file_range", Read, 0, 4, 2},
    FileCall{"fsync", Sync},
    FileCall{"fdatasync", Sync},
    FileCall{"sync_file_range", Sync},
    FileCall{"syncfs", Sync},
    FileCall{"sync", Sync, kNoArgument},
    FileCall{"msync", Sync, kNoArgument},
};
constexpr std::array<std::string_view, 9> kFollowed = {"close",  "dup",      "dup2",        "dup3",      "fcntl",
                                                       "execve", "execveat", "close_range", "exit_group"};

}  // namespace

FileCalls::FileCalls(const Signatures& signatures) : by_number_(signatures.size()) {
  for (u32 number = 0; number < by_number_.size(); ++number) {
    const auto found = std::ranges::find(kCalls, signatures.of(number).name, &FileCall::name);
    if (found != kCalls.end()) by_number_[number] = &*found;
  }
}

std::vector<u32> FileCalls::numbers(const Signatures& signatures) {
  std::vector<u32> numbers;
  for (u32 number = 0; number < signatures.size(); ++number) {
    const std::string_view name = signatures.of(number).name;
    if (std::ranges::find(kCalls, name, &FileCall::name) != kCalls.end() ||
        std::ranges::find(kFollowed, name) != kFollowed.end())
      numbers.push_back(number);
  }
  return numbers;
}

}  // namespace peregrine
