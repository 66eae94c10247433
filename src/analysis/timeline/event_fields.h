// EventFields: the fields of tracepoints as columns, one set of columns for each event type of a block.
//
//   type 3, 2 rows:  prev_comm ▸ texts    prev_pid ▸ steps    …    then type 5
//
// Texts, flags and symbols are indices into the timeline's texts. A number of 64 bits takes two columns, its upper and
// lower half, so that a page need not calculate with more than 53 bits.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "event/print/print_names.h"

namespace peregrine {

enum class ColumnKind : u8 { Number, Text, Wide, SignedWide, Address };  // the last three have 64 bits

struct TimelineColumn {
  std::string name;
  ColumnKind kind = ColumnKind::Number;
  bool wide() const { return kind >= ColumnKind::Wide; }
};

// Reads the columns of one tracepoint's records.
class FieldReader {
 public:
  // The text's index; the symbol at an address, empty if unknown.
  using Intern = std::function<u32(std::string_view text)>;
  using Symbol = std::function<std::string_view(u64 address)>;

  // `format` and `print` must outlive this; `print` may be null.
  FieldReader(const TraceFormat& format, const PrintFormat* print, ByteOrder order);
  const std::vector<TimelineColumn>& columns() const { return columns_; }
  // Appends one value per column.
  void read(Bytes record, const Intern& intern, const Symbol& symbol, std::vector<u64>& values);

 private:
  enum class Source : u8 { Number, Element, String, Named, Symbol, Printed };
  struct Place {
    const TraceField* field = nullptr;
    Source source = Source::Number;
    u32 element = 0;
    const PrintNames* names = nullptr;
    std::unordered_map<u64, u32> texts = {};  // of named values and symbols
  };
  void add(const TraceField& field, const PrintFormat* print);
  u32 text_of_value(Place& place, u64 value, const Intern& intern, const Symbol& symbol) const;

  ByteOrder order_;
  std::vector<TimelineColumn> columns_;
  std::vector<Place> places_;
};

// Values of the events of one type in a block: `values` has one per column and event, event by event.
void append_fields_of_type(std::string& out, std::span<const TimelineColumn> columns, std::span<const u64> values);

// The same back. `counts`: the number of events of each type in the block; `columns`: by type. Gives the values of one
// type only.
std::vector<u64> unpack_fields(std::string_view fields, std::span<const u32> counts,
                               std::span<const std::vector<TimelineColumn>> columns, u32 type);

}  // namespace peregrine
