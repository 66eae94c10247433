// The rows of the record types: everything known about a type except its text. A new type is one row here with the
// decoder that it names, one in the table of its text (output/text/dump/record_text.cc), and one in
// tests/support/records.cc, by which tests write it.
//
// ROW(enumerator, number, name, kind, decoder, traits)
//   number   as in the record's header; ascending
//   name     as linux-perf prints it behind PERF_RECORD_
//   kind     who decodes the body:
//              SIDE_BAND  side_band_DECODER() in side_band.cc
//              SESSION    session_DECODER() in session_record.cc
//              PLAIN      others: abi/sample, data/header, data/stream; or there is no body
//   traits   what rewriters must know (record_trait), or 0
//
// Decoders read through ByteReader, which knows the byte order, so no record is ever swapped in place. Copies keep the
// bytes of a record; capture/synthesis encodes the few that a recording starts with.
//
// A macro, because the enumerators, the declarations of the decoders and the table must all be made from one list.
#pragma once
#include "base/types.h"

// clang-format off
#define PEREGRINE_RECORD_ROWS(ROW)                                                        \
  ROW(Mmap, 1, "MMAP", SIDE_BAND, mmap, 0)                                                \
  ROW(Lost, 2, "LOST", SIDE_BAND, lost, NoAddresses)                                      \
  ROW(Comm, 3, "COMM", SIDE_BAND, comm, NoAddresses)                                      \
  ROW(Exit, 4, "EXIT", SIDE_BAND, exit, NoAddresses)                                      \
  ROW(Throttle, 5, "THROTTLE", SIDE_BAND, throttle, NoAddresses)                          \
  ROW(Unthrottle, 6, "UNTHROTTLE", SIDE_BAND, throttle, NoAddresses)                      \
  ROW(Fork, 7, "FORK", SIDE_BAND, fork, NoAddresses)                                      \
  ROW(Read, 8, "READ", SIDE_BAND, read, NoAddresses)                                      \
  ROW(Sample, 9, "SAMPLE", PLAIN, , 0)                                                    \
  ROW(Mmap2, 10, "MMAP2", SIDE_BAND, mmap2, 0)                                            \
  ROW(Aux, 11, "AUX", SIDE_BAND, aux, NoAddresses)                                        \
  ROW(ItraceStart, 12, "ITRACE_START", SIDE_BAND, itrace_start, NoAddresses)              \
  ROW(LostSamples, 13, "LOST_SAMPLES", SIDE_BAND, lost_samples, NoAddresses)              \
  ROW(Switch, 14, "SWITCH", SIDE_BAND, switch, NoAddresses)                               \
  ROW(SwitchCpuWide, 15, "SWITCH_CPU_WIDE", SIDE_BAND, switch_cpu_wide, NoAddresses)      \
  ROW(Namespaces, 16, "NAMESPACES", SIDE_BAND, namespaces, NoAddresses)                   \
  ROW(Ksymbol, 17, "KSYMBOL", SIDE_BAND, ksymbol, 0)                                      \
  ROW(BpfEvent, 18, "BPF_EVENT", SIDE_BAND, bpf_event, NoAddresses)                       \
  ROW(Cgroup, 19, "CGROUP", SIDE_BAND, cgroup, NoAddresses)                               \
  ROW(TextPoke, 20, "TEXT_POKE", SIDE_BAND, text_poke, 0)                                 \
  ROW(AuxOutputHwId, 21, "AUX_OUTPUT_HW_ID", SIDE_BAND, aux_output_hw_id, NoAddresses)    \
  ROW(CallchainDeferred, 22, "CALLCHAIN_DEFERRED", SIDE_BAND, callchain_deferred, 0)      \
  ROW(HeaderAttr, 64, "ATTR", PLAIN, , NoAddresses | OfTheHeader)                         \
  ROW(HeaderEventType, 65, "EVENT_TYPE", PLAIN, , NoAddresses | OfTheHeader)              \
  ROW(HeaderTracingData, 66, "TRACING_DATA", PLAIN, , OfTheHeader)                        \
  ROW(HeaderBuildId, 67, "BUILD_ID", PLAIN, , NoAddresses | OfTheHeader)                  \
  ROW(FinishedRound, 68, "FINISHED_ROUND", PLAIN, , NoAddresses)                          \
  ROW(IdIndex, 69, "ID_INDEX", SESSION, id_index, NoAddresses)                            \
  ROW(AuxtraceInfo, 70, "AUXTRACE_INFO", SESSION, auxtrace_type, 0)                       \
  ROW(Auxtrace, 71, "AUXTRACE", SESSION, auxtrace, 0)                                     \
  ROW(AuxtraceError, 72, "AUXTRACE_ERROR", SESSION, auxtrace_error, 0)                    \
  ROW(ThreadMap, 73, "THREAD_MAP", SESSION, thread_map, NoAddresses)                      \
  ROW(CpuMap, 74, "CPU_MAP", SESSION, cpu_map, NoAddresses)                               \
  ROW(StatConfig, 75, "STAT_CONFIG", SESSION, stat_config, NoAddresses)                   \
  ROW(Stat, 76, "STAT", SESSION, stat, NoAddresses)                                       \
  ROW(StatRound, 77, "STAT_ROUND", SESSION, stat_round, NoAddresses)                      \
  ROW(EventUpdate, 78, "EVENT_UPDATE", SESSION, event_update, NoAddresses)                \
  ROW(TimeConv, 79, "TIME_CONV", SESSION, time_conv, NoAddresses)                         \
  ROW(HeaderFeature, 80, "FEATURE", PLAIN, , OfTheHeader)                                 \
  ROW(Compressed, 81, "COMPRESSED", PLAIN, , 0)                                           \
  ROW(FinishedInit, 82, "FINISHED_INIT", PLAIN, , NoAddresses)                            \
  ROW(Compressed2, 83, "COMPRESSED2", PLAIN, , 0)                                         \
  ROW(BpfMetadata, 84, "BPF_METADATA", SESSION, bpf_metadata, NoAddresses)                \
  ROW(SchedstatCpu, 85, "SCHEDSTAT_CPU", SESSION, schedstat_cpu, NoAddresses)             \
  ROW(SchedstatDomain, 86, "SCHEDSTAT_DOMAIN", SESSION, schedstat_domain, NoAddresses)
// clang-format on

namespace peregrine::abi {

// PERF_RECORD_*: the kernel's are below 64, the perf tool's start at 64. Unknown numbers are valid values.
enum class RecordType : u32 {
  UserTypeStart = 64,
#define PEREGRINE_ENUMERATOR(type, number, name, kind, decoder, traits) type = (number),
  PEREGRINE_RECORD_ROWS(PEREGRINE_ENUMERATOR)
#undef PEREGRINE_ENUMERATOR
};

namespace record_trait {
inline constexpr unsigned NoAddresses = 1;  // has no address field: kept as it is by a copy without addresses
inline constexpr unsigned OfTheHeader = 2;  // describes the recording in a pipe; a file has a section instead
}  // namespace record_trait

}  // namespace peregrine::abi
