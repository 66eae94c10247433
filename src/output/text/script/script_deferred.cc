// Columns that `script` shows on request only: deferred user stacks apart from their samples, and branch counters.
#include <fmt/format.h>

#include <iterator>

#include "output/text/script/script_sample.h"

namespace peregrine {
namespace {

namespace f = script_field;

}  // namespace

// Writes "\t       b00000006 (cookie) ([unknown])\n" in place of the user frames.
void ScriptSample::put_cookie(ScriptText& out, u64 cookie, u64 fields) const {
  out.room(64);
  out.put('\t');
  out.put_hex(cookie, 16);
  if ((fields & f::Sym) != 0) out.put(" (cookie)");
  if ((fields & f::Dso) != 0) out.put(" ([unknown])");
  out.put('\n');
}

void ScriptSample::put_deferred_chain(ScriptText& out, const ReplaySample& chain, u64 cookie, Resolver& resolver) {
  const ScriptEvent& event = plan_.events[chain.event];
  words_ = fmt::format("DEFERRED CALLCHAIN [cookie: {:x}]\n", cookie);
  out.room(words_.size());
  out.put(words_);
  if ((event.fields & f::Ip) != 0) put_chain(out, chain, event, resolver);
  out.room(1);
  out.put('\n');
}

// Writes " br_cntr: AA,-,B", newest branch first, if no instructions are shown.
void ScriptSample::put_counters(ScriptText& out, const ReplaySample& sample) {
  words_ = " br_cntr:";
  char before = ' ';
  for (const u64 word : sample.sample.branch_counters) {
    words_ += before;
    plan_.counters.append(words_, sample.event, word);
    before = ',';
  }
  out.room(words_.size() + 512);  // room for what follows
  out.put(words_);
}

}  // namespace peregrine
