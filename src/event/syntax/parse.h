// The -e grammar: parses text into events with their attrs.
//
//   list    := item (',' item)*                    item   := event | [NAME ':'] '{' list '}' [':' modifiers]
//   event   := software, hardware and cache names [':' modifiers] | SYSTEM ':' NAME (both may hold * ? [ ]) [':'
//   modifiers]
//            | 'mem:' (ADDR | SYMBOL ['+' OFFSET]) ['/' LEN] [':' rwx] [':' modifiers] | 'r' HEX | TYPE ':' CONFIG
//            | NAME-OF-THE-PROCESSOR'S [':' modifiers] | event ':{' modifiers (',' modifiers)* '}'
//            | (PMU | name) '/' term (',' term)* '/' [modifiers]
//   term    := KEY | KEY '=' VALUE                 modifiers: u k h G H I p P S D W e b
//
// The attrs contain what the text says (type, config, exclude bits, precise_ip, period of a tracepoint);
// record_config.h and stat_config.h add what a command needs. Accesses the system only through `sources`.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

// Appends the events of one -e argument to `list`, which is unchanged on error. The error has linux-perf's three lines
// (a title, the text, a caret under the column); its hint is the nearest valid name.
Result<> parse_events(std::string_view words, EventSources& sources, EventList& list);

enum class FilterUse { Counting, Sampling };

// Sets the filter of the last event and of those from the same -e argument (`first` is the list's size before it),
// checked against each one's fields and translated for the kernel (filter_text.h). Errors (Usage): no event, not a
// tracepoint, or an invalid filter, with a caret. Sampled events that are not tracepoints can have a sample filter
// instead (sample_filter.h).
Result<> set_filter(EventSources& sources, EventList& list, std::size_t first, std::string_view filter, FilterUse use);

// -G: binds cgroups to events, the next name to the next event; an empty name leaves its event unbound. A single name
// applies to all events so far. `given` counts the names over all uses of the option; `mount` is the cgroup mount.
// Errors (Usage): no event, or more names than events.
Result<> bind_cgroups(EventList& list, std::string_view names, std::string_view mount, std::size_t& given);

// --for-each-cgroup: repeats the whole list for each of these cgroups.
void expand_cgroups(EventList& list, std::span<const std::string> names, std::string_view mount);

// --exclude-perf: adds "common_pid != PID" to the filters of the tracepoints of the last -e argument.
Result<> exclude_process(EventList& list, std::size_t first, i32 pid);
// The same for all tracepoints that patterns matched ("*:*"), except sched:sched_switch: without some of its hits, the
// switches of other threads would not match.
void exclude_from_patterns(EventList& list, i32 pid);

}  // namespace peregrine
