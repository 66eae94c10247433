#include "pipeline/rewrite/address_hiding.h"

#include <algorithm>
#include <array>

#include "data/recorded_arch.h"
#include "event/tracing_data.h"

namespace peregrine {
namespace {

using abi::RecordType;
using data::FeatureId;

// Offsets in records.
constexpr std::size_t kMapStart = 16, kMapLength = 24, kMapOffset = 32;
constexpr std::size_t kSymbolAddress = 8;
constexpr std::size_t kChain = 24;  // of CALLCHAIN_DEFERRED: behind cookie and count

// What is counted, as notes say it.
constexpr std::string_view kRegisters = "registers", kStacks = "user stacks", kPhysical = "physical addresses",
                           kAuxData = "AUX data", kUnreadable = "records that cannot be decoded",
                           kUnknown = "records that may hold addresses", kPokes = "TEXT_POKE records",
                           kTraceErrors = "errors of hardware traces";

// Records without addresses.
bool is_harmless(RecordType type) {
  constexpr std::array kHarmless = std::to_array<RecordType>({RecordType::Lost,
                                                              RecordType::Comm,
                                                              RecordType::Exit,
                                                              RecordType::Throttle,
                                                              RecordType::Unthrottle,
                                                              RecordType::Fork,
                                                              RecordType::Read,
                                                              RecordType::Aux,
                                                              RecordType::ItraceStart,
                                                              RecordType::LostSamples,
                                                              RecordType::Switch,
                                                              RecordType::SwitchCpuWide,
                                                              RecordType::Namespaces,
                                                              RecordType::BpfEvent,
                                                              RecordType::Cgroup,
                                                              RecordType::AuxOutputHwId,
                                                              RecordType::HeaderAttr,
                                                              RecordType::HeaderBuildId,
                                                              RecordType::HeaderEventType,
                                                              RecordType::FinishedRound,
                                                              RecordType::IdIndex,
                                                              RecordType::ThreadMap,
                                                              RecordType::CpuMap,
                                                              RecordType::StatConfig,
                                                              RecordType::Stat,
                                                              RecordType::StatRound,
                                                              RecordType::EventUpdate,
                                                              RecordType::TimeConv,
                                                              RecordType::FinishedInit,
                                                              RecordType::BpfMetadata,
                                                              RecordType::SchedstatCpu,
                                                              RecordType::SchedstatDomain});
  return std::ranges::find(kHarmless, type) != kHarmless.end();
}

bool is_guest_mode(u16 cpumode) { return cpumode == abi::misc_bit::GuestKernel || cpumode == abi::misc_bit::GuestUser; }

// Kernel and programs must not share addresses.
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
      Error{ErrorKind::Unsupported, fmt::format("{}: hardware traces are full of addresses", reader.path())}.with_hint(
          "decode them first: inject --itrace"));
}

// Whether x86 code has a call or jump out of what moves with it.
bool leads_out(Bytes code, u64 address, const AddressLayouts& layouts) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const u8 first = std::to_integer<u8>(code[i]);
    const bool two = first == 0x0f && i + 1 < code.size() && (std::to_integer<u8>(code[i + 1]) & 0xf0) == 0x80;
    const bool one = first == 0xe8 || first == 0xe9;
    const std::size_t operand = i + (two ? 2 : 1);
    if ((!one && !two) || operand + 4 > code.size()) continue;
    const auto distance = static_cast<u64>(i64{load<i32>(code.data() + operand, ByteOrder::Little)});
    if (!layouts.keeps_distance(address, address + operand + 4 + distance)) return true;
  }
  return false;
}

}  // namespace

bool AddressHiding::is_left_out(u32 feature) const {
  return feature == static_cast<u32>(FeatureId::BpfProgInfo) || data::feature_name(feature).empty();
}

Result<FeatureEdits> AddressHiding::begin() {
  const data::Header& header = reader_.header();
  if (!has_upper_half(header.features))
    return fail(ErrorKind::Unsupported, "{}: addresses of {} cannot be told from the kernel's", reader_.path(),
                header.features.arch.value_or("this architecture"));
  if (reader_.has_old_numbers())
    return fail(ErrorKind::Unsupported, "{}: a pipe of an old linux-perf: copy it into a file first", reader_.path());
  if (header.features.auxtrace && !header.features.auxtrace->empty()) return refuse_traces(reader_);
  keeps_pokes_ = data::recorded_arch(header.features) == abi::Arch::X86;
  PEREGRINE_TRY(check_events());
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
    } else if (section.id != data::kReservedFeature && is_left_out(section.id)) {
      edits.left_out.push_back(section.id);
      const std::string_view name = data::feature_name(section.id);
      features_.insert(fmt::format("feature {}", name.empty() ? fmt::to_string(section.id) : std::string(name)));
    }
  }
  return edits;
}

// Of a pipe, events come with the records.
Result<> AddressHiding::check_events() {
  const auto& pmus = reader_.header().features.pmu_mappings;
  for (; checked_events_ < reader_.evlist().size(); ++checked_events_) {
    const data::Event& event = reader_.evlist()[checked_events_];
    const auto is_probe = [&](const data::PmuType& pmu) {
      return pmu.type == event.attr.type && (pmu.name == "kprobe" || pmu.name == "uprobe");
    };
    if (event.attr.type == static_cast<u32>(abi::EventType::Breakpoint) ||
        (pmus && std::ranges::any_of(*pmus, is_probe)))
      return fail(ErrorKind::Unsupported, "{}: event '{}' is defined by an address", reader_.path(), event.name);
  }
  return {};
}

Result<> AddressHiding::edit(const abi::RecordView& record) {
  out_.clear();
  payload_.clear();
  if (checked_events_ != reader_.evlist().size()) PEREGRINE_TRY(check_events());
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
  } else {
    ++records_[std::string(kUnknown)];
  }
  return {};
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
  const RawAddresses::Space space{.at = [this](u64 value) { return layouts_.at(guest_, pid_, value); },
                                  .covers = [this](u64 value) { return layouts_.covers(guest_, pid_, value); }};
  if (raw_of(event_).edit(bytes, reader_.header().order, space)) return;
  const std::string& name = reader_.evlist()[event_].name;
  ++fields_[fmt::format("raw data of {}", name.empty() ? "an event" : name)];
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
    patch(kSymbolAddress, layouts_.at(false, 0, symbol->address), record.order);
  }
}

void AddressHiding::edit_map(const abi::RecordView& record, abi::MmapRecord map) {
  layouts_.map(map, record.cpumode());
  copy(record);
  patch(kMapStart, map.start, record.order);
  patch(kMapLength, map.length, record.order);
  patch(kMapOffset, map.page_offset, record.order);
}

// Code can say how far it is to other code.
void AddressHiding::edit_poke(const abi::RecordView& record, const abi::TextPokeRecord& poke) {
  if (!keeps_pokes_ || leads_out(poke.old_bytes, poke.address, layouts_) ||
      leads_out(poke.new_bytes, poke.address, layouts_)) {
    ++records_[std::string(kPokes)];
    return;
  }
  copy(record);
  patch(kSymbolAddress, layouts_.at(false, 0, poke.address), record.order);
}

void AddressHiding::edit_deferred(const abi::RecordView& record, const abi::SideBand& side_band) {
  const auto& deferred = std::get<abi::CallchainDeferredRecord>(side_band.body);
  std::vector<u64> values(deferred.chain.begin(), deferred.chain.end());
  pid_ = side_band.id.pid;
  guest_ = false;
  chain(values);
  copy(record);
  for (std::size_t i = 0; i < values.size(); ++i) patch(kChain + 8 * i, values[i], record.order);
}

// The lists of the kernel's symbols go.
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
    features_.insert("symbols of the kernel in TRACING_DATA");
  }
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
  // An empty one ends the features.
  const bool left_out = body.size() > kIdSize && id != data::kReservedFeature &&
                        (id >= data::kFeatureBits || is_left_out(static_cast<u32>(id)));
  if (left_out) {
    const std::string_view name = data::feature_name(static_cast<u32>(std::min<u64>(id, data::kFeatureBits)));
    features_.insert(fmt::format("feature {}", name.empty() ? fmt::to_string(id) : std::string(name)));
  } else {
    copy(record);
  }
}

std::vector<std::string> AddressHiding::notes() const {
  std::vector<std::string> notes;
  for (const auto& [what, count] : fields_)
    notes.push_back(fmt::format("{} left out of {} sample{}", what, count, count == 1 ? "" : "s"));
  for (const auto& [what, count] : records_) notes.push_back(fmt::format("{} {} left out", count, what));
  for (const std::string& what : features_) notes.push_back(fmt::format("{} left out", what));
  return notes;
}

}  // namespace peregrine
