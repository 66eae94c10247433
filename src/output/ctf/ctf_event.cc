#include "output/ctf/ctf_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_value.h"

namespace peregrine {

namespace {

namespace bit = abi::sample_bit;
using Kind = CtfField::Kind;

// Longer arrays are written as sequences, with as many elements as the record has.
constexpr u32 kLongestArray = 1024;

// Plans how a field is written: numbers as 32 or 64 bits, character arrays as text, arrays of unknown or excessive
// length as sequences.
CtfPayloadField payload_field(const TraceField& field) {
  CtfPayloadField made{.field = field, .element = field.element_size(), .length = field.array_length};
  const auto is_of = [&](std::string_view type) { return field.type.find(type) != std::string::npos; };
  const bool dynamic = field.is_data_loc || field.is_rel_loc;
  if (field.is_array && !field.is_pointer && (is_of("char") || is_of("u8") || is_of("s8"))) {
    made.kind = Kind::Text;
  } else if (dynamic || (field.is_array && (field.array_length == 0 || field.array_length > kLongestArray))) {
    made.kind = Kind::Sequence;
    if (field.type == "cpumask_t") made.element = 8;  // a __data_loc with as many longs as the mask needs
  } else if (field.is_array) {
    made.kind = Kind::Array;
  }
  made.wide = made.element > 4;
  return made;
}

CtfField class_field(const CtfPayloadField& payload) {
  const TraceField& field = payload.field;
  const bool is_long = field.type.find("long") != std::string::npos || field.type == "cpumask_t";
  return {.name = field.name,
          .kind = payload.kind,
          .wide = payload.wide,
          .is_signed = field.is_signed,
          .hexadecimal = !field.is_signed && (field.is_pointer || is_long),
          .length = payload.length,
          .count_name = "_" + field.name + "_length"};
}

void put_number(u64 value, bool wide, CtfStream& out) {
  if (wide) {
    out.put64(value);
  } else {
    out.put32(static_cast<u32>(value));
  }
}

void put_elements(const CtfPayloadField& payload, Bytes bytes, u32 count, ByteOrder order, CtfStream& out) {
  for (u32 i = 0; i < count; ++i) {
    const u64 value = load_number(bytes, u64{i} * payload.element, payload.element, order);
    put_number(payload.field.is_signed ? extend_sign(value, payload.element) : value, payload.wide, out);
  }
}

void put_payload(const CtfPayloadField& payload, Bytes record, ByteOrder order, CtfStream& out) {
  switch (payload.kind) {
    case Kind::Integer:
      put_number(number_of(payload.field, record, order), payload.wide, out);
      break;
    case Kind::Text:
      out.put_text(text_of(payload.field, record, order));
      break;
    case Kind::Array:
      put_elements(payload, bytes_of(payload.field, record, order), payload.length, order, out);
      break;
    case Kind::Sequence: {
      const Bytes bytes = bytes_of(payload.field, record, order);
      const u32 count = payload.element == 0 ? 0 : static_cast<u32>(bytes.size() / payload.element);
      out.put32(count);
      put_elements(payload, bytes, count, order, out);
    }
  }
}

// Writes 32-bit words; the last one is padded with zeroes.
void put_raw(Bytes raw, ByteOrder order, CtfStream& out) {
  const std::size_t words = (raw.size() + 3) / 4;
  out.put32(static_cast<u32>(words));
  for (std::size_t i = 0; i < words; ++i) {
    std::array<std::byte, 4> word{};
    const Bytes part = raw.subspan(i * 4, std::min<std::size_t>(4, raw.size() - i * 4));
    std::ranges::copy(part, word.begin());
    out.put32(load<u32>(word.data(), order));
  }
}

bool sends_bpf_output(const abi::EventAttr& attr) {
  return attr.type == static_cast<u32>(abi::EventType::Software) &&
         attr.config == static_cast<u64>(abi::SoftwareEvent::BpfOutput);
}

}  // namespace

std::pair<CtfSamplePlan, CtfEventClass> make_sample_plan(u32 id, std::string name, const abi::EventAttr& attr,
                                                         const TraceFormat* format, ByteOrder order,
                                                         std::span<const abi::RecordedField> numbers) {
  CtfSamplePlan plan{.id = id, .fields = attr.sample_type, .order = order};
  CtfEventClass made{.id = id, .name = std::move(name)};
  for (const abi::RecordedField* const field : abi::in_turn<&abi::RecordedField::ctf>(numbers)) {
    if ((attr.sample_type & (field->ctf.bits != 0 ? field->ctf.bits : field->bits)) == 0) continue;
    plan.numbers.push_back(field);
    made.fields.push_back({.name = fmt::format("perf_{}", field->name),
                           .wide = field->width > 4,
                           .is_signed = field->kind == abi::NumberKind::Signed,
                           .hexadecimal = field->ctf.hexadecimal});
  }
  const auto add_sequence = [&](std::string_view sequence, std::string_view count, bool wide) {
    made.fields.push_back({.name = std::string(sequence),
                           .kind = Kind::Sequence,
                           .wide = wide,
                           .hexadecimal = true,
                           .count_name = std::string(count)});
  };
  if ((attr.sample_type & bit::Callchain) != 0) add_sequence("perf_callchain", "perf_callchain_size", true);
  const bool is_tracepoint = attr.type == static_cast<u32>(abi::EventType::Tracepoint);
  if (is_tracepoint && format != nullptr) {
    for (const auto* list : {&format->common, &format->fields, &format->masks})
      for (const TraceField& field : *list) plan.payload.push_back(payload_field(field));
    for (const CtfPayloadField& payload : plan.payload) made.fields.push_back(class_field(payload));
  } else if ((attr.sample_type & bit::Raw) != 0 && (is_tracepoint || sends_bpf_output(attr))) {
    plan.raw = true;
    add_sequence("raw_data", "raw_len", false);
  }
  name_fields(made);
  return {std::move(plan), std::move(made)};
}

void put_sample(const CtfSamplePlan& plan, const abi::Sample& sample, CtfStream& out) {
  for (const abi::RecordedField* const field : plan.numbers) put_number(field->value(sample), field->width > 4, out);
  if ((plan.fields & bit::Callchain) != 0) {
    out.put32(static_cast<u32>(sample.callchain.size()));
    for (const u64 address : sample.callchain) out.put64(address);
  }
  for (const CtfPayloadField& payload : plan.payload) put_payload(payload, sample.raw, plan.order, out);
  if (plan.raw) put_raw(sample.raw, plan.order, out);
}

std::vector<CtfEventClass> side_band_classes(u32 first_id) {
  const CtfField pid{.name = "pid"}, tid{.name = "tid"}, parent{.name = "ppid"}, parent_tid{.name = "ptid"};
  const CtfField time{.name = "time", .wide = true}, start{.name = "start", .wide = true, .hexadecimal = true};
  const CtfField comm{.name = "comm", .kind = Kind::Text}, file{.name = "filename", .kind = Kind::Text};
  return {{first_id, "perf_comm", {pid, tid, comm}},
          {first_id + 1, "perf_exit", {pid, parent, tid, parent_tid, time}},
          {first_id + 2, "perf_fork", {pid, parent, tid, parent_tid, time}},
          {first_id + 3, "perf_mmap", {pid, tid, start, file}},
          {first_id + 4, "perf_mmap2", {pid, tid, start, file}}};
}

std::optional<u32> side_band_class(const abi::SideBand& record) {
  if (std::holds_alternative<abi::CommRecord>(record.body)) return 0;
  if (std::holds_alternative<abi::ExitRecord>(record.body)) return 1;
  if (std::holds_alternative<abi::ForkRecord>(record.body)) return 2;
  if (const auto* mmap = std::get_if<abi::MmapRecord>(&record.body)) return mmap->version2 ? 4 : 3;
  return std::nullopt;
}

void put_side_band(const abi::SideBand& record, CtfStream& out) {
  const auto put_task = [&](const auto& task) {
    out.put32(task.pid);
    out.put32(task.parent_pid);
    out.put32(task.tid);
    out.put32(task.parent_tid);
    out.put64(task.time);
  };
  if (const auto* comm = std::get_if<abi::CommRecord>(&record.body)) {
    out.put32(comm->pid);
    out.put32(comm->tid);
    out.put_text(comm->comm);
  } else if (const auto* exited = std::get_if<abi::ExitRecord>(&record.body)) {
    put_task(*exited);
  } else if (const auto* forked = std::get_if<abi::ForkRecord>(&record.body)) {
    put_task(*forked);
  } else if (const auto* mmap = std::get_if<abi::MmapRecord>(&record.body)) {
    out.put32(mmap->pid);
    out.put32(mmap->tid);
    out.put64(mmap->start);
    out.put_text(mmap->filename);
  }
}

}  // namespace peregrine
