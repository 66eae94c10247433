// Texts about probes from users and the kernel: definitions, line ranges, name filters, SDT operands, lines of
// uprobe_events (which must be parsed and written back unchanged), BTF.
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "input.h"
#include "probe/definition/definition.h"
#include "probe/definition/name_filter.h"
#include "probe/definition/trace_probe.h"
#include "probe/registry/probe_cache.h"
#include "probe/registry/sdt_note.h"
#include "probe/type/btf_types.h"
#include "probe/type/type_source.h"

void peregrine::fuzz_probe_words(Bytes bytes) {
  const std::string_view text = as_text(bytes);
  std::size_t used = 0;
  if (const auto definition = parse_probe(text)) {
    used += definition->place.text().size();
    for (const ProbeArgument& argument : definition->arguments) used += argument.text().size();
  }
  if (const auto range = parse_line_range(text)) used += range->first;
  if (const auto filter = NameFilter::parse(text)) used += filter->accepts("main") ? 1 : 0;
  for (const u16 machine : {EM_X86_64, EM_AARCH64, EM_RISCV})
    if (const auto operand = sdt_argument(text, 1, machine)) used += operand->value.size();
  for (const CachedProbe& entry : parse_cached_probes(text)) used += entry.definition.size();
  if (const auto probe = TraceProbe::parse(text)) {
    const auto again = TraceProbe::parse(probe->format());
    if (!again || again->format() != probe->format()) std::abort();
  }
  if (const auto types = BtfTypes::parse(std::string(text), "input")) {
    for (u64 number = 0; number < std::min<std::size_t>(types->type_count(), 1000); ++number) {
      const TypeRef type{&*types, number, true};
      used += types->text(type).size() + types->shape(type).size.value_or(0) + types->members(type).size();
    }
    if (const auto parameters = types->parameters("f")) used += parameters->size();
  }
  static_cast<void>(used);
}
