// Branch stacks: -F brstack, brstacksym, brstackoff.

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

#include "abi/sample.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/sample_line.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_values.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {
namespace {

namespace f = script_field;

// Writes "/P/-/-/3/RET ": prediction, transaction, abort, cycles, kind.
void put_flags(ScriptText& out, const abi::BranchEntry& branch) {
  out.put('/');
  out.put(branch.mispredicted ? 'M' : branch.predicted ? 'P' : '-');
  out.put('/');
  out.put(branch.in_transaction ? 'X' : '-');
  out.put('/');
  out.put(branch.abort ? 'A' : '-');
  out.put('/');
  out.put_decimal(branch.cycles);
  out.put('/');
  out.put(branch_type_name(branch));
  out.put(' ');
}

// Writes one end of a branch in the requested form, followed by its dso.
struct EndWriter {
  const ReplaySample& sample;
  Resolver& resolver;
  u64 fields;
  std::string& words;

  void symbol(ScriptText& out, u64 address) {
    const Frame& frame = frame_anywhere(resolver, sample, address);
    words.clear();
    append_symbol(words, resolver, frame, true);
    append_dso(frame);
    finish(out);
  }
  void address(ScriptText& out, u64 address) {
    words.clear();
    fmt::format_to(std::back_inserter(words), "0x{:x}", address);
    if ((fields & f::Dso) != 0) append_dso(frame_anywhere(resolver, sample, address));
    finish(out);
  }
  void offset(ScriptText& out, u64 address) {
    const Frame& frame = frame_anywhere(resolver, sample, address);
    words.clear();
    u64 place = frame.address;
    if (frame.kind == FrameKind::Kernel) place = resolver.kernel_offset(sample.context, address);
    fmt::format_to(std::back_inserter(words), "0x{:x}", place);
    append_dso(frame);
    finish(out);
  }
  void append_dso(const Frame& frame) {
    if ((fields & f::Dso) != 0) {
      words += '(';
      peregrine::append_dso(words, resolver, frame, (fields & f::DsoOff) != 0);
      words += ')';
    }
  }
  void finish(ScriptText& out) {
    out.room(words.size() + 64);
    out.put(words);
  }
};

}  // namespace

// Prints the first of the three fields that is requested.
void field_text::branches(SampleLine& line) {
  ScriptText& out = line.out;
  EndWriter ends{line.replayed, line.resolver, line.event.fields, line.state.words};
  const auto put_all = [&](auto put_end, std::string_view before) {
    for (const abi::BranchEntry& branch : line.sample.branches) {
      out.room(64);
      out.put(before);
      put_end(branch.from);
      out.put('/');
      put_end(branch.to);
      put_flags(out, branch);
    }
  };
  if (line.has(f::BrStack)) {
    put_all([&](u64 address) { ends.address(out, address); }, " ");
  } else if (line.has(f::BrStackSym)) {
    put_all([&](u64 address) { ends.symbol(out, address); }, "");
  } else if (line.has(f::BrStackOff)) {
    put_all([&](u64 address) { ends.offset(out, address); }, " ");
  }
}

}  // namespace peregrine
