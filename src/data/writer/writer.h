// Writer: writes a perf.data file or pipe that linux-perf 6.1 can read.
//
//   open_fd() ─▶ begin(evlist) ─▶ append()… finish_round()… [checkpoint()…] ─▶ finish(features)
//
// append() passes the spans of a ring buffer to one writev(2), or compresses them with streaming zstd into COMPRESSED
// records; nothing else is copied. File: header, ids, attrs, vital features, data, features; checkpoint()
// makes the file readable even if the recorder is killed later. Pipe: the header is written first, as records. Not
// thread safe. Format: docs/perf-data.md, "A file while recording".
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/header/evlist.h"

namespace peregrine::data {

struct WriterOptions {
  bool pipe = false;
  bool records_only = false;     // data.N of a directory: no header, no begin(), no features
  int compression_level = 0;     // 0: no compression; 1 to 22: zstd level
  std::size_t write_blocks = 0;  // number of concurrent background writes; 0: none. Files only
};

struct WriteAccount {
  u64 bytes = 0;             // written to the output
  u64 record_bytes = 0;      // given to append(), before compression
  u64 compressed_bytes = 0;  // size of the COMPRESSED records, including headers
  u64 records = 0;           // appended one by one, including rounds (ring spans are not counted)
};

class Writer {
 public:
  // `fd` must be an empty file, open for reading and writing, or a pipe as stated in the options.
  static Result<Writer> open_fd(Fd fd, std::string name, WriterOptions options);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  // File: writes header, ids, attrs, and those of `features` that readers need to decode records (tracing data,
  // directory format, compression). Pipe: writes magic, HEADER_ATTR, EVENT_UPDATE (names, units, scales),
  // HEADER_FEATURE records of `features`, TRACING_DATA if there is any, and BUILD_ID records. attr.size is written as
  // abi::written_size() returns it.
  Result<> begin(const Evlist& evlist, const Features& features);
  // Rewrites the attrs of a file, with values that were unknown at the beginning.
  Result<> settle_attrs(const Evlist& evlist);
  // Appends whole records, in pieces that may split a record (a ring that wraps). May compress them.
  Result<> append(std::span<const Bytes> pieces);
  Result<> append(Bytes records) { return append(std::span<const Bytes>(&records, 1)); }
  // Appends records that stay uncompressed (AUXTRACE with its payload, header records).
  Result<> append_plain(Bytes records);
  Result<> finish_round();  // FINISHED_ROUND
  Result<> finish_init();   // FINISHED_INIT: all synthesized records are written
  // Makes everything appended so far readable: one pwrite of the header, and a block of 16 bytes, plus 16 per vital
  // feature, which marks the recording as unfinished. Does nothing in a pipe or if nothing was appended since the last
  // call. After an error of append(), saves the whole records that were written, as far as the disk allows.
  Result<> checkpoint();
  // Ends the compression. In a file, writes the feature table, the sections and the final header.
  Result<> finish(const Features& features, const std::map<u32, std::vector<std::byte>>& kept = {});

  const WriteAccount& account() const;
  // Offset of the records and their size on disk, for the build-id pass.
  u64 data_offset() const;
  u64 data_size() const;
  int fd() const;

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine::data
