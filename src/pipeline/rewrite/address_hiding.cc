#include "pipeline/rewrite/address_hiding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_places.h"
#include "abi/record_rows.h"
#include "abi/record_table.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/text/ascii.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "data/header/file_header.h"
#include "data/header/recorded_arch.h"
#include "event/field/trace_format.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine {
namespace {

using abi::RecordType;
using data::FeatureId;
namespace record_place = abi::record_place;

// Names of removed sample parts, for notes().
constexpr std::string_view kRegisters = "registers", kStacks = "user stacks", kPhysical = "physical addresses",
                           kAuxData = "AUX data";

// Names of removed records, for notes(); kSingular has their singular forms.
constexpr std::string_view kUnreadable = "records that cannot be decoded",
                           kUnknown = "records that may contain addresses", kPokes = "TEXT_POKE records",
                           kTraceErrors = "errors of hardware traces", kOffsets = "offsets of mapped devices";
constexpr std::pair<std::string_view, std::string_view> kSingular[] = {
    {kUnreadable, "record that cannot be decoded"},
    {kUnknown, "record that may contain addresses"},
    {kPokes, "TEXT_POKE record"},
    {kTraceErrors, "error of hardware traces"},
    {kOffsets, "offset of a mapped device"},
};

std::string_view singular_of(std::string_view kind) {
  const auto found = std::ranges::find(kSingular, kind, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kSingular) ? kind : found->second;
}

// A record type without a row may come from a later kernel: it is removed rather than leaked.
bool is_harmless(RecordType type) { return abi::record_has(type, abi::record_trait::NoAddresses); }

bool is_guest_mode(u16 cpumode) { return cpumode == abi::misc_bit::GuestKernel || cpumode == abi::misc_bit::GuestUser; }

// An address alone must show whether it is the kernel's, so the kernel needs the upper half of the address space.
bool has_upper_half(const data::Features& features) {
  if (!features.arch) {
    const abi::Arch arch = data::recorded_arch(features);
    return arch != abi::Arch::S390 && arch != abi::Arch::Arm;
  }
  const std::string& arch = *features.arch;
  return arch == "x86_64" || arch == "aarch64" || arch == "riscv64" || arch == "loongarch64" ||
         arch.starts_with("ppc64");
}

std::unexpected<Error> refuse_traces(const data::Reader& reader) {
  return std::unexpected(
      Error{ErrorKind::Unsupported,
            fmt::format("{}: --aslr cannot replace the addresses inside hardware traces", reader.path())}
          .with_hint("decode the traces first with `inject --itrace -o DECODED`, then hide addresses in DECODED"));
}

// The address is part of the event's definition; changing it would define a different event.
std::unexpected<Error> refuse_event(const data::Reader& reader, std::string_view event, std::string_view why) {
  return std::unexpected(
      Error{ErrorKind::Unsupported, fmt::format("{}: event '{}' {}", reader.path(), event, why)}.with_hint(
          "record again without this event"));
}

bool is_header(RecordType type) {
  return type == RecordType::EventUpdate || abi::record_has(type, abi::record_trait::OfTheHeader);
}

bool has_event_names(u64 feature) {
  return feature < data::kFeatureBits && data::feature_has(static_cast<u32>(feature), data::feature_trait::EventNames);
}

int digit_of(std::byte byte) { return hex_digit(static_cast<char>(byte)); }

// Length of the first instruction of `code` if its operands cannot reveal an address (registers, zeros, 8-bit jump
// distances), otherwise 0.
std::size_t plain_instruction(Bytes code) {
  using namespace std::string_view_literals;
  // Short jumps: an opcode and an 8-bit distance.
  if (!code.empty() && (code[0] == std::byte{0xeb} || (code[0] & std::byte{0xf0}) == std::byte{0x70}))
    return code.size() >= 2 ? 2 : 0;
  constexpr std::array kPlain = std::to_array<std::string_view>(
      {"\x90"sv, "\xcc"sv, "\xc3"sv, "\x48\x31\xc0"sv, "\x31\xc0"sv, "\x0f\x0b"sv, "\x0f\x1f\x00"sv,
       "\x0f\x1f\x40\x00"sv, "\x0f\x1f\x44\x00\x00"sv, "\x0f\x1f\x80\x00\x00\x00\x00"sv,
       "\x0f\x1f\x84\x00\x00\x00\x00\x00"sv, "\xf3\x0f\x1e\xfa"sv});
  const std::string_view text(reinterpret_cast<const char*>(code.data()), code.size());
  for (const std::string_view plain : kPlain)
    if (text.starts_with(plain)) return plain.size();
  return 0;
}

}  // namespace

bool is_free_of_addresses(Bytes code, u64 address, const AddressLayouts& layouts) {
  if (code.size() == 1) return true;  // a breakpoint, or the byte it replaces
  for (std::size_t i = 0; i < code.size();) {
    const u8 first = std::to_integer<u8>(code[i]);
    if (first == 0x66 || first == 0x2e || first == 0x3e) {
      ++i;
      continue;
    }
    const bool two = first == 0x0f && i + 1 < code.size() && (std::to_integer<u8>(code[i + 1]) & 0xf0) == 0x80;
    if (first == 0xe8 || first == 0xe9 || two) {
      const std::size_t operand = i + (two ? 2 : 1);
      if (operand + 4 > code.size()) return false;
      const auto distance = static_cast<u64>(i64{load<i32>(code.data() + operand, ByteOrder::Little)});
      if (!layouts.keeps_distance(address, address + operand + 4 + distance)) return false;
      i = operand + 4;
      continue;
    }
    const std::size_t size = plain_instruction(code.subspan(i));
    if (size == 0) return false;
    i += size;
  }
  return true;
}

void NameHiding::edit(std::span<std::byte> text, bool programs) {
  constexpr std::size_t kKernelDigits = 16, kProgramDigits = 12;
  constexpr u64 kLastPage = 0xffff'ffff'ffff'f000u, kKernel = 0xffff'0000'0000'0000u, kInPage = 4095;
  constexpr u64 kPrograms = 0x5500'0000'0000u;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && digit_of(text[end]) >= 0) ++end;
    const bool kernel = end - i >= kKernelDigits, program = programs && end - i == kProgramDigits;
    const std::size_t digits = kernel ? kKernelDigits : kProgramDigits;
    u64 value = 0;
    for (std::size_t at = end - digits; (kernel || program) && at < end; ++at)
      value = value << 4 | static_cast<u64>(digit_of(text[at]));
    if ((kernel && value >= kKernel && value < kLastPage) || (program && value >= kPrograms)) {
      const u64 page = pages_.try_emplace(value & ~kInPage, pages_.size() + 1).first->second;
      const std::string made_up = fmt::format("{:0{}x}", page << 12 | (value & kInPage), digits);
      std::ranges::copy(std::as_bytes(std::span(made_up)), text.begin() + static_cast<std::ptrdiff_t>(end - digits));
    }
    i = end + 1;
  }
}

bool AddressHiding::is_left_out(u32 feature) const {
  const data::FeatureRow* row = data::find_feature(feature);
  return row == nullptr || row->has(data::feature_trait::Addresses);
}

Result<FeatureEdits> AddressHiding::begin() {
  const data::Header& header = reader_.header();
  if (!has_upper_half(header.features))
    return fail(ErrorKind::Unsupported, "{}: cannot distinguish user from kernel addresses on {}", reader_.path(),
                header.features.arch.value_or("this architecture"));
  if (reader_.has_old_numbers())
    return fail(ErrorKind::Unsupported, "{}: pipe written by an old linux-perf: copy it to a file first",
                reader_.path());
  if (header.features.auxtrace && !header.features.auxtrace->empty()) return refuse_traces(reader_);
  keeps_pokes_ = data::recorded_arch(header.features) == abi::Arch::X86;
  PEREGRINE_TRY(check_events());
  if (header.layout != data::Layout::Pipe) PEREGRINE_TRY(check_pmus());
  FeatureEdits edits;
  for (const data::FeatureSection& section : header.sections) {
    if (section.id == static_cast<u32>(FeatureId::TracingData)) {
      auto bytes = reader_.read_feature(section.id);
      if (!bytes) return std::unexpected(std::move(bytes.error()));
      abi::RecordView record{.type = RecordType::HeaderTracingData};
      record.payload = *bytes;
      edit_tracing_data(record);
      edits.changed[section.id] = payload_;
      if (payload_.empty()) edits.left_out.push_back(section.id);
    } else if (has_event_names(section.id)) {
      auto bytes = reader_.read_feature(section.id);
      if (!bytes) return std::unexpected(std::move(bytes.error()));
      std::vector<std::byte> named = *bytes;
      names_.edit(named, true);
      if (named != *bytes) edits.changed[section.id] = std::move(named);
    } else if (section.id != data::kReservedFeature && is_left_out(section.id)) {
      edits.left_out.push_back(section.id);
      const std::string_view name = data::feature_name(section.id);
      features_.insert(fmt::format("feature {}", name.empty() ? fmt::to_string(section.id) : std::string(name)));
    }
  }
  return edits;
}

// Continues where the last call stopped: in a pipe, events arrive among the records.
Result<> AddressHiding::check_events() {
  for (; checked_events_ < reader_.evlist().size(); ++checked_events_) {
    data::Event& event = reader_.evlist()[checked_events_];
    if (event.attr.type == static_cast<u32>(abi::EventType::Breakpoint))
      return refuse_event(reader_, event.name, "is a breakpoint: --aslr cannot hide its address");
    names_.edit(event.name);
    names_.edit(event.group_name);
  }
  return {};
}

// Only the PMU's name explains a type above Breakpoint. A pipe sends these names after the events, so edit() postpones
// this check to the first record that is not a header.
Result<> AddressHiding::check_pmus() {
  const auto& pmus = reader_.header().features.pmu_mappings;
  for (; checked_pmus_ < reader_.evlist().size(); ++checked_pmus_) {
    data::Event& event = reader_.evlist()[checked_pmus_];
    const abi::EventAttr& attr = event.attr;
    names_.edit(event.name);  // a pipe can send the name after the event
    if (attr.type <= static_cast<u32>(abi::EventType::Breakpoint)) continue;
    const auto has_type = [&](const data::PmuType& pmu) { return pmu.type == attr.type; };
    const bool known = pmus && std::ranges::any_of(*pmus, has_type);
    const data::PmuType* const pmu = known ? &*std::ranges::find_if(*pmus, has_type) : nullptr;
    if (known && (pmu->name == "kprobe" || pmu->name == "uprobe"))
      return refuse_event(reader_, event.name, fmt::format("is a {}: --aslr cannot hide its address", pmu->name));
    if (!known && (attr.config1 != 0 || attr.config2 != 0))
      return refuse_event(
          reader_, event.name,
          fmt::format("may contain an address: the recording does not name its PMU (type {})", attr.type));
  }
  return {};
}

Result<> AddressHiding::edit(const abi::RecordView& record) {
  out_.clear();
  payload_.clear();
  if (checked_events_ != reader_.evlist().size()) PEREGRINE_TRY(check_events());
  if (checked_pmus_ != reader_.evlist().size() && !is_header(record.type)) PEREGRINE_TRY(check_pmus());
  switch (record.type) {
    case RecordType::Sample:
      edit_sample(record);
      return {};
    case RecordType::Mmap:
    case RecordType::Mmap2:
    case RecordType::Ksymbol:
    case RecordType::TextPoke:
    case RecordType::CallchainDeferred:
    case RecordType::Fork:
    case RecordType::Comm:
      edit_side_band(record);
      return {};
    case RecordType::AuxtraceInfo:
    case RecordType::Auxtrace:
      return refuse_traces(reader_);
    case RecordType::AuxtraceError:
      ++records_[std::string(kTraceErrors)];
      return {};
    case RecordType::HeaderTracingData:
      edit_tracing_data(record);
      return {};
    case RecordType::HeaderFeature:
      edit_feature(record);
      return {};
    default:
      break;
  }
  if (is_harmless(record.type)) {
    copy(record);
    if (record.type == RecordType::HeaderEventType || record.type == RecordType::EventUpdate) edit_name(record);
  } else {
    ++records_[std::string(kUnknown)];
  }
  return {};
}

// The reader has already copied the name into its event, so edit that copy too.
void AddressHiding::edit_name(const abi::RecordView& record) {
  names_.edit(out_, true);
  constexpr std::size_t kIdAt = 8;
  const Bytes body = record.body();
  if (record.type != RecordType::EventUpdate || body.size() < kIdAt + 8) return;
  const u32 event = reader_.evlist().find_id(load<u64>(body.data() + kIdAt, record.order));
  if (event != data::kNoEvent) names_.edit(reader_.evlist()[event].name);
}

void AddressHiding::patch(std::size_t at, u64 value, ByteOrder order) {
  ByteWriter bytes(order);
  bytes.put64(value);
  if (at + 8 <= out_.size()) std::ranges::copy(bytes.bytes(), out_.begin() + static_cast<std::ptrdiff_t>(at));
}

void AddressHiding::edit_sample(const abi::RecordView& record) {
  event_ = reader_.evlist().event_of(record);
  guest_ = is_guest_mode(record.cpumode());
  const bool known = event_ != data::kNoEvent;
  const auto left_out =
      known ? abi::copy_without_places(record, reader_.evlist()[event_].attr, *this, out_) : std::nullopt;
  if (!left_out) {
    ++records_[std::string(kUnreadable)];
    return;
  }
  if (left_out->registers) ++fields_[std::string(kRegisters)];
  if (left_out->stack) ++fields_[std::string(kStacks)];
  if (left_out->physical) ++fields_[std::string(kPhysical)];
  if (left_out->aux) ++fields_[std::string(kAuxData)];
}

void AddressHiding::chain(std::span<u64> values) {
  bool guest = guest_, is_cookie = false;
  for (u64& value : values) {
    if (is_cookie) {
      is_cookie = false;
    } else if (value < abi::kContextMax) {
      value = layouts_.at(guest, pid_, value);
    } else {
      guest = value == abi::kContextGuest || value == abi::kContextGuestKernel || value == abi::kContextGuestUser;
      is_cookie = value == abi::kContextUserDeferred;
    }
  }
}

RawAddresses& AddressHiding::raw_of(u32 event) {
  const auto [entry, added] = raws_.try_emplace(event);
  const abi::EventAttr& attr = reader_.evlist()[event].attr;
  if (!added || attr.type != static_cast<u32>(abi::EventType::Tracepoint)) return entry->second;
  const auto bytes = reader_.read_feature(static_cast<u32>(FeatureId::TracingData));
  const auto tracing = bytes ? decode_tracing_data(*bytes) : fail(ErrorKind::NotFound, "no formats");
  const TraceFormat* const format = tracing ? tracing->find(static_cast<u32>(attr.config)) : nullptr;
  if (format != nullptr && tracing->long_size == 8) entry->second = RawAddresses(*format);
  return entry->second;
}

void AddressHiding::raw(std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  const RawAddresses::Space space{
      .at = [this](u64 value) { return layouts_.at(guest_, pid_, value); },
      .covers = [this](u64 value) { return layouts_.covers(guest_, pid_, value); },
      .is_near = [this](u64 value) { return layouts_.is_near_low_map(guest_, pid_, value); }};
  const RawAddresses& raw = raw_of(event_);
  const bool whole = raw.edit(bytes, reader_.header().order, space);
  names_.edit(bytes, false);
  if (whole) return;
  const std::string& name = reader_.evlist()[event_].name;
  ++fields_[fmt::format("{} of {}", raw.known() ? "fields" : "raw data", name.empty() ? "an event" : name)];
}

void AddressHiding::edit_side_band(const abi::RecordView& record) {
  const data::Evlist& events = reader_.evlist();
  const auto decoded = events.empty() ? Result<std::optional<abi::SideBand>>()
                                      : abi::decode_side_band(record, events.attr_of(record), scratch_);
  if (!decoded || !*decoded) {
    ++records_[std::string(kUnreadable)];
    return;
  }
  const abi::SideBand& side_band = **decoded;
  if (const auto* map = std::get_if<abi::MmapRecord>(&side_band.body)) return edit_map(record, *map);
  if (const auto* poke = std::get_if<abi::TextPokeRecord>(&side_band.body)) return edit_poke(record, *poke);
  if (std::holds_alternative<abi::CallchainDeferredRecord>(side_band.body)) return edit_deferred(record, side_band);
  copy(record);
  if (const auto* fork = std::get_if<abi::ForkRecord>(&side_band.body)) {
    if ((record.misc & abi::misc_bit::ForkExec) != 0 && fork->pid != fork->parent_pid) {
      layouts_.exec(fork->pid);
    } else {
      layouts_.fork(fork->parent_pid, fork->pid);
    }
  } else if (const auto* comm = std::get_if<abi::CommRecord>(&side_band.body)) {
    if (comm->exec) layouts_.exec(comm->pid);
  } else if (const auto* symbol = std::get_if<abi::KsymbolRecord>(&side_band.body)) {
    if (symbol->length != 0) layouts_.map_kernel_code(symbol->address, symbol->length);
    names_.edit(out_, false);
    patch(record_place::kKsymbolAddress, layouts_.at(false, 0, symbol->address), record.order);
  }
}

void AddressHiding::edit_map(const abi::RecordView& record, abi::MmapRecord map) {
  const u64 old_offset = map.page_offset;
  layouts_.map(map, record.cpumode());
  if (old_offset != 0 && map.page_offset == 0 && map.filename.starts_with('/')) ++records_[std::string(kOffsets)];
  copy(record);
  names_.edit(out_, false);
  patch(record_place::kMapStart, map.start, record.order);
  patch(record_place::kMapLength, map.length, record.order);
  patch(record_place::kMapOffset, map.page_offset, record.order);
}

// Code can contain addresses, and distances to other code that reveal the layout.
void AddressHiding::edit_poke(const abi::RecordView& record, const abi::TextPokeRecord& poke) {
  if (!keeps_pokes_ || !is_free_of_addresses(poke.old_bytes, poke.address, layouts_) ||
      !is_free_of_addresses(poke.new_bytes, poke.address, layouts_)) {
    ++records_[std::string(kPokes)];
    return;
  }
  copy(record);
  patch(record_place::kTextPokeAddress, layouts_.at(false, 0, poke.address), record.order);
}

void AddressHiding::edit_deferred(const abi::RecordView& record, const abi::SideBand& side_band) {
  const auto& deferred = std::get<abi::CallchainDeferredRecord>(side_band.body);
  std::vector<u64> values(deferred.chain.begin(), deferred.chain.end());
  pid_ = side_band.id.pid;
  guest_ = false;
  chain(values);
  copy(record);
  for (std::size_t i = 0; i < values.size(); ++i) patch(record_place::kDeferredChain + 8 * i, values[i], record.order);
}

// Drops the kernel's symbol lists: kallsyms and printk formats.
void AddressHiding::edit_tracing_data(const abi::RecordView& record) {
  payload_.assign(record.payload.begin(), record.payload.end());
  auto tracing = decode_tracing_data(record.payload);
  if (!tracing) {
    payload_.clear();
    features_.insert("feature TRACING_DATA");
    return;
  }
  if (!tracing->kallsyms.empty() || !tracing->printk_formats.empty()) {
    tracing->kallsyms.clear();
    tracing->printk_formats.clear();
    payload_ = encode_tracing_data(*tracing);
    features_.insert("kernel symbols in TRACING_DATA");
  }
  names_.edit(payload_, true);
  if (record.bytes.empty()) return;
  constexpr std::size_t kSizeAt = 8;
  payload_.resize((payload_.size() + 7) / 8 * 8);
  copy(record);
  ByteWriter size(record.order);
  size.put32(static_cast<u32>(payload_.size()));
  if (out_.size() >= kSizeAt + 4) std::ranges::copy(size.bytes(), out_.begin() + kSizeAt);
}

void AddressHiding::edit_feature(const abi::RecordView& record) {
  constexpr std::size_t kIdSize = 8;
  const Bytes body = record.body();
  const u64 id = body.size() >= kIdSize ? load<u64>(body.data(), record.order) : 0;
  // A feature record without data ends the list and is kept.
  const bool left_out = body.size() > kIdSize && id != data::kReservedFeature &&
                        (id >= data::kFeatureBits || is_left_out(static_cast<u32>(id)));
  if (left_out) {
    const std::string_view name = data::feature_name(static_cast<u32>(std::min<u64>(id, data::kFeatureBits)));
    features_.insert(fmt::format("feature {}", name.empty() ? fmt::to_string(id) : std::string(name)));
  } else {
    copy(record);
    if (has_event_names(id)) names_.edit(out_, true);
  }
}

std::vector<std::string> AddressHiding::notes() const {
  std::vector<std::string> notes;
  for (const auto& [what, count] : fields_)
    notes.push_back(fmt::format("{} omitted from {}", what, counted(count, "sample")));
  for (const auto& [what, count] : records_)
    notes.push_back(fmt::format("{} omitted", counted(count, singular_of(what), what)));
  return notes;
}

std::vector<std::string> AddressHiding::details() const {
  if (features_.empty()) return {};
  return {fmt::format("omitted, because they contain addresses: {}", fmt::join(features_, ", "))};
}

}  // namespace peregrine
