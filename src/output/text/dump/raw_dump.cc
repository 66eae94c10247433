#include "output/text/dump/raw_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "data/header/recorded_arch.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "output/text/dump/raw_dump_sample.h"
#include "output/text/dump/record_text.h"
#include "output/text/dump/script_records.h"
#include "output/text/field/script_values.h"
#include "output/text/format/hex_text.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

using abi::RecordType;
using std::back_inserter;
constexpr std::string_view kHexDigits = "0123456789abcdef";

// Prints sixteen bytes per line, in hexadecimal and as characters. Most of a dump consists of these lines, so each is
// filled in place.
void put_bytes(std::string& text, Bytes bytes) {
  constexpr std::size_t kWidth = 16;
  fmt::format_to(back_inserter(text), ".\n. ... raw event: size {} bytes\n", bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += kWidth) {
    const Bytes row = bytes.subspan(at, std::min(kWidth, bytes.size() - at));
    text += ".  ";
    append_hex(text, at, 4);
    text += ": ";
    const std::size_t begin = text.size();
    text.append(kWidth * 3 + 2 + kWidth, ' ');
    char* digits = text.data() + begin;
    char* characters = digits + kWidth * 3 + 2;
    for (const std::byte byte : row) {
      const auto value = static_cast<unsigned char>(byte);
      digits[1] = kHexDigits[value >> 4];
      digits[2] = kHexDigits[value & 15];
      digits += 3;
      *characters++ = value >= ' ' && value <= '~' ? static_cast<char>(value) : '.';
    }
    text += '\n';
  }
  text += '\n';
}

}  // namespace

RawDump::RawDump(const data::Reader& reader, std::vector<std::string> names, Command command, bool by_time)
    : evlist_(reader.evlist()),
      names_(std::move(names)),
      path_(reader.path()),
      command_(command),
      by_time_(by_time),
      arch_(abi::kHostArch) {
  if (reader.header().layout == data::Layout::Pipe) {
    path_ = "pipe";
    start_ = reader.header().header_size;
  } else {
    for (const data::Event& event : evlist_) note_attr(event.attr);
  }
  arch_ = data::recorded_arch(reader.header().features);
}

void RawDump::note_attr(const abi::EventAttr& attr) {
  if (attrs_ == 0) sample_id_all_ = attr.has(abi::attr_flag::SampleIdAll);
  sample_type_ |= attr.sample_type;
  ++attrs_;
}

std::string_view RawDump::preamble() const {
  if (attrs_ == 0 || sample_id_all_) return {};
  return "WARNING: No sample_id_all support, falling back to unordered processing\n";
}

void RawDump::put(ScriptText& out, const ReplayRecord& record, Resolver& resolver, std::string& scratch) {
  const abi::RecordView& view = record.record;
  scratch.clear();
  const std::string offset = prefixed_hex(view.offset < start_ ? 0 : view.offset - start_);
  const std::string size = prefixed_hex(view.bytes.size());
  fmt::format_to(back_inserter(scratch), "\n{}@{} [{}]: event: {}\n", offset, printable(path_), size,
                 static_cast<u32>(view.type));
  put_bytes(scratch, view.bytes);
  put_stamp(scratch, record);
  fmt::format_to(back_inserter(scratch), "{} [{}]: PERF_RECORD_{}", offset, size, abi::record_type_name(view.type));
  put_words(scratch, record, resolver);
  out.room(scratch.size());
  out.put(scratch);
}

// Prints the CPU and the time if any event records them. Kernel records without them show -1, and records of the
// recorder show 0.
void RawDump::put_stamp(std::string& text, const ReplayRecord& record) const {
  const bool is_sample = record.record.type == RecordType::Sample;
  if (!is_sample && !sample_id_all_) {
    text += "-1 -1 ";
    return;
  }
  u32 cpu = 0;
  u64 time = 0, fields = 0;
  if (record.record.type < RecordType::UserTypeStart) {
    cpu = ~0u;
    time = ~u64{0};
  }
  if (record.sample != nullptr) {
    fields = record.sample->fields;
    if ((fields & abi::sample_bit::Cpu) != 0) cpu = record.sample->cpu;
    if ((fields & abi::sample_bit::Time) != 0) time = record.sample->time;
  } else if (record.side_band != nullptr) {
    fields = record.side_band->id.fields;
    if ((fields & abi::sample_bit::Cpu) != 0) cpu = record.side_band->id.cpu;
    if ((fields & abi::sample_bit::Time) != 0) time = record.side_band->id.time;
  }
  if ((sample_type_ & abi::sample_bit::Cpu) != 0) fmt::format_to(back_inserter(text), "{} ", cpu);
  if ((sample_type_ & abi::sample_bit::Time) != 0) fmt::format_to(back_inserter(text), "{} ", time);
}

bool RawDump::handles(RecordType type) const {
  const RecordText* found = find_record_text(type);
  switch (found != nullptr ? found->use : RecordUse::Both) {
    case RecordUse::Both:
      return true;
    case RecordUse::Report:
      return command_ == Command::Report;
    case RecordUse::Script:
      return command_ == Command::Script;
    case RecordUse::InOrder:
      return by_time_;
    case RecordUse::Nobody:
      break;
  }
  return false;
}

void RawDump::put_words(std::string& text, const ReplayRecord& record, Resolver& resolver) {
  const abi::RecordView& view = record.record;
  if (view.type == RecordType::HeaderAttr && attrs_ < evlist_.size()) note_attr(evlist_[attrs_].attr);
  if (record.sample != nullptr) {
    append_raw_sample(text, *record.sample, view, {evlist_[record.event].attr, arch_, numbers_});
  } else if (record.side_band != nullptr) {
    put_kernel_record(text, record, resolver);
  } else if (view.type == RecordType::FinishedRound) {
    if (by_time_) text += '\n';
  } else if (view.type > RecordType::UserTypeStart) {
    append_session_record(text, view);
  } else if (view.type != RecordType::Sample && view.type != RecordType::HeaderAttr) {
    text += ": malformed\n";
  }
  if (!handles(view.type)) text += ": unhandled!\n";
}

void RawDump::put_kernel_record(std::string& text, const ReplayRecord& record, Resolver& resolver) const {
  const std::string symbol = poked_symbol(record.side_band, record.moment, resolver);
  RecordLine line{.out = text, .symbol = symbol};
  if (record.event != data::kNoEvent) {
    line.event = &evlist_[record.event].attr;
    line.event_name = name_of(record.event);
  }
  append_dumped_side_band(line, record.record.type, *record.side_band);
}

// Events that a pipe announces late are not in `names_`.
std::string_view RawDump::name_of(u32 event) const {
  return event < names_.size() ? std::string_view(names_[event]) : std::string_view(evlist_[event].name);
}

void RawDump::put_place(ScriptText& out, const ReplaySample& replayed, Resolver& resolver) const {
  const u16 mode = replayed.sample.cpumode();
  const Frame& frame = resolver.at(resolver.frame(replayed.context, replayed.sample.ip, mode));
  std::string_view dso = "<not found>";
  if (frame.dso) {
    const Dso& found = resolver.machine().dsos().at(frame.dso);
    dso = found.kind == DsoKind::Module && !found.path.empty() ? found.path : found.name;
  } else if (mode != abi::misc_bit::Kernel && mode != abi::misc_bit::User) {
    dso = "[hypervisor]";
  }
  const std::string text =
      fmt::format(" ... thread: {}:{}\n ...... dso: {}\n", printable(resolver.comm(replayed.context)),
                  static_cast<i32>(replayed.sample.tid), printable(dso));
  out.room(text.size());
  out.put(text);
}

void RawDumpSink::record(const ReplayRecord& record, Resolver& resolver, unsigned worker) {
  dump_.put(*workers_[worker].text, record, resolver, workers_[worker].scratch);
}

void RawDumpSink::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  dump_.put_place(*workers_[worker].text, sample, resolver);
  next_.sample(sample, resolver, worker);
}

void RawDumpSink::end_slice(u64 slice, unsigned worker) {
  slices_.end(slice, std::move(workers_[worker].text), [this](const ScriptText& text) {
    if (has_controls(text.view()))
      out_.append(without_controls(text.view()));
    else
      out_.append(text.view());
  });
  next_.end_slice(slice, worker);
}

}  // namespace peregrine
