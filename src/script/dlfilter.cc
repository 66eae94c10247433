#include "script/dlfilter.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <expected>
#include <memory>
#include <span>
#include <utility>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/build_id.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/resolver/resolver.h"
#include "script/answers.h"

namespace peregrine::script {
namespace {

DlFilter& filter_of(void* context) { return *static_cast<DlFilter*>(context); }

// C entry points for the filter.
const perf_dlfilter_al* resolve_ip(void* context) { return filter_of(context).resolve_ip(); }
const perf_dlfilter_al* resolve_addr(void* context) { return filter_of(context).resolve_addr(); }
char** arguments(void* context, int* count) { return filter_of(context).arguments(count); }
i32 resolve_address(void* context, __u64 address, perf_dlfilter_al* al) {
  return al == nullptr ? -1 : filter_of(context).resolve_address(address, *al);
}
const __u8* instruction(void* context, __u32* length) { return filter_of(context).instruction(length); }
const char* source_line(void* context, __u32* number) { return filter_of(context).source_line(number); }
perf_event_attr* attr(void* context) { return filter_of(context).attr(); }
i32 object_code(void* context, __u64 ip, void* buffer, __u32 size) {
  return filter_of(context).object_code(ip, buffer, size);
}

template <class Function>
Function* find(void* handle, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(handle, name));
}

Result<void*> load(const std::string& file) {
  if (void* const handle = ::dlopen(file.c_str(), RTLD_NOW)) return handle;
  const char* const reason = ::dlerror();
  return std::unexpected(Error{ErrorKind::NotFound, fmt::format("dlopen failed for: '{}'", file),
                               reason == nullptr ? std::string() : std::string(reason)});
}

bool address_has_symbol(const abi::EventAttr& of) {
  if (of.type == static_cast<u32>(abi::EventType::Hardware)) {
    return of.config == static_cast<u64>(abi::HardwareEvent::BranchInstructions) && of.sample_period == 1;
  }
  if (of.type != static_cast<u32>(abi::EventType::Software)) return false;
  const auto config = static_cast<abi::SoftwareEvent>(of.config);
  return config == abi::SoftwareEvent::PageFaults || config == abi::SoftwareEvent::MinorFaults ||
         config == abi::SoftwareEvent::MajorFaults;
}

u64 flag_word(const abi::BranchEntry& branch) {
  return u64{branch.mispredicted} | u64{branch.predicted} << 1 | u64{branch.in_transaction} << 2 |
         u64{branch.abort} << 3 | u64{branch.cycles} << 4 | u64{branch.type} << 20 | u64{branch.speculation} << 24 |
         u64{branch.new_type} << 26 | u64{branch.privilege} << 30;
}

}  // namespace

void DlFilter::Close::operator()(void* handle) const { ::dlclose(handle); }

Result<std::unique_ptr<DlFilter>> DlFilter::open(const std::string& file, std::vector<std::string> arguments) {
  const auto handle = load(file);
  if (!handle) return std::unexpected(handle.error());
  std::unique_ptr<DlFilter> filter(new DlFilter);
  filter->handle_.reset(*handle);
  filter->early_ = find<int(void*, const perf_dlfilter_sample*, void*)>(*handle, "filter_event_early");
  filter->late_ = find<int(void*, const perf_dlfilter_sample*, void*)>(*handle, "filter_event");
  if (auto* const functions = find<perf_dlfilter_fns>(*handle, "perf_dlfilter_fns")) {
    *functions = {.resolve_ip = script::resolve_ip,
                  .resolve_addr = script::resolve_addr,
                  .args = script::arguments,
                  .resolve_address = script::resolve_address,
                  .insn = script::instruction,
                  .srcline = script::source_line,
                  .attr = script::attr,
                  .object_code = script::object_code,
                  .reserved = {}};
  }
  filter->words_ = std::move(arguments);
  for (std::string& word : filter->words_) filter->argv_.push_back(word.data());
  filter->argv_.push_back(nullptr);
  return filter;
}

Result<std::string> DlFilter::describe(const std::string& file) {
  const auto handle = load(file);
  if (!handle) return std::unexpected(handle.error());
  const std::unique_ptr<void, Close> owner(*handle);
  auto* const about = find<const char*(const char**)>(*handle, "filter_description");
  if (about == nullptr && find<void>(*handle, "filter_event") == nullptr &&
      find<void>(*handle, "filter_event_early") == nullptr)
    return fail(ErrorKind::Unsupported, "{}: not a filter", file);
  const char* more = nullptr;
  const char* const line = about == nullptr ? nullptr : about(&more);
  return std::string(line == nullptr ? "" : line);
}

bool DlFilter::start(ReplayAnswers& answers) {
  answers_ = &answers;
  started_ = true;
  auto* const function = find<int(void**, void*)>(handle_.get(), "start");
  return function == nullptr || function(&data_, this) >= 0;
}

bool DlFilter::stop() {
  if (!started_) return true;
  started_ = false;
  auto* const function = find<int(void*, void*)>(handle_.get(), "stop");
  return function == nullptr || function(data_, this) >= 0;
}

void DlFilter::fill(const ReplaySample& replayed, const data::Event& event, const std::string& name) {
  const abi::Sample& sample = replayed.sample;
  const auto has = [&](u64 bit) { return (sample.fields & bit) != 0; };
  branches_.clear();
  for (const abi::BranchEntry& branch : sample.branches)
    branches_.push_back({branch.from, branch.to, flag_word(branch)});
  shown_ = {.size = sizeof shown_,
            .ins_lat = sample.weight2,
            .p_stage_cyc = sample.weight3,
            .ip = sample.ip,
            .pid = static_cast<i32>(sample.pid),
            .tid = static_cast<i32>(sample.tid),
            .time = has(abi::sample_bit::Time) ? sample.time : ~u64{0},
            .addr = sample.addr,
            .id = sample.id,
            .stream_id = has(abi::sample_bit::StreamId) ? sample.stream_id : ~u64{0},
            .period = replayed.period,
            .weight = sample.weight,
            .transaction = sample.transaction,
            .cpu = has(abi::sample_bit::Cpu) ? static_cast<i32>(sample.cpu) : -1,
            .data_src = sample.data_src,
            .phys_addr = sample.phys_addr,
            .data_page_size = sample.data_page_size,
            .code_page_size = sample.code_page_size,
            .cgroup = sample.cgroup,
            .cpumode = static_cast<u8>(sample.cpumode()),
            .addr_correlates_sym = has(abi::sample_bit::Addr) && address_has_symbol(event.attr),
            .misc = sample.misc,
            .raw_size = static_cast<u32>(sample.raw.size()),
            .raw_data = sample.raw.data(),
            .brstack_nr = branches_.size(),
            .brstack = reinterpret_cast<const perf_branch_entry*>(branches_.data()),
            .raw_callchain_nr = sample.callchain.size(),
            .raw_callchain = reinterpret_cast<const __u64*>(sample.callchain.data()),
            .event = name.c_str(),
            .machine_pid = 0,
            .vcpu = -1};
}

DlFilter::Answer DlFilter::call(Ask function, const ReplaySample& sample, const data::Event& event,
                                const std::string& name) {
  if (function == nullptr) return Answer::Keep;
  sample_ = &sample;
  event_ = &event;
  fill(sample, event, name);
  // The filter may ask about the sample only during the call: without sample_, all its questions fail.
  const int said = function(data_, &shown_, this);
  sample_ = nullptr;
  return said < 0 ? Answer::Fail : said == 0 ? Answer::Keep : Answer::Drop;
}

DlFilter::Answer DlFilter::ask_early(const ReplaySample& sample, const data::Event& event, const std::string& name) {
  return call(early_, sample, event, name);
}
DlFilter::Answer DlFilter::ask(const ReplaySample& sample, const data::Event& event, const std::string& name) {
  return call(late_, sample, event, name);
}

bool DlFilter::fill(Known& known, const PlaceAnswer& place, u64 address) {
  known.al = {};
  known.al.size = sizeof known.al;
  known.al.addr = place.address;
  if (place.dso.empty()) return false;
  known.dso = place.dso;
  known.al.dso = known.dso.c_str();
  known.al.is_64_bit = answers_->is_64_bit();
  known.al.is_kernel_ip = static_cast<i64>(address) < 0;
  if (place.symbol) {
    known.symbol = place.symbol->name;
    known.al.sym = known.symbol.c_str();
    known.al.sym_start = place.symbol->start;
    known.al.sym_end = place.symbol->end;
    known.al.symoff = static_cast<u32>(place.address - place.symbol->start);
    known.al.sym_binding = place.symbol->binding;
  }
  known.build_id.clear();
  if (const auto id = BuildId::parse(place.build_id))
    known.build_id.assign(id->bytes.begin(), id->bytes.begin() + id->size);
  known.al.buildid_size = static_cast<u32>(known.build_id.size());
  known.al.buildid = known.build_id.empty() ? nullptr : known.build_id.data();
  return true;
}

const perf_dlfilter_al* DlFilter::resolve_ip() {
  if (sample_ == nullptr) return nullptr;
  fill(ip_, answers_->code(), sample_->sample.ip);
  ip_.comm = answers_->comm();
  ip_.al.comm = ip_.comm.c_str();
  return &ip_.al;
}

const perf_dlfilter_al* DlFilter::resolve_addr() {
  if (sample_ == nullptr || !address_has_symbol(event_->attr)) return nullptr;
  fill(addr_, answers_->place(sample_->sample.addr), sample_->sample.addr);
  return &addr_.al;
}

// The caller may use an older, smaller version of the structure.
i32 DlFilter::resolve_address(u64 address, perf_dlfilter_al& al) {
  if (sample_ == nullptr) return -1;
  const u32 size = al.size;
  const bool found = fill(asked_, answers_->place(address), address);
  std::memcpy(&al, &asked_.al, std::min<std::size_t>(size, sizeof asked_.al));
  al.size = size;
  return found ? 0 : -1;
}

char** DlFilter::arguments(int* count) {
  if (count != nullptr) *count = static_cast<int>(words_.size());
  return argv_.data();
}

const u8* DlFilter::instruction(u32* length) {
  const Bytes bytes = sample_ == nullptr ? Bytes() : answers_->instruction();
  if (length != nullptr) *length = static_cast<u32>(bytes.size());
  return bytes.empty() ? nullptr : reinterpret_cast<const u8*>(bytes.data());
}

const char* DlFilter::source_line(u32* number) {
  if (sample_ == nullptr) return nullptr;
  const Answers::SourceAnswer found = answers_->source(sample_->sample.ip, false);
  if (number != nullptr) *number = found.line;
  source_ = found.path;
  return source_.empty() ? nullptr : source_.c_str();
}

perf_event_attr* DlFilter::attr() {
  if (sample_ == nullptr) return nullptr;
  ByteWriter words;
  abi::encode_attr(event_->attr, words);
  attr_ = words.take();
  // Zeros behind it, for filters that were built with a larger perf_event_attr.
  attr_.resize(std::max<std::size_t>(attr_.size(), 256));
  return reinterpret_cast<perf_event_attr*>(attr_.data());
}

i32 DlFilter::object_code(u64 address, void* buffer, u32 size) {
  if (sample_ == nullptr || buffer == nullptr) return 0;
  return static_cast<i32>(answers_->code_at(address, std::span(static_cast<std::byte*>(buffer), size)));
}

void FilteredSink::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  if (failed_) return;
  const data::Event& event = evlist_[sample.event];
  const std::string name = sample.event < names_.size() ? names_[sample.event] : std::string();
  answers_.take(sample, resolver);
  if (before_) before_();
  DlFilter::Answer answer = dlfilter_.ask_early(sample, event, name);
  if (answer == DlFilter::Answer::Keep && filter_.any() &&
      !(filter_.accepts_time(sample.sample.time) && filter_.accepts_cpu(sample.sample.cpu) &&
        filter_.accepts_thread(sample.context, resolver)))
    return;
  if (answer == DlFilter::Answer::Keep) answer = dlfilter_.ask(sample, event, name);
  if (after_) after_();
  failed_ = answer == DlFilter::Answer::Fail;
  if (answer == DlFilter::Answer::Keep) inner_.sample(sample, resolver, worker);
}

}  // namespace peregrine::script
