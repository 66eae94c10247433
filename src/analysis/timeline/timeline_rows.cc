#include "analysis/timeline/timeline_rows.h"

#include <algorithm>
#include <cstddef>

#include "analysis/timeline/packed_columns.h"
#include "base/leb128.h"

namespace peregrine {

namespace {

// Damaged counts must not reserve memory: a row takes at least one byte in its first column.
std::size_t count_of(ColumnReader& reader, std::string_view bytes) {
  return static_cast<std::size_t>(std::min<u64>(reader.number(), bytes.size()));
}

template <class Row, class Type>
void read_column(ColumnReader& reader, std::vector<Row>& rows, Coding coding, Type Row::* member) {
  reader.column(rows.size(), coding, [&](std::size_t at, u64 value) { rows[at].*member = static_cast<Type>(value); });
}

template <class Row, class Type>
void write_column(std::string& out, const std::vector<Row>& rows, Coding coding, Type Row::* member) {
  append_column(out, coding, rows, [&](const Row& row) { return static_cast<u64>(row.*member); });
}

// A letter or kind, and in its lowest bit whether the slice is open.
template <class Row, class Type>
void write_kinds(std::string& out, const std::vector<Row>& rows, Type Row::* member) {
  append_column(out, Coding::Plain, rows,
                [&](const Row& row) { return static_cast<u64>(row.*member) << 1 | (row.open ? 1 : 0); });
}
template <class Row, class Type>
void read_kinds(ColumnReader& reader, std::vector<Row>& rows, Type Row::* member) {
  reader.column(rows.size(), Coding::Plain, [&](std::size_t at, u64 value) {
    rows[at].*member = static_cast<Type>(value >> 1);
    rows[at].open = (value & 1) != 0;
  });
}

}  // namespace

// Rows in html/timeline/store.js reads the columns in this order.
std::string pack_rows(const TimelineRows& rows) {
  std::string out;
  for (const std::size_t count : {rows.events.size(), rows.states.size(), rows.slices.size(), rows.steps.size()})
    append_uleb128(out, count);
  write_column(out, rows.events, Coding::Steps, &TimelineEvent::time);
  write_column(out, rows.events, Coding::Plain, &TimelineEvent::type);
  write_column(out, rows.events, Coding::Plain, &TimelineEvent::cpu);
  write_column(out, rows.events, Coding::Plain, &TimelineEvent::task);
  write_column(out, rows.events, Coding::Plain, &TimelineEvent::stack);
  write_column(out, rows.events, Coding::Plain, &TimelineEvent::cgroup);
  write_column(out, rows.states, Coding::Steps, &TaskSlice::start);
  write_column(out, rows.states, Coding::Plain, &TaskSlice::length);
  write_column(out, rows.states, Coding::Plain, &TaskSlice::task);
  write_kinds(out, rows.states, &TaskSlice::state);
  write_column(out, rows.states, Coding::Plain, &TaskSlice::cpu);
  write_column(out, rows.states, Coding::Plain, &TaskSlice::cause);
  write_column(out, rows.slices, Coding::Steps, &LaneSlice::start);
  write_column(out, rows.slices, Coding::Plain, &LaneSlice::length);
  write_kinds(out, rows.slices, &LaneSlice::kind);
  write_column(out, rows.slices, Coding::Plain, &LaneSlice::owner);
  write_column(out, rows.slices, Coding::Plain, &LaneSlice::name);
  write_column(out, rows.steps, Coding::Steps, &LaneStep::time);
  write_column(out, rows.steps, Coding::Plain, &LaneStep::kind);
  write_column(out, rows.steps, Coding::Plain, &LaneStep::cpu);
  write_column(out, rows.steps, Coding::Plain, &LaneStep::value);
  return out;
}

TimelineRows unpack_rows(std::string_view lanes) {
  ColumnReader reader(lanes);
  TimelineRows rows;
  rows.events.resize(count_of(reader, lanes));
  rows.states.resize(count_of(reader, lanes));
  rows.slices.resize(count_of(reader, lanes));
  rows.steps.resize(count_of(reader, lanes));
  read_column(reader, rows.events, Coding::Steps, &TimelineEvent::time);
  read_column(reader, rows.events, Coding::Plain, &TimelineEvent::type);
  read_column(reader, rows.events, Coding::Plain, &TimelineEvent::cpu);
  read_column(reader, rows.events, Coding::Plain, &TimelineEvent::task);
  read_column(reader, rows.events, Coding::Plain, &TimelineEvent::stack);
  read_column(reader, rows.events, Coding::Plain, &TimelineEvent::cgroup);
  read_column(reader, rows.states, Coding::Steps, &TaskSlice::start);
  read_column(reader, rows.states, Coding::Plain, &TaskSlice::length);
  read_column(reader, rows.states, Coding::Plain, &TaskSlice::task);
  read_kinds(reader, rows.states, &TaskSlice::state);
  read_column(reader, rows.states, Coding::Plain, &TaskSlice::cpu);
  read_column(reader, rows.states, Coding::Plain, &TaskSlice::cause);
  read_column(reader, rows.slices, Coding::Steps, &LaneSlice::start);
  read_column(reader, rows.slices, Coding::Plain, &LaneSlice::length);
  read_kinds(reader, rows.slices, &LaneSlice::kind);
  read_column(reader, rows.slices, Coding::Plain, &LaneSlice::owner);
  read_column(reader, rows.slices, Coding::Plain, &LaneSlice::name);
  read_column(reader, rows.steps, Coding::Steps, &LaneStep::time);
  read_column(reader, rows.steps, Coding::Plain, &LaneStep::kind);
  read_column(reader, rows.steps, Coding::Plain, &LaneStep::cpu);
  read_column(reader, rows.steps, Coding::Plain, &LaneStep::value);
  return rows;
}

}  // namespace peregrine
