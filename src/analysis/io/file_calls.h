// FileCalls: the system calls that read, write or open files, by number: what they do, and which arguments are the
// descriptors and the number of bytes. Pure.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/io/io_row.h"
#include "base/types.h"
#include "event/syscall/signature.h"

namespace peregrine {

inline constexpr u8 kNoArgument = 0xff;

struct FileCall {
  std::string_view name;
  IoOperation operation = IoOperation::Read;
  u8 descriptor = 0;        // argument; kNoArgument: none, or the result
  u8 bytes = kNoArgument;   // argument
  u8 target = kNoArgument;  // argument: the descriptor that a copying call writes to
  bool vectors = false;     // the number of bytes is in memory that the recording does not have
};

class FileCalls {
 public:
  explicit FileCalls(const Signatures& signatures);
  // Null for other calls.
  const FileCall* of(u32 number) const { return number < by_number_.size() ? by_number_[number] : nullptr; }
  // The calls needed to follow descriptors, besides those above: "close", "dup", …
  static std::vector<u32> numbers(const Signatures& signatures);

 private:
  std::vector<const FileCall*> by_number_;
};

}  // namespace peregrine
