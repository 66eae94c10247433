// TarWriter: writes a tar archive that any tar(1) reads, compressed with bzip2 or zstd, or uncompressed.
//
// Files are copied in pieces, so memory use is constant. Names that do not fit into a header are written in GNU tar's
// format.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/file/output_place.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/compression/unpack.h"

namespace peregrine {

class TarWriter {
 public:
  // The archive gets the name `path` only in finish(); without it, nothing remains. Replaces only another archive.
  // Devices, FIFOs and open files (/dev/stdout) are opened by open_special_file(); "-" is standard output, unless that
  // is a terminal. Packing: None, Bzip2 or Zstd. Write errors name the archive.
  static Result<TarWriter> create(const std::string& path, Packing packing);
  // Creates an unnamed archive in the file system of `beside`; finish_unnamed() returns it. However this process ends,
  // no file remains. If the file system does not support unnamed files, it is a draft, as with create().
  static Result<TarWriter> create_unnamed(const std::string& beside, Packing packing);
  TarWriter(TarWriter&&) noexcept;
  ~TarWriter();

  Result<> add_file(std::string_view name, const std::string& source);
  // Adds an open regular file from its start; errors name it `source`.
  Result<> add_file(std::string_view name, int file, const std::string& source);
  Result<> add_bytes(std::string_view name, Bytes contents);
  Result<> add_link(std::string_view name, std::string_view target);
  Result<> finish();
  // Returns the archive, open for reading.
  Result<Fd> finish_unnamed();

 private:
  class Packer;
  TarWriter(std::unique_ptr<Packer> packer, std::optional<OutputDraft> draft);
  static Result<TarWriter> create_draft(const OutputPlace& place, Packing packing);
  Result<> end();
  Result<> header(std::string_view name, u64 size, char type, std::string_view target, i64 time);
  Result<> long_text(std::string_view text, char type);
  Result<> pad(u64 size);

  std::unique_ptr<Packer> packer_;
  std::optional<OutputDraft> draft_;  // unset if the output is not a regular file
};

}  // namespace peregrine
