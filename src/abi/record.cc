#include "abi/record.h"

#include <array>

namespace peregrine::abi {

std::string_view record_type_name(RecordType type) {
  static constexpr std::array<std::string_view, 23> kKernel = {"TOTAL",
                                                               "MMAP",
                                                               "LOST",
                                                               "COMM",
                                                               "EXIT",
                                                               "THROTTLE",
                                                               "UNTHROTTLE",
                                                               "FORK",
                                                               "READ",
                                                               "SAMPLE",
                                                               "MMAP2",
                                                               "AUX",
                                                               "ITRACE_START",
                                                               "LOST_SAMPLES",
                                                               "SWITCH",
                                                               "SWITCH_CPU_WIDE",
                                                               "NAMESPACES",
                                                               "KSYMBOL",
                                                               "BPF_EVENT",
                                                               "CGROUP",
                                                               "TEXT_POKE",
                                                               "AUX_OUTPUT_HW_ID",
                                                               "CALLCHAIN_DEFERRED"};
  static constexpr std::array<std::string_view, 23> kUser = {
      "ATTR",          "EVENT_TYPE",  "TRACING_DATA",   "BUILD_ID",      "FINISHED_ROUND",  "ID_INDEX",
      "AUXTRACE_INFO", "AUXTRACE",    "AUXTRACE_ERROR", "THREAD_MAP",    "CPU_MAP",         "STAT_CONFIG",
      "STAT",          "STAT_ROUND",  "EVENT_UPDATE",   "TIME_CONV",     "FEATURE",         "COMPRESSED",
      "FINISHED_INIT", "COMPRESSED2", "BPF_METADATA",   "SCHEDSTAT_CPU", "SCHEDSTAT_DOMAIN"};
  const u32 number = static_cast<u32>(type);
  if (number > 0 && number < kKernel.size()) return kKernel[number];
  if (number >= 64 && number - 64 < kUser.size()) return kUser[number - 64];
  return "UNKNOWN";
}

bool is_unknown(RecordType type) {
  return !is_simpleperf(static_cast<u32>(type)) && record_type_name(type) == "UNKNOWN";
}

}  // namespace peregrine::abi
