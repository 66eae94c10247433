// The code that a sample hit: its address, or its call chain on separate lines.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "abi/sample.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/sample_line.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/deferred_chains.h"
#include "pipeline/replay/replay.h"

namespace peregrine {
namespace {

void put_own_address(SampleLine& line) {
  ScriptText& out = line.out;
  const ScriptAddresses shown = line.state.plan.shown_addresses;
  out.put(' ');
  if (shown != ScriptAddresses::Relative) out.put_hex(line.sample.ip, 16);
  if (shown != ScriptAddresses::Relative && shown != ScriptAddresses::Both) return;
  if (shown == ScriptAddresses::Both) out.put(' ');
  const FrameId frame = line.resolver.frame(line.replayed.context, line.sample.ip, line.sample.cpumode());
  out.put_hex(line.resolver.at(frame).address, 16);
}

// Writes "\t       b00000006 (cookie) ([unknown])\n" in place of the user frames.
void put_cookie(SampleLine& line, u64 cookie) {
  ScriptText& out = line.out;
  out.room(64);
  out.put('\t');
  out.put_hex(cookie, 16);
  if (line.has(script_field::Sym)) out.put(" (cookie)");
  if (line.has(script_field::Dso)) out.put(" ([unknown])");
  out.put('\n');
}

}  // namespace

void field_text::code(SampleLine& line) {
  if (line.event.callchain) {
    line.out.put('\n');
    put_chain(line);
    return;
  }
  put_own_address(line);
  const u32 kind = line.event.line_kind;
  if (line.state.plan.line_kinds[kind] == 0) return;
  const FrameId frame = line.resolver.frame(line.replayed.context, line.sample.ip, line.sample.cpumode());
  line.state.frames[kind].plain.put_tail(line.out, line.resolver, frame);
}

// Addresses of unwound frames are inside the call instruction. Those of recorded chains are return addresses after it,
// except for the innermost frame and the frame that entered the kernel.
void put_chain(SampleLine& line) {
  const ReplaySample& replayed = line.replayed;
  const abi::Sample& sample = line.sample;
  const ScriptPlan& plan = line.state.plan;
  Resolver& resolver = line.resolver;
  LineState::KindFrames& lines = line.state.frames[line.event.line_kind];
  std::vector<FrameId>& chain = line.state.chain;
  std::vector<u64>& ips = line.state.chain_ips;
  const std::optional<u64> cookie = plan.merges_chains ? std::nullopt : deferred_cookie(sample.callchain);
  chain.clear();
  ips.clear();
  const bool plain_addresses =
      plan.shown_addresses == ScriptAddresses::AsPerf || plan.shown_addresses == ScriptAddresses::Relative;
  const auto recorded_chain = sample.callchain.first(sample.callchain.size() - (cookie ? 2 : 0));
  resolver.chain(replayed.context, recorded_chain, replayed.unwound ? ~0u : plan.max_stack, chain,
                 plain_addresses ? nullptr : &ips);
  const auto put_frame = [&](ScriptFrames& frames, std::size_t i) {
    if (plain_addresses)
      frames.put_line(line.out, resolver, chain[i]);
    else
      frames.put_line_at(line.out, resolver, chain[i], ips[i], plan.shown_addresses);
  };
  const bool recorded = plan.inlines == ScriptInlines::Always && plan.sources != nullptr;
  const bool unwound = replayed.unwound && plan.inlines != ScriptInlines::Never && plan.sources != nullptr;
  bool user_before = false;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const FrameId frame = chain[i];
    if (!recorded && !unwound) {
      put_frame(lines.plain, i);
    } else {
      const bool user = resolver.at(frame).kind == FrameKind::User;
      const bool exact = i == 0 || (user && (unwound || !user_before));
      if (unwound && !user && !recorded)
        put_frame(lines.plain, i);
      else
        put_frame(exact ? lines.exact : lines.caller, i);
      user_before = user;
    }
    if (!plan.stop_at.empty() && std::find(plan.stop_at.begin(), plan.stop_at.end(),
                                           resolver.symbol_name(resolver.at(frame))) != plan.stop_at.end()) {
      return;
    }
  }
  if (cookie) put_cookie(line, *cookie);
}

}  // namespace peregrine
