// LiveSettings: settings that people can change while a live profile is shown as text, and the keys for them.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "output/text/report/top_page.h"

namespace peregrine {

struct LiveSettings {
  unsigned delay = 2;        // seconds between refreshes
  unsigned entries = 0;      // rows; 0: as many as fit
  u64 least_samples = 0;     // hide rows with fewer samples
  double least_percent = 0;  // likewise
  bool hide_kernel = false, hide_user = false;
  bool zero = false;      // each refresh shows only what is new
  std::string annotated;  // the function shown below the rows; empty: none
};

// For the help on keys: each key with its current value.
std::vector<TopKey> live_keys(const LiveSettings& settings);
bool is_live_key(char key);

// Prompts for a value and returns the typed line.
using AskLine = std::function<Result<std::string>(std::string_view question)>;
// Applies a key. Invalid answers leave the settings unchanged. False: quit.
Result<bool> apply_live_key(char key, LiveSettings& settings, const AskLine& ask);

}  // namespace peregrine
