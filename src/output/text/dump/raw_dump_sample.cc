#include "output/text/dump/raw_dump_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "abi/data_source.h"
#include "base/types.h"
#include "output/text/field/script_values.h"
#include "output/text/format/hex_text.h"
#include "unwind/branch_chain.h"

namespace peregrine {
namespace {

using std::back_inserter;
namespace bit = abi::sample_bit;

void append_address(std::string& out, std::size_t index, u64 address) {
  const fmt::format_int number(index);
  out += index < 10 ? ".....  " : "..... ";
  out.append(number.data(), number.size()) += ": ";
  append_hex(out, address, 16);
  out += '\n';
}

void append_addresses(std::string& out, std::span<const u64> addresses) {
  for (std::size_t i = 0; i < addresses.size(); ++i) append_address(out, i, addresses[i]);
}

// Prints a call stack from branch records: the recorded kernel frames, then the target of the newest call, then the
// source of each call.
void append_branch_chain(std::string& out, const abi::Sample& sample) {
  const auto user = std::find(sample.callchain.begin(), sample.callchain.end(), abi::kContextUser);
  if (user == sample.callchain.end() || sample.branches.empty()) return;
  std::vector<u64> chain(sample.callchain.begin(), user + 1);
  append_branch_callers(sample.branches, chain);
  fmt::format_to(back_inserter(out), "... LBR call chain: nr:{}\n", chain.size());
  append_addresses(out, chain);
}

void append_branches(std::string& out, const abi::Sample& sample, bool call_stack) {
  const std::size_t count = sample.branches.size();
  if (call_stack) {
    fmt::format_to(back_inserter(out), "... branch callstack: nr:{}\n", count + 1);
    if (count != 0) append_address(out, 0, sample.branches[0].to);
    for (std::size_t i = 0; i < count; ++i) append_address(out, i + 1, sample.branches[i].from);
    return;
  }
  fmt::format_to(back_inserter(out), "... branch stack: nr:{}\n", count);
  for (std::size_t i = 0; i < count; ++i) {
    const abi::BranchEntry& branch = sample.branches[i];
    const auto mark = [](bool set, char letter) { return set ? letter : ' '; };
    fmt::format_to(back_inserter(out), "..... {:2}: {:016x} -> {:016x} {} cycles {}{}{}{} {:x} {}\n", i, branch.from,
                   branch.to, branch.cycles, mark(branch.mispredicted, 'M'), mark(branch.predicted, 'P'),
                   mark(branch.abort, 'A'), mark(branch.in_transaction, 'T'), 0, branch_type_name(branch));
  }
}

void append_registers(std::string& out, std::string_view whose, const abi::Registers& registers, abi::Arch arch) {
  if (registers.values.empty()) return;
  constexpr std::string_view kAbis[] = {"none", "32-bit", "64-bit"};
  const std::string_view abi = registers.abi < std::size(kAbis) ? kAbis[registers.abi] : "unknown";
  fmt::format_to(back_inserter(out), "... {} regs: mask 0x{:x} ABI {}\n", whose, registers.mask, abi);
  std::size_t next = 0;
  for (unsigned number = 0; number < 64 && next < registers.values.size(); ++number) {
    if ((registers.mask >> number & 1) == 0) continue;
    const std::string_view name = abi::register_name(arch, number);
    fmt::format_to(back_inserter(out), ".... {:<5} 0x{:016x}\n", name.empty() ? "unknown" : name,
                   registers.values[next++]);
  }
}

void append_read(std::string& out, const abi::ReadValues& read, u64 format) {
  namespace bits = abi::read_bit;
  out += "... sample_read:\n";
  if ((format & bits::TotalTimeEnabled) != 0) {
    fmt::format_to(back_inserter(out), "...... time enabled {:016x}\n", read.time_enabled);
  }
  if ((format & bits::TotalTimeRunning) != 0) {
    fmt::format_to(back_inserter(out), "...... time running {:016x}\n", read.time_running);
  }
  if ((format & bits::Group) != 0) fmt::format_to(back_inserter(out), ".... group nr {}\n", read.values.size());
  for (const abi::ReadValue& value : read.values) {
    fmt::format_to(back_inserter(out), "..... id {:016x}, value {:016x}", value.id, value.value);
    if ((format & bits::Lost) != 0) fmt::format_to(back_inserter(out), ", lost {}", value.lost);
    out += '\n';
  }
}

void append_number(std::string& out, const abi::RecordedField& field, u64 value) {
  if (field.dump.before.empty())
    fmt::format_to(back_inserter(out), "... {}: {}", field.name, field.kind == abi::NumberKind::Hex ? "0x" : "");
  else
    out += field.dump.before;
  if (field.kind == abi::NumberKind::PageSize)
    out += abi::page_size_text(value);
  else if (field.dump.hexadecimal || field.kind == abi::NumberKind::Hex)
    fmt::format_to(back_inserter(out), "{:x}", value);
  else if (field.kind == abi::NumberKind::Signed)
    fmt::format_to(back_inserter(out), "{}", static_cast<i64>(value));
  else
    fmt::format_to(back_inserter(out), "{}", value);
}

void append_numbers(std::string& out, const abi::Sample& sample, std::span<const abi::RecordedField* const> numbers) {
  bool in_line = false;
  for (const abi::RecordedField* const field : numbers) {
    if (!field->is_in(sample)) continue;
    if (in_line && !field->dump.before.starts_with(',')) out += '\n';
    append_number(out, *field, field->value(sample));
    in_line = true;
  }
  if (in_line) out += '\n';
}

}  // namespace

void append_raw_sample(std::string& out, const abi::Sample& sample, const abi::RecordView& record,
                       const RawSampleContext& context) {
  const bool has_tid = (sample.fields & bit::Tid) != 0;
  fmt::format_to(back_inserter(out), "(IP, 0x{:x}): {}/{}: {} period: {} addr: {}\n", sample.misc,
                 has_tid ? static_cast<i32>(sample.pid) : -1, has_tid ? static_cast<i32>(sample.tid) : -1,
                 prefixed_hex(sample.ip), sample.period, prefixed_hex(sample.addr));
  const bool call_stack = (context.attr.branch_sample_type & abi::branch_bit::CallStack) != 0;
  if ((sample.fields & bit::Callchain) != 0) {
    if (call_stack) append_branch_chain(out, sample);
    fmt::format_to(back_inserter(out), "... FP chain: nr:{}\n", sample.callchain.size());
    append_addresses(out, sample.callchain);
  }
  if ((sample.fields & bit::BranchStack) != 0) append_branches(out, sample, call_stack);
  if ((sample.fields & bit::RegsUser) != 0) append_registers(out, "user", sample.user_registers, context.arch);
  if ((sample.fields & bit::RegsIntr) != 0) append_registers(out, "intr", sample.interrupt_registers, context.arch);
  if ((sample.fields & bit::StackUser) != 0) {
    const auto offset = sample.user_stack.data() - record.bytes.data() - 8;  // of the 8-byte size field before the data
    fmt::format_to(back_inserter(out), "... ustack: size {}, offset 0x{:x}\n", sample.user_stack.size(), offset);
  }
  append_numbers(out, sample, context.numbers);
  if ((sample.fields & bit::Read) != 0) append_read(out, sample.read, context.attr.read_format);
}

}  // namespace peregrine
