// OpenedFile: the payload of the samples of `record --file-names`: the file behind a descriptor when it was opened, or
// when the recording began. The sample's pid, tid and time are those of the call.
//
//   fd:4  device:4  inode:8  path, NUL-terminated
#pragma once
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {

struct OpenedFile {
  i32 descriptor = -1;
  u32 device = 0;  // major << 20 | minor, as in tracepoints; 0: unknown, as is the inode
  u64 inode = 0;
  std::string_view path;  // borrowed; as given by the caller if it could not be made absolute
};

void encode_opened_file(const OpenedFile& file, ByteWriter& out);
// Nothing: too short, or without a terminated path.
std::optional<OpenedFile> decode_opened_file(Bytes raw, ByteOrder order);

}  // namespace peregrine::abi
