// Hints for an unknown -e event: the nearest name, who must define it, or what it really is.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/hardware/pmu.h"

namespace peregrine {

// Names and aliases of hardware, software and tool events.
std::vector<std::string> generic_names();

// The nearest candidate, in upper or lower case.
std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// Empty if nothing is similar.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view before = "");

// For events outside the kernel, and system calls that only old kernels have; otherwise empty.
std::string undefined_event_hint(std::string_view system, std::string_view event);

// The nearest PMU, or all of them.
std::string missing_pmu_hint(std::string_view name, const std::vector<Pmu>& pmus);

// "prog.c", "./prog.o/map:channel.event=evt/": linux-perf up to 6.4 compiled and loaded such files as BPF programs.
bool is_bpf_source(std::string_view word);
inline constexpr std::string_view kBpfSource = "BPF sources and object files are not events",
                                  kInsteadOfBpf = "load it with bpftool or libbpf, then record the events it uses";

}  // namespace peregrine
