// The -e grammar: words → events with their attrs.
//
//   list    := item (',' item)*                    item   := event | [NAME ':'] '{' list '}' [':' modifiers]
//   event   := software, hardware and cache names [':' modifiers] | SYSTEM ':' NAME (both may hold * ? [ ]) [':'
//   modifiers]
//            | 'mem:' (ADDR | SYMBOL ['+' OFFSET]) ['/' LEN] [':' rwx] [':' modifiers] | 'r' HEX | TYPE ':' CONFIG
//            | NAME-OF-THE-PROCESSOR'S [':' modifiers] | event ':{' modifiers (',' modifiers)* '}'
//            | (PMU | name) '/' term (',' term)* '/' [modifiers]
//   term    := KEY | KEY '=' VALUE                 modifiers: u k h G H I p P S D W e b
//
// The attrs hold what the words say (type, config, exclude bits, precise_ip, period of a tracepoint); record_config.h
// and stat_config.h add what a command wants. Reads only through `sources`.
#pragma once
#include <span>
#include <string_view>

#include "base/result.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

// Appends the events of one -e word to `list`. On error the list is as before. The error's message is the three lines
// linux-perf prints (a title, the text, a caret under the column), its hint the nearest name that would have been
// right.
Result<> parse_events(std::string_view words, EventSources& sources, EventList& list);

enum class FilterUse { Counting, Sampling };

// Sets the filter of the last event and of those that came from the same -e word (`first` is the list's size before
// it), checked against the fields of each and written as the kernel takes it (filter_text.h). Errors (Usage): no event,
// one that is no tracepoint, a mistake in the filter with a caret under it. Events that are no tracepoints can have a
// filter of their samples instead (sample_filter.h), if they are to be sampled.
Result<> set_filter(EventSources& sources, EventList& list, std::size_t first, std::string_view filter, FilterUse use);

// -G: binds control groups to events, the next name to the next event; an empty name leaves its event without. A single
// name holds for every event so far. `given` counts the names over all uses of the option, `mount` is where the
// groups' folders are. Errors (Usage): no event, or more names than events.
Result<> bind_cgroups(EventList& list, std::string_view names, std::string_view mount, std::size_t& given);

// --for-each-cgroup: the whole list once for each of these groups, one group after the other.
void expand_cgroups(EventList& list, std::span<const std::string> names, std::string_view mount);

// --exclude-perf: adds "common_pid != PID" to the filter of the tracepoints of the last -e word.
Result<> exclude_process(EventList& list, std::size_t first, i32 pid);

}  // namespace peregrine
