#include "session/export/rows_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/types.h"

namespace peregrine {
namespace {

// A table with given rows; empty rows are hidden.
class ExportedTable {
 public:
  ExportedTable(std::string event, std::vector<std::string> names, std::vector<std::vector<RowValue>> rows)
      : rows_(std::move(rows)) {
    table_ = {.event = std::move(event), .samples = 4, .period = 100, .names = std::move(names), .size = rows_.size()};
    table_.row = [this](std::size_t at) { return rows_[at].empty() ? nullptr : &rows_[at]; };
  }
  ExportedTable(const ExportedTable&) = delete;
  ExportedTable& operator=(const ExportedTable&) = delete;
  const NamedRows& rows() const { return table_; }

 private:
  std::vector<std::vector<RowValue>> rows_;
  NamedRows table_;
};

// Comms in one table, dsos in the next.
struct ExportedTables {
  ExportedTable comms{"cycles", {"overhead", "comm"}, {{75.5, std::string("load")}, {}, {24.5, std::string("a,b")}}};
  ExportedTable dsos{"faults", {"overhead", "dso", "samples"}, {{RowValue(), std::string("libc"), u64{3}}}};

  std::string written(std::string_view format, bool announced = false) const {
    Sink out;
    RowsWriter writer(format, out);
    for (const ExportedTable* table : {&comms, &dsos})
      if (announced && writer.wants_names()) writer.expect(table->rows().names);
    for (const ExportedTable* table : {&comms, &dsos}) writer.print(table->rows());
    writer.finish();
    return out.take();
  }
};

TEST(RowsWriter, HasALineOfNamesAboveRowsOfCsv) {
  const ExportedTable table("cycles", {"overhead", "comm"}, {{75.5, std::string("load")}, {24.5, std::string("a,b")}});
  Sink out;
  RowsWriter writer("csv", out);
  EXPECT_TRUE(writer.wants_names());
  writer.print(table.rows());
  writer.print(table.rows());
  writer.finish();
  EXPECT_EQ(out.take(),
            "event,overhead,comm\ncycles,75.5,load\ncycles,24.5,\"a,b\"\n"
            "cycles,75.5,load\ncycles,24.5,\"a,b\"\n");
}

// One header line for tables with different columns: those of the first, and additional ones of the others.
TEST(RowsWriter, AlignsTablesOfCsvThatWereAnnounced) {
  EXPECT_EQ(ExportedTables().written("csv", true),
            "event,overhead,dso,samples,comm\n"
            "cycles,75.5,,,load\ncycles,24.5,,,\"a,b\"\n"
            "faults,,libc,3,\n");
}

TEST(RowsWriter, KeepsColumnsTogetherThatAreParts) {
  Sink out;
  RowsWriter writer("csv", out);
  writer.expect({"overhead.cycles", "comm"});
  writer.expect({"overhead.cycles", "overhead.faults", "comm", "dso"});
  const ExportedTable table("cycles", {"overhead.cycles", "comm"}, {{1.5, std::string("load")}});
  writer.print(table.rows());
  EXPECT_EQ(out.take(), "event,overhead.cycles,overhead.faults,comm,dso\ncycles,1.5,,load,\n");
}

TEST(RowsWriter, WritesOneDocumentOfJson) {
  EXPECT_EQ(ExportedTables().written("json"),
            "{\"tables\":[\n"
            "{\"event\":\"cycles\",\"samples\":4,\"period\":100,\"rows\":[\n"
            "{\"overhead\":75.5,\"comm\":\"load\"},\n{\"overhead\":24.5,\"comm\":\"a,b\"}]},\n"
            "{\"event\":\"faults\",\"samples\":4,\"period\":100,\"rows\":[\n"
            "{\"overhead\":null,\"dso\":\"libc\",\"samples\":3}]}\n]}\n");
}

TEST(RowsWriter, WritesALineOfJsonPerRow) {
  EXPECT_EQ(ExportedTables().written("jsonl"),
            "{\"event\":\"cycles\",\"overhead\":75.5,\"comm\":\"load\"}\n"
            "{\"event\":\"cycles\",\"overhead\":24.5,\"comm\":\"a,b\"}\n"
            "{\"event\":\"faults\",\"overhead\":null,\"dso\":\"libc\",\"samples\":3}\n");
}

TEST(RowsWriter, IsAValidDocumentWithoutTables) {
  for (const auto& [format, text] : {std::pair("json", "{\"tables\":[\n]}\n"), {"jsonl", ""}, {"csv", ""}}) {
    Sink out;
    RowsWriter writer(format, out);
    writer.finish();
    EXPECT_EQ(out.take(), text) << format;
  }
}

// JSON cannot represent these, and readers of CSV would treat them as text.
TEST(RowsWriter, HasNoNumbersThatAreNotFinite) {
  const ExportedTable table("cycles", {"ratio", "change"},
                            {{std::numeric_limits<double>::infinity(), std::nan("")}, {-0.5, i64{-7}}});
  const auto written = [&](std::string_view format) {
    Sink out;
    RowsWriter(format, out).print(table.rows());
    return out.take();
  };
  EXPECT_EQ(written("csv"), "event,ratio,change\ncycles,,\ncycles,-0.5,-7\n");
  EXPECT_EQ(written("jsonl"),
            "{\"event\":\"cycles\",\"ratio\":null,\"change\":null}\n"
            "{\"event\":\"cycles\",\"ratio\":-0.5,\"change\":-7}\n");
}

}  // namespace
}  // namespace peregrine
