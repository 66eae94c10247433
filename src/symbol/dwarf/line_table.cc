#include "symbol/dwarf/line_table.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "base/bytes.h"
#include "base/leb128.h"
#include "base/types.h"
#include "symbol/dwarf/dwarf_file.h"

namespace peregrine {
namespace {

enum class Standard : u8 {
  Extended = 0,
  Copy = 1,
  AdvancePc = 2,
  AdvanceLine = 3,
  SetFile = 4,
  SetColumn = 5,
  NegateStatement = 6,
  SetBasicBlock = 7,
  ConstantAddPc = 8,
  FixedAdvancePc = 9,
  SetPrologueEnd = 10,
  SetEpilogueBegin = 11,
  SetIsa = 12,
};

enum class Extended : u8 { EndSequence = 1, SetAddress = 2, DefineFile = 3, SetDiscriminator = 4 };

// Rows [first, last): one contiguous run of code that ends at `end`.
struct Sequence {
  u64 begin = 0, end = 0;
  std::size_t first = 0, last = 0;
};

class LineProgram {
 public:
  LineProgram(const DwarfFile& file, const LineHeader& header, Bytes program)
      : file_(file), header_(header), reader_(program, file.order()) {
    reset();
  }

  std::vector<LineTable::Row> run() {
    while (reader_.left() > 0) step();
    return joined();
  }

 private:
  void reset() {
    address_ = operation_ = 0;
    file_index_ = 1;
    line_ = 1;
    is_statement_ = header_.statement_at_first;
    ends_prologue_ = false;
    first_ = rows_.size();
    ascending_ = true;
  }

  void advance(u64 operations) {
    if (header_.operations == 1) {
      address_ += operations * header_.least_instruction;
      return;
    }
    const u64 sum = operation_ + operations;
    address_ += sum / header_.operations * header_.least_instruction;
    operation_ = sum % header_.operations;
  }

  void add_row() {
    if (rows_.size() > first_) {
      const u64 before = rows_.back().address;
      if (address_ < before) ascending_ = false;
    }
    constexpr u32 kLargestLine = 0x3fffffff;
    LineTable::Row row{address_, static_cast<u32>(std::min<u64>(file_index_, LineTable::kNoFile - 1))};
    row.line = static_cast<u32>(line_) & kLargestLine;
    row.is_statement = is_statement_ ? 1u : 0u;
    row.ends_prologue = ends_prologue_ ? 1u : 0u;
    ends_prologue_ = false;
    rows_.push_back(row);
  }

  void end_sequence() {
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(first_);
    if (!ascending_)
      std::stable_sort(begin, rows_.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
    if (begin != rows_.end() && begin->address < address_ && file_.has_code_at(begin->address))
      sequences_.push_back({begin->address, address_, first_, rows_.size()});
    else
      rows_.resize(first_);
    reset();
  }

  void step();
  void step_standard(u8 code);
  void step_extended();
  std::vector<LineTable::Row> joined() const;

  const DwarfFile& file_;
  const LineHeader& header_;
  ByteReader reader_;
  u64 address_ = 0, operation_ = 0, file_index_ = 1, line_ = 1;
  bool is_statement_ = true, ascending_ = true, ends_prologue_ = false;
  std::vector<LineTable::Row> rows_;
  std::size_t first_ = 0;  // first row of the current sequence
  std::vector<Sequence> sequences_;
};

void LineProgram::step() {
  const u8 code = reader_.get8();
  if (code < header_.first_special) return step_standard(code);
  const unsigned adjusted = code - header_.first_special;
  advance(adjusted / header_.line_range);
  line_ += static_cast<u64>(static_cast<i64>(header_.line_base) + adjusted % header_.line_range);
  add_row();
}

void LineProgram::step_standard(u8 code) {
  switch (static_cast<Standard>(code)) {
    case Standard::Extended:
      return step_extended();
    case Standard::Copy:
      return add_row();
    case Standard::AdvancePc:
      return advance(get_uleb128(reader_));
    case Standard::AdvanceLine:
      line_ += static_cast<u64>(get_sleb128(reader_));
      return;
    case Standard::SetFile:
      file_index_ = get_uleb128(reader_);
      return;
    case Standard::NegateStatement:
      is_statement_ = !is_statement_;
      return;
    case Standard::ConstantAddPc:
      return advance((255u - header_.first_special) / header_.line_range);
    case Standard::SetPrologueEnd:
      ends_prologue_ = true;
      return;
    case Standard::FixedAdvancePc:
      address_ += reader_.get16();
      operation_ = 0;
      return;
    default:
      break;
  }
  for (u8 i = 0; i < header_.operand_counts[code - 1u]; ++i) get_uleb128(reader_);
}

void LineProgram::step_extended() {
  const u64 size = get_uleb128(reader_);
  if (size == 0) return;
  ByteReader part(reader_.take(size), reader_.order());
  switch (static_cast<Extended>(part.get8())) {
    case Extended::EndSequence:
      return end_sequence();
    case Extended::SetAddress:
      address_ = part.left() >= 8 ? part.get64() : part.get32();
      operation_ = 0;
      return;
    default:
      return;
  }
}

// Joins the rows of all sequences by address. Where sequences overlap, the one that starts first wins, and a row
// without a file fills each gap. These gap rows let find() search a single array.
std::vector<LineTable::Row> LineProgram::joined() const {
  std::vector<Sequence> order = sequences_;
  std::ranges::stable_sort(order, {}, &Sequence::begin);
  std::vector<LineTable::Row> result;
  result.reserve(rows_.size() + order.size());
  u64 reached = 0;
  for (const Sequence& sequence : order) {
    if (sequence.end <= reached) continue;
    // The previous sequence already ended with a gap row; drop it if there is no gap.
    if (!result.empty() && sequence.begin <= reached) result.pop_back();
    const u64 from = std::max(sequence.begin, reached);
    std::size_t first = sequence.first;
    while (first + 1 < sequence.last && rows_[first + 1].address <= from) ++first;
    for (std::size_t i = first; i < sequence.last; ++i) {
      result.push_back(rows_[i]);
      result.back().address = std::max(result.back().address, from);
    }
    result.push_back({.address = sequence.end});
    reached = sequence.end;
  }
  return result;
}

}  // namespace

LineTable LineTable::run(const DwarfUnit& unit, const LineHeader& header) {
  LineTable table;
  std::vector<std::byte> buffer;
  const Bytes program = unit.section(DebugSection::Lines).read(header.program, header.end - header.program, buffer);
  table.rows_ = LineProgram(unit.file(), header, program).run();
  table.rows_.shrink_to_fit();
  return table;
}

const LineTable::Row* LineTable::find(u64 address) const {
  const auto next = std::ranges::upper_bound(rows_, address, {}, &Row::address);
  if (next == rows_.begin()) return nullptr;
  const Row& row = *std::prev(next);
  return row.file == kNoFile ? nullptr : &row;
}

}  // namespace peregrine
