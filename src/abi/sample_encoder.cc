#include <bit>
#include <cstddef>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {
namespace {

using namespace sample_bit;

// Encodes the third word of struct perf_branch_entry. In big-endian files its bit-fields start at the top.
u64 branch_word(const BranchEntry& entry, ByteOrder order) {
  u64 word = 0;
  unsigned at = 0;
  const auto bits = [&](u64 value, unsigned width) {
    word |= (value & ((u64{1} << width) - 1)) << (order == ByteOrder::Little ? at : 64 - at - width);
    at += width;
  };
  bits(entry.mispredicted ? 1 : 0, 1);
  bits(entry.predicted ? 1 : 0, 1);
  bits(entry.in_transaction ? 1 : 0, 1);
  bits(entry.abort ? 1 : 0, 1);
  bits(entry.cycles, 16);
  bits(entry.type, 4);
  bits(entry.speculation, 2);
  bits(entry.new_type, 4);
  bits(entry.privilege, 3);
  return word;
}

void put_leading(const Sample& sample, u64 has, ByteWriter& out) {
  if ((has & Identifier) != 0) out.put64(sample.id);
  if ((has & Ip) != 0) out.put64(sample.ip);
  if ((has & Tid) != 0) out.put32(sample.pid).put32(sample.tid);
  if ((has & Time) != 0) out.put64(sample.time);
  if ((has & Addr) != 0) out.put64(sample.addr);
  if ((has & Id) != 0) out.put64(sample.id);
  if ((has & StreamId) != 0) out.put64(sample.stream_id);
  if ((has & Cpu) != 0) out.put32(sample.cpu).put32(0);
  if ((has & Period) != 0) out.put64(sample.period);
}

void put_branches(const Sample& sample, const EventAttr& attr, ByteWriter& out) {
  out.put64(sample.branches.size());
  if ((attr.branch_sample_type & branch_bit::HwIndex) != 0) out.put64(sample.branch_hw_index);
  for (const BranchEntry& entry : sample.branches)
    out.put64(entry.from).put64(entry.to).put64(branch_word(entry, out.order()));
}

void put_registers(const Registers& registers, u64 mask, ByteWriter& out) {
  const auto count = static_cast<std::size_t>(std::popcount(mask));
  const bool whole = registers.abi != 0 && registers.values.size() == count;
  out.put64(whole ? registers.abi : 0);
  for (std::size_t i = 0; whole && i < count; ++i) out.put64(registers.values[i]);
}

void put_rare(const Sample& sample, const EventAttr& attr, ByteWriter& out) {
  const u64 has = attr.sample_type;
  if ((has & RegsUser) != 0) put_registers(sample.user_registers, attr.sample_regs_user, out);
  if ((has & WeightStruct) != 0) {
    out.put64((sample.weight & 0xffffffffu) | u64{sample.weight2} << 32 | u64{sample.weight3} << 48);
  } else if ((has & Weight) != 0) {
    out.put64(sample.weight);
  }
  if ((has & DataSrc) != 0) out.put64(sample.data_src);
  if ((has & Transaction) != 0) out.put64(sample.transaction);
  if ((has & RegsIntr) != 0) put_registers(sample.interrupt_registers, attr.sample_regs_intr, out);
  for (const RecordedField* field : kTailFields)
    if ((has & field->bits) != 0) out.put64(sample.*field->tail);
}

}  // namespace

void encode_sample(const Sample& sample, const EventAttr& attr, ByteWriter& out) {
  const std::size_t start = out.size();
  const u64 has = attr.sample_type;
  out.put32(static_cast<u32>(RecordType::Sample)).put16(sample.misc).put16(0);
  put_leading(sample, has, out);
  if ((has & Callchain) != 0) {
    out.put64(sample.callchain.size());
    for (const u64 address : sample.callchain) out.put64(address);
  }
  if ((has & Raw) != 0) {
    const std::size_t padding = (8 - (4 + sample.raw.size()) % 8) % 8;  // included in the size
    out.put32(static_cast<u32>(sample.raw.size() + padding)).append(sample.raw).zeros(padding);
  }
  if ((has & BranchStack) != 0) put_branches(sample, attr, out);
  put_rare(sample, attr, out);
  if ((has & Traced) != 0) {
    out.put64(u64{sample.traced.flags} | u64{sample.traced.length} << 32 | u64{sample.traced.depth} << 40);
    out.put64(sample.traced.instructions).put64(sample.traced.cycles);
  }
  out.patch(start + 6, static_cast<u16>(out.size() - start));
}

}  // namespace peregrine::abi
