// The kernel's explanations of why it rejected a filter or a trigger (error_log), and the triggers that it knows.
//
//   [15778.379753] event filter parse error: error: Field not found
//     Command: foo == 3
//              ^
// Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peregrine {

// The last explanation of a log, with the caret below the text: "Field not found\n  foo == 3\n  ^"; empty without one.
std::string last_complaint(std::string_view log);

struct MissingTrigger {
  std::string name;  // "hist"
  std::vector<std::string> available;
};
// Set if this kernel lacks the trigger. `listed`: the event's `trigger` file, which names the available ones while the
// event has no trigger.
std::optional<MissingTrigger> missing_trigger(std::string_view trigger, std::string_view listed);

}  // namespace peregrine
