#include "output/html/page_json.h"

#include "output/text/format/printable.h"

namespace peregrine {

std::string page_text(std::string_view text) { return is_printable(text) ? std::string(text) : printable(text); }

std::string page_lines(std::string_view text) { return without_controls(text); }

void write_facts(JsonDocument& json, const std::vector<std::pair<std::string, std::string>>& facts) {
  json.line().array("facts", [&] {
    for (const auto& [name, fact] : facts) json.array([&] { json.value(page_text(name)).value(page_text(fact)); });
  });
}

void write_stacks(JsonDocument& json, const StackProfile& profile) {
  json.array("texts", [&] {
    for (const std::string& text : profile.texts) json.value(page_text(text));
  });
  json.line().object("frames", [&] {
    json_column(json, "name", profile.frames, [](const StackFrame& frame) { return frame.name; });
    json_column(json, "dso", profile.frames, [](const StackFrame& frame) { return frame.dso; });
    json_column(json, "kind", profile.frames, [](const StackFrame& frame) { return static_cast<u64>(frame.kind); });
  });
  json.line().object("stacks", [&] {
    json_steps(json, "parent", profile.stacks, [](const Stack& stack) { return stack.parent; });
    json_column(json, "frame", profile.stacks, [](const Stack& stack) { return stack.frame; });
  });
  json.line().object("time", [&] {
    json.member("start", profile.start).member("length", profile.slot_length).member("slots", profile.slots);
  });
}

}  // namespace peregrine
