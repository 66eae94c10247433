// What to tell people whose -e names nothing: the nearest name, who has to define it, or what it is instead.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sys/hardware/pmu.h"

namespace peregrine {

// Of hardware, software and tool events, with their aliases.
std::vector<std::string> generic_names();

// Empty when nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view before = "");

// For events that are not part of the kernel, and calls that only old kernels had. Empty for all others.
std::string undefined_event_hint(std::string_view system, std::string_view event);

std::string missing_pmu_hint(std::string_view name, const std::vector<Pmu>& pmus);

// "prog.c", "./prog.o/map:channel.event=evt/": linux-perf up to 6.4 compiled and loaded such files as BPF programs.
bool is_bpf_source(std::string_view word);
inline constexpr std::string_view kBpfSource = "sources and objects of BPF programs are not events",
                                  kInsteadOfBpf = "load it with bpftool or libbpf, then record the events that it uses";

}  // namespace peregrine
