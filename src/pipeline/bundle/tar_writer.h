// TarWriter: a tar archive that any tar(1) reads, packed with bzip2 or zstd while it is written, or not at all.
//
// Files are copied piece by piece. Names longer than a header holds are written the way GNU tar does it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/file/output_place.h"
#include "symbol/compression/unpack.h"

namespace peregrine {

class TarWriter {
 public:
  // finish() gives the archive the name `path`; nothing is there before, and nothing is left without it. Only another
  // archive is replaced. Devices, FIFOs and open files (/dev/stdout) are written as open_special_file() opens them; "-"
  // is standard output, unless that is a terminal. Packing: None, Bzip2 or Zstd. Errors of writing name the archive.
  static Result<TarWriter> create(const std::string& path, Packing packing);
  // An archive without a name on the file system of `beside`, that finish_unnamed() gives to its caller: no end of this
  // process leaves it behind, unless the file system has no such files; then it is a draft as create() makes it.
  static Result<TarWriter> create_unnamed(const std::string& beside, Packing packing);
  TarWriter(TarWriter&&) noexcept;
  ~TarWriter();

  Result<> add_file(std::string_view name, const std::string& source);
  // An open regular file, all of it; errors call it `source`.
  Result<> add_file(std::string_view name, int file, const std::string& source);
  Result<> add_bytes(std::string_view name, Bytes contents);
  Result<> add_link(std::string_view name, std::string_view target);
  Result<> finish();
  // For reading.
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
  std::optional<OutputDraft> draft_;  // unset: what is no regular file
};

}  // namespace peregrine
