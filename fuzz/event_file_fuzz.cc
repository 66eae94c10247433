// A user's JSON file of events.
#include "base/bytes.h"
#include "event/vendor/event_file.h"
#include "input.h"

void peregrine::fuzz_event_file(Bytes bytes) { static_cast<void>(parse_event_file(as_text(bytes), "mine.json")); }
