// ContentKind: what a file is by its first bytes: the only table of such marks.
//
// output_file.h and tar_writer.h refuse to overwrite files by it; symbol/compression/unpack.h finds out how a file is
// compressed. Text, pages and pictures, which a command may have written before, are Other.
#pragma once
#include <string_view>

#include "base/bytes.h"

namespace peregrine {

enum class ContentKind : u8 {
  Other,  // text, HTML, JSON, SVG, nothing, …
  Program,
  Script,
  Library,
  Tar,
  Zip,
  SevenZip,
  Gzip,
  Bzip2,
  Xz,
  Zstd,
};

inline constexpr std::size_t kContentBytes = 512;  // of a file's beginning, enough for every kind
inline constexpr std::size_t kPackedBytes = 6;     // enough for archives and compressed files other than Tar

ContentKind content_kind(Bytes beginning);
// "a program"; Other: "a file".
std::string_view content_name(ContentKind kind);

}  // namespace peregrine
