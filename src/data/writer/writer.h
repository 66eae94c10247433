// Writer: a perf.data file or pipe as linux-perf 6.1 reads it.
//
//   open_fd() ─▶ begin(evlist) ─▶ append()… finish_round()… [checkpoint()…] ─▶ finish(features)
//
// append() passes the spans of a ring buffer to one writev(2), or compresses them with streaming zstd into COMPRESSED
// records; nothing else is copied. File: header, ids, attrs, vital features, data, features; checkpoint()
// makes the file readable even if the recorder is killed later. Pipe: the header is written first, as records. Not
// thread safe. Format: docs/perf-data.md, "A file while recording".
#pragma once
#include <memory>
#include <span>
#include <string>

#include "base/fd.h"
#include "data/header.h"
#include "data/header/evlist.h"

namespace peregrine::data {

struct WriterOptions {
  bool pipe = false;
  bool records_only = false;     // data.N of a directory: no header, no begin(), no features
  int compression_level = 0;     // 0: none; 1 to 22: zstd
  std::size_t write_blocks = 0;  // so many writes go on in the background; 0: none. Files only
};

struct WriteAccount {
  u64 bytes = 0;             // written to the output
  u64 record_bytes = 0;      // given to append(), before compression
  u64 compressed_bytes = 0;  // what those became, record headers included
  u64 records = 0;           // appended one by one, rounds included (ring spans are not counted)
};

class Writer {
 public:
  // Writes to an empty file that is open for reading and writing, or to a pipe, which the options say.
  static Result<Writer> open_fd(Fd fd, std::string name, WriterOptions options);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  // File: header, ids, attrs, and of `features` those without which no program could read the records (tracing data,
  // directory format, compression). Pipe: magic, HEADER_ATTR, EVENT_UPDATE (names, units, scales),
  // then HEADER_FEATURE records of `features`, TRACING_DATA when there is any, and BUILD_ID records. attr.size is
  // written as abi::written_size() says.
  Result<> begin(const Evlist& evlist, const Features& features);
  // File: the same events again, with values in their attrs that were not known at the beginning.
  Result<> settle_attrs(const Evlist& evlist);
  // Whole records, in pieces that may split a record (a ring that wraps). May be compressed.
  Result<> append(std::span<const Bytes> pieces);
  Result<> append(Bytes records) { return append(std::span<const Bytes>(&records, 1)); }
  // Records that stay uncompressed (AUXTRACE with its payload, header records).
  Result<> append_plain(Bytes records);
  Result<> finish_round();  // FINISHED_ROUND
  Result<> finish_init();   // FINISHED_INIT: what was synthesised is complete
  // What was appended so far becomes readable: one pwrite of the header, and a block of 16 bytes, 16 more per
  // vital feature, by which readers know that the recording has not ended.
  // Does nothing when nothing was appended since the last time, and in a pipe. After an error of append(), what was
  // written whole is saved as far as the disk allows.
  Result<> checkpoint();
  // Ends the compression; file: writes the feature table, the sections and the final header.
  Result<> finish(const Features& features, const std::map<u32, std::vector<std::byte>>& kept = {});

  const WriteAccount& account() const;
  // Where the records start and how many bytes of them are on disk: for the build-id pass.
  u64 data_offset() const;
  u64 data_size() const;
  int fd() const;

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine::data
