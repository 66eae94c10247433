// The words behind -e. The sources are an empty system: no PMU, no tracepoint.
#include "event/parse.h"
#include "input.h"

void peregrine::fuzz_event_words(Bytes bytes) {
  EventSources sources(Root("/nonexistent"));
  EventList list;
  if (!parse_events(as_text(bytes), sources, list)) return;
}
