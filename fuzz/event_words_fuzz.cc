// Arguments of -e and --pfm-events, on a system without PMUs and tracepoints, but with a processor that has named
// events.
#include "base/bytes.h"
#include "event/kind/pfm_event.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "input.h"
#include "sys/root.h"

void peregrine::fuzz_event_words(Bytes bytes) {
  static EventSources sources = [] {
    EventSources made(Root("/nonexistent"));
    made.cpuid = "GenuineIntel-6-55-7";
    return made;
  }();
  EventList list;
  static_cast<void>(parse_events(as_text(bytes), sources, list));
  static_cast<void>(parse_pfm_events(as_text(bytes), sources, list));
}
