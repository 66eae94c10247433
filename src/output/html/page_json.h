// page_json: how the pages' data is written as JSON: texts that are safe to show, columns of numbers, and stacks.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/picture/stack_profile.h"
#include "base/types.h"
#include "output/json/json_document.h"

namespace peregrine {

// Strings from the recording may contain any bytes. Control characters are shown as escapes and never reach the page.
std::string page_text(std::string_view text);
// For text with several lines: keeps newlines and tabs.
std::string page_lines(std::string_view text);

// Writes "name":[…] with value(item) for each item.
template <class Items, class Value>
void json_column(JsonDocument& json, std::string_view name, const Items& items, const Value& value) {
  json.array(name, [&] {
    for (const auto& item : items) json.value(u64{value(item)});
  });
}

// Writes the difference of each value from the one before, which compresses better.
template <class Items, class Value>
void json_steps(JsonDocument& json, std::string_view name, const Items& items, const Value& value) {
  u64 last = 0;
  json.array(name, [&] {
    for (const auto& item : items) {
      const u64 own = value(item);
      json.value(static_cast<i64>(own - std::exchange(last, own)));
    }
  });
}

// The member facts: [label, text] of each.
void write_facts(JsonDocument& json, const std::vector<std::pair<std::string, std::string>>& facts);

// The members texts, frames, stacks and time, as html/page/model.js reads them.
void write_stacks(JsonDocument& json, const StackProfile& profile);

}  // namespace peregrine
