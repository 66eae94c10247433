// KernelConfig: the settings that the running kernel was built with, and those that each of our features needs.
//
//   /proc/config.gz, or /boot/config-RELEASE ──▶ KernelConfig ──▶ missing_settings() ──▶ lines of a Kconfig fragment
//
// Modules count as present. Pure, except read_kernel_config().
#pragma once
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/root.h"

namespace peregrine {

struct KernelConfig {
  std::string path;            // where it was read
  std::set<std::string> made;  // "KPROBES": the settings that are y or m
};

// The settings of a text like a .config file.
std::set<std::string> parse_kernel_config(std::string_view text);
// Nothing if this kernel keeps no copy, or only unreadable ones.
std::optional<KernelConfig> read_kernel_config(const Root& root, const std::string& release);

// A feature and the settings that it lacks: "KPROBE_EVENTS".
struct MissingSettings {
  std::string_view feature, description;
  std::vector<std::string_view> settings;
};

// The names of all features, in the order of the fragment.
std::vector<std::string_view> kernel_features();
// `features`: their names; empty: all that suit the machine ("x86_64"). Without a config everything is missing. A
// setting appears once, with the first feature that needs it. Errors: Usage, an unknown feature.
Result<std::vector<MissingSettings>> missing_settings(const std::optional<KernelConfig>& config,
                                                      std::span<const std::string> features, std::string_view machine);

// "CONFIG_KPROBES=y" lines below a comment for each feature: input for merge_config.sh, or a .cfg file of Yocto.
std::string kconfig_fragment(std::span<const MissingSettings> missing, const std::optional<KernelConfig>& config,
                             std::string_view release);

}  // namespace peregrine
