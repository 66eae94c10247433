// Events that never fire: their samples are written by the recorder, from what BPF programs saw. linux-perf calls such
// events BPF output.
#pragma once
#include <string_view>

#include "base/types.h"
#include "event/spec.h"

namespace peregrine {

// `record --file-names`: the payload of a sample is abi/bpf_output/opened_file.h.
inline constexpr std::string_view kFileNamesEvent = "file-names";

void add_bpf_output_event(EventList& list, std::string_view name);
bool is_bpf_output_event(const EventSpec& spec, std::string_view name);
// Call after configure_for_record: samples have `required` fields, and of the others only those in `possible`.
void settle_bpf_output_event(EventSpec& spec, u64 possible, u64 required);
// The same with the fields that a file's name can have.
void settle_file_names_event(EventSpec& spec);

}  // namespace peregrine
