// ContentKind: the kind of a file, detected from its first bytes. No other code has a table of file signatures.
//
// output_file.h and tar_writer.h use it to refuse overwriting files; symbol/compression/unpack.h uses it to find the
// compression. Text, pages and pictures, which a command may have written before, are Other.
#pragma once
#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

enum class ContentKind : u8 {
  Other,  // text, HTML, JSON, SVG, an empty file, …
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
  TraceDat,
  Blktrace,
};

inline constexpr std::size_t kContentBytes = 512;  // from the start of a file; enough for every kind
inline constexpr std::size_t kPackedBytes = 6;     // enough for archives and compressed files, except Tar

ContentKind content_kind(Bytes beginning);
// Returns "a program" or similar; for Other, "a file".
std::string_view content_name(ContentKind kind);

}  // namespace peregrine
