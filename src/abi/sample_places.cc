#include "abi/sample_places.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {
namespace {

using namespace sample_bit;

class SampleCopy {
 public:
  SampleCopy(const RecordView& record, const EventAttr& attr, PlaceEditor& editor)
      : attr_(attr), editor_(editor), in_(record.body(), record.order), out_(record.order) {
    out_.append(record.bytes.first(kRecordHeaderSize));
  }

  // The order of the fields is the kernel's (perf_event_open(2), PERF_RECORD_SAMPLE). Every field is copied, changed
  // or emptied in that order; one that this function does not know would shift all fields after it.
  bool run() {
    copy_leading();
    if (has(Read) && !copy_read()) return false;
    if (has(Callchain) && !copy_chain()) return false;
    if (has(Raw) && !copy_raw()) return false;
    if (has(BranchStack) && !copy_branches()) return false;
    if (has(RegsUser)) drop_registers(attr_.sample_regs_user);
    if (has(StackUser)) drop_stack();
    if (has(Weight | WeightStruct)) copy_word();
    if (has(DataSrc)) copy_word();
    if (has(Transaction)) copy_word();
    if (has(RegsIntr)) drop_registers(attr_.sample_regs_intr);
    copy_tail();
    if (has(Aux)) drop_aux();
    return in_.ok() && out_.size() <= 0xffff;
  }

  // Sets the record's size and returns the record.
  Bytes finish() {
    constexpr std::size_t kSizeAt = 6;
    out_.patch(kSizeAt, static_cast<u16>(out_.size()));
    return out_.bytes();
  }

  LeftOutPlaces left_out;

 private:
  bool has(u64 bits) const { return (attr_.sample_type & bits) != 0; }
  void copy_word() { out_.put64(in_.get64()); }
  void copy_address() { out_.put64(editor_.address(in_.get64())); }

  // The ip's address space depends on the thread id, which follows the ip. So look ahead.
  void copy_leading() {
    ByteReader ahead = in_;
    if (has(Identifier)) ahead.skip(8);
    if (has(Ip)) ahead.skip(8);
    editor_.begin(has(Tid) ? ahead.get32() : 0);
    if (has(Identifier)) copy_word();
    if (has(Ip)) copy_address();
    if (has(Tid)) out_.append(in_.take(8));
    if (has(Time)) copy_word();
    if (has(Addr)) copy_address();
    for (const u64 bit : {Id, StreamId}) {
      if (has(bit)) copy_word();
    }
    if (has(Cpu)) out_.append(in_.take(8));
    if (has(Period)) copy_word();
  }

  void copy_tail() {
    for (const RecordedField* field : kTailFields) {
      if (!has(field->bits)) continue;
      if (!field->is_address) {
        copy_word();
        continue;
      }
      left_out.physical |= in_.get64() != 0;
      out_.put64(0);
    }
  }

  bool copy_read() {
    const Bytes rest = in_.rest();
    ReadValues values;
    std::vector<ReadValue> store;
    ByteReader ahead(rest, in_.order());
    if (!decode_read(ahead, attr_.read_format, values, store)) return false;
    out_.append(in_.take(ahead.offset()));
    return true;
  }

  bool copy_chain() {
    const u64 count = in_.get64();
    if (count > in_.left() / 8) return false;
    words_.resize(static_cast<std::size_t>(count));
    for (u64& word : words_) word = in_.get64();
    editor_.chain(words_);
    out_.put64(count);
    for (const u64 word : words_) out_.put64(word);
    return true;
  }

  bool copy_raw() {
    const u32 size = in_.get32();
    const Bytes bytes = in_.take(size);
    if (!in_.ok()) return false;
    raw_.assign(bytes.begin(), bytes.end());
    editor_.raw(raw_);
    out_.put32(size).append(raw_);
    return true;
  }

  bool copy_branches() {
    constexpr std::size_t kEntrySize = 24;
    const u64 count = in_.get64();
    out_.put64(count);
    if ((attr_.branch_sample_type & branch_bit::HwIndex) != 0) copy_word();
    if (count > in_.left() / kEntrySize) return false;
    for (u64 i = 0; i < count; ++i) {
      copy_address();
      copy_address();
      copy_word();
    }
    if ((attr_.branch_sample_type & branch_bit::Counters) == 0) return true;
    if (count > in_.left() / 8) return false;
    for (u64 i = 0; i < count; ++i) copy_word();
    return true;
  }

  void drop_registers(u64 mask) {
    const bool there = in_.get64() != 0;
    if (there) in_.skip(8 * static_cast<std::size_t>(std::popcount(mask)));
    left_out.registers = left_out.registers || there;
    out_.put64(0);
  }

  void drop_stack() {
    const u64 size = in_.get64();
    left_out.stack = size != 0;
    if (size != 0) {
      in_.skip(static_cast<std::size_t>(std::min<u64>(size, in_.left())));
      in_.skip(8);
    }
    out_.put64(0);
  }

  void drop_aux() {
    const u64 size = in_.get64();
    left_out.aux = size != 0;
    in_.skip(static_cast<std::size_t>(size));
    out_.put64(0);
  }

  const EventAttr& attr_;
  PlaceEditor& editor_;
  ByteReader in_;
  ByteWriter out_;
  std::vector<u64> words_;
  std::vector<std::byte> raw_;
};

}  // namespace

std::optional<LeftOutPlaces> copy_without_places(const RecordView& record, const EventAttr& attr, PlaceEditor& editor,
                                                 std::vector<std::byte>& out) {
  SampleCopy copy(record, attr, editor);
  if (!copy.run()) return std::nullopt;
  const Bytes bytes = copy.finish();
  out.insert(out.end(), bytes.begin(), bytes.end());
  return copy.left_out;
}

}  // namespace peregrine::abi
