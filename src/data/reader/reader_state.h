// Reader::State: the state shared by Reader and Order: the header, the events, and the stream of records.
//
// Private to this room.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "data/header/file_header.h"
#include "data/reader/reader.h"
#include "data/stream/account.h"
#include "data/stream/chunk.h"
#include "data/stream/record_stream.h"

namespace peregrine::data {

struct Reader::State {
  std::string path;
  Header header;
  Evlist evlist;
  ReadAccount account;
  RecordStream stream;
  std::deque<StreamRecord> ahead;                        // read by open(); each holds a reference to its chunk
  std::vector<std::byte> payload;                        // of the last record delivered
  std::map<u64, std::vector<std::byte>> payloads_ahead;  // payloads of records in `ahead`, by record offset
  Chunk* held = nullptr;                                 // chunk of the last record delivered, while it is needed
  std::function<void()> before_change;  // called before a record read on another thread changes header or events

  State(std::string name, ByteOrder order) : path(std::move(name)), evlist(order), stream(order, account) {
    header.order = order;
  }

  Result<> open_pipe(Input input);
  Result<> open_file(const FileHeader& file, Input input);
  // Reads and applies the records before the first kernel record and keeps them for advance().
  void read_ahead();
  // Gets the next record in file order, after applying header records. Returns false at the end or after an error.
  bool advance(StreamRecord& out);

 private:
  void release_held();
  bool take(StreamRecord& out);
  void apply(StreamRecord& out);
};

}  // namespace peregrine::data
