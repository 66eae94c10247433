// ContentKind: what a file is by its first bytes, for commands that must not overwrite it by mistake.
//
// Text, pages and pictures, which a command may have written before, are Other. output_file.h and tar_writer.h ask.
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
  Gzip,
  Bzip2,
  Xz,
  Zstd,
};

inline constexpr std::size_t kContentBytes = 512;  // of a file's beginning tell its kind

ContentKind content_kind(Bytes beginning);
// "a program"; Other: "a file".
std::string_view content_name(ContentKind kind);

}  // namespace peregrine
