// record_text: the table of what is printed of each record after its name, by `script --show-…-events` and by -D:
// "PERF_RECORD_COMM" " exec: ls:7/8\n". One row per type that abi/record_rows.h gives a decoder; record_text_test.cc
// verifies this. Text is linux-perf 6.1's, byte for byte, since scripts parse it.
#pragma once
#include <fmt/format.h>

#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/session_record.h"
#include "abi/side_band.h"
#include "base/types.h"

namespace peregrine {

// The sink, and data needed in addition to the record.
struct RecordLine {
  std::string& out;
  std::string_view symbol = {};           // TEXT_POKE: the modified place, "name+0x5"
  std::string_view event_name = {};       // READ in -D: name of the event that it counts
  const abi::EventAttr* event = nullptr;  // likewise; nullptr if unknown

  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
  }
};

// Which commands use the record. For the others, -D prints ": unhandled!".
enum class RecordUse : u8 { Both, Report, Script, InOrder, Nobody };  // InOrder: any command that sorts by time

struct RecordText {
  abi::RecordType type{};
  // Text of a side-band record: everywhere, and in -D if it differs.
  void (*line)(RecordLine& to, const abi::SideBand& record) = nullptr;
  void (*dump)(RecordLine& to, const abi::SideBand& record) = nullptr;
  // Text of a record written by the recorder. linux-perf prints only the raw bytes of some.
  void (*session)(RecordLine& to, const abi::SessionRecord& record) = nullptr;
  RecordUse use = RecordUse::Both;
};

// Ascending by type.
std::span<const RecordText> record_texts();
// nullptr if the type has no row.
const RecordText* find_record_text(abi::RecordType type, std::span<const RecordText> texts = record_texts());

// A side-band record's contents: " 12/12: [0x…] …\n". Nothing for types without a row.
void append_side_band(RecordLine& to, abi::RecordType type, const abi::SideBand& record,
                      std::span<const RecordText> texts = record_texts());
void append_dumped_side_band(RecordLine& to, abi::RecordType type, const abi::SideBand& record,
                             std::span<const RecordText> texts = record_texts());
// The contents of a record written by the recorder: " nr: 1 thread: 7\n". Nothing for records that have only a
// name.
void append_session_record(std::string& out, const abi::RecordView& record);

}  // namespace peregrine
