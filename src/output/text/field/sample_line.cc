#include "output/text/field/sample_line.h"

#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "output/text/field/script_field_rows.h"

namespace peregrine {

void LineState::take_line_kinds() {
  frames.clear();
  using Place = SourceTable::Place;
  SourceTable* const table = plan.sources;
  for (const u64 kind : plan.line_kinds) {
    frames.push_back({ScriptFrames(kind, {table, false, Place::Exact}), ScriptFrames(kind, {table, true, Place::Exact}),
                      ScriptFrames(kind, {table, true, Place::Return})});
  }
}

ScriptCode& LineState::code_of(const Resolver& resolver) {
  if (!code) code.emplace(resolver.machine().dsos(), plan.sources, plan.mnemonics);
  return *code;
}

std::string_view SampleLine::place_of_address() {
  namespace f = script_field;
  const Frame& frame = frame_anywhere(resolver, replayed, sample.addr);
  std::string& words = state.words;
  words.clear();
  if (has(f::Sym)) {
    words += ' ';
    append_symbol(words, resolver, frame, has(f::SymOff));
  }
  if (has(f::Dso)) {
    words += " (";
    append_dso(words, resolver, frame, has(f::DsoOff));
    words += ')';
  }
  return words;
}

}  // namespace peregrine
