#include "session/memory/access_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>

namespace peregrine {

namespace {

Error no_access_events() {
  return Error{ErrorKind::Unsupported, "memory events not supported"}.with_hint(
      "no PMU here samples memory accesses; VMs need support from the host");
}

}  // namespace

Result<AccessKinds> parse_access_kinds(std::string_view text) {
  AccessKinds kinds{.loads = false, .stores = false};
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word != "load" && word != "store")
      return fail(ErrorKind::Usage, "-t: invalid '{}': must be load or store", word);
    (word == "load" ? kinds.loads : kinds.stores) = true;
  }
  return kinds;
}

bool AccessRecording::lists_events() const { return std::ranges::find(events, "list") != events.end(); }

Result<std::vector<std::string>> access_event_arguments(const AccessRecording& recording,
                                                        std::span<const MemoryEvent> known, std::string_view command) {
  const std::vector<std::string>& tags = recording.events;
  std::vector<std::string> arguments;
  for (const MemoryEvent& event : known) {
    const bool chosen = tags.empty()
                            ? (event.loads && recording.kinds.loads) || (event.stores && recording.kinds.stores)
                            : std::ranges::find(tags, event.tag) != tags.end();
    if (chosen) arguments.insert(arguments.end(), {"-e", event.text});
  }
  for (const std::string& tag : tags) {
    if (std::ranges::find(known, tag, &MemoryEvent::tag) != known.end()) continue;
    if (known.empty()) return std::unexpected(no_access_events());
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown memory event '{}'", tag)}.with_hint(
        fmt::format("`perf {} -e list` lists them", command)));
  }
  if (arguments.empty()) return std::unexpected(no_access_events());
  return arguments;
}

Result<> list_access_events(std::span<const MemoryEvent> known, Sink& out) {
  for (const MemoryEvent& event : known) out.format("{:<13} : available  {}\n", event.tag, event.text);
  if (known.empty()) return std::unexpected(no_access_events());
  return {};
}

std::string access_sort_keys(const AccessRows& rows) {
  const bool loads = rows.kinds.loads;
  if (loads && !rows.physical_address && !rows.data_page_size && !rows.by_type) return {};
  std::string keys = loads ? "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked"
                           : "mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked";
  if (rows.by_type) keys = loads ? "mem,snoop,tlb,type" : "mem,tlb,type";
  if (rows.physical_address) keys += ",phys_daddr";
  if (rows.data_page_size) keys += ",data_page_size";
  return keys;
}

}  // namespace peregrine
