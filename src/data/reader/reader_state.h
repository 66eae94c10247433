// Reader::State: the state that Reader and Order share: the header, the events, and the stream of records.
//
// Private to this room.
#pragma once
#include <deque>
#include <functional>
#include <map>

#include "data/header/file_header.h"
#include "data/reader/reader.h"
#include "data/stream/record_stream.h"

namespace peregrine::data {

struct Reader::State {
  std::string path;
  Header header;
  Evlist evlist;
  ReadAccount account;
  RecordStream stream;
  std::deque<StreamRecord> ahead;                        // read by open(); each holds a reference to its chunk
  std::vector<std::byte> payload;                        // of the record delivered last
  std::map<u64, std::vector<std::byte>> payloads_ahead;  // of those in `ahead`, by the record's offset
  Chunk* held = nullptr;                                 // the chunk of the record delivered last, while it is needed
  std::function<void()> before_change;                   // of header and events, by a record read on another thread

  State(std::string name, ByteOrder order) : path(std::move(name)), evlist(order), stream(order, account) {
    header.order = order;
  }

  Result<> open_pipe(Input input);
  Result<> open_file(const FileHeader& file, Input input);
  // Reads the records before the first of the kernel, applies them, and keeps them for advance().
  void read_ahead();
  // The next record in file order, header records applied. False at the end or after an error.
  bool advance(StreamRecord& out);

 private:
  void release_held();
  bool take(StreamRecord& out);
  void apply(StreamRecord& out);
};

}  // namespace peregrine::data
