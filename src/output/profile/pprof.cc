#include "output/profile/pprof.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "base/container/string_pool.h"
#include "base/types.h"
#include "output/profile/gzip.h"
#include "output/profile/protobuf.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

// Field numbers of profile.proto.
namespace field {
enum Profile : unsigned {
  SampleType = 1,
  Sample = 2,
  Mapping = 3,
  Location = 4,
  Function = 5,
  StringTable = 6,
  TimeSpan = 10,
  PeriodType = 11,
  Period = 12,
  Comment = 13,
  DefaultSampleType = 14,
};
}  // namespace field

class PprofPrinter {
 public:
  PprofPrinter(Sink& out, const Profile& profile)
      : out_(out), profile_(profile), single_(profile.frames.size()), labels_(profile.threads.size()) {
    string("");
  }
  void print();

 private:
  u64 string(std::string_view text);
  void put(unsigned field, const ProtobufMessage& message) {
    ProtobufMessage outer;
    outer.bytes(field, message.text());
    out_.append(outer.text());
  }
  void print_kinds();
  void print_samples();
  void print_sample(const ProfileSample& first, const std::vector<u64>& values);
  void find_locations(ChainId stack);
  const std::string& labels_of(u32 thread);
  u32 location_of(std::span<const HistFrameId> innermost_first);
  void print_locations();
  void print_functions();
  void print_mappings();
  void print_strings();
  void order_mappings();
  u64 function(const ProfileFrame& frame);
  ProtobufMessage label(std::string_view key, std::string_view text, u64 number);

  GzipWriter out_;
  const Profile& profile_;
  StringPool strings_;
  std::vector<u32> kinds_;  // events with samples
  // Each location is a path of this tree: a frame with an address, and the functions inlined there.
  ChainTree locations_;
  std::map<std::tuple<u64, u64, u64>, u64> functions_;  // (name, dso, file) → id
  std::vector<u32> mappings_;                           // dsos in output order
  std::vector<u32> mapping_ids_;                        // by dso
  std::vector<u64> path_;                               // location ids of the current stack, innermost first
  std::vector<HistFrameId> inlined_;                    // frames of the current location
  std::vector<u32> single_;                             // by frame: its location without inlined functions; 0: unknown
  std::vector<std::string> labels_;                     // by thread: the encoded labels of its samples; empty: unknown
  ProtobufMessage sample_, outer_;
};

u64 PprofPrinter::string(std::string_view text) {
  return is_printable(text) ? strings_.intern(text).value : strings_.intern(printable(text)).value;
}

void PprofPrinter::print_kinds() {
  const auto kind = [&](std::string_view type, std::string_view unit) {
    ProtobufMessage message;
    message.number(1, string(type));
    message.number(2, string(unit));
    return message;
  };
  put(field::SampleType, kind("samples", "count"));
  for (u32 event = 0; event < profile_.events.size(); ++event) {
    const ProfileEvent& at = profile_.events[event];
    if (at.samples == 0) continue;
    kinds_.push_back(event);
    put(field::SampleType, kind(at.name, at.nanoseconds ? "nanoseconds" : "count"));
  }
  if (kinds_.empty()) return;
  const ProfileEvent& first = profile_.events[kinds_[0]];
  put(field::PeriodType, kind(first.name, first.nanoseconds ? "nanoseconds" : "count"));
  ProtobufMessage rest;
  rest.number(field::Period, first.period / first.samples);
  rest.number(field::DefaultSampleType, string(first.name));
  if (!profile_.command.empty()) rest.number(field::Comment, string(profile_.command));
  if (profile_.timed) rest.number(field::TimeSpan, profile_.samples.back().time - profile_.samples.front().time);
  out_.append(rest.text());
}

ProtobufMessage PprofPrinter::label(std::string_view key, std::string_view text, u64 number) {
  ProtobufMessage message;
  message.number(1, string(key));
  message.number(2, text.empty() ? 0 : string(text));
  message.number(3, number);
  return message;
}

u32 PprofPrinter::location_of(std::span<const HistFrameId> innermost_first) {
  if (innermost_first.size() == 1) {
    u32& known = single_[innermost_first[0].value];
    if (known == 0) known = locations_.child(kRootChain, innermost_first[0]).value;
    return known;
  }
  ChainId location = kRootChain;
  for (const HistFrameId frame : innermost_first | std::views::reverse) location = locations_.child(location, frame);
  return location.value;
}

void PprofPrinter::find_locations(ChainId stack) {
  path_.clear();
  inlined_.clear();
  for (ChainId at = stack; at != kRootChain; at = profile_.stacks.parent(at)) {
    const HistFrameId frame = profile_.stacks.frame(at);
    const ChainId caller = profile_.stacks.parent(at);
    inlined_.push_back(frame);
    if (profile_.frames[frame.value].inlined && caller != kRootChain) continue;
    path_.push_back(location_of(inlined_));
    inlined_.clear();
  }
}

const std::string& PprofPrinter::labels_of(u32 thread) {
  std::string& known = labels_[thread];
  if (known.empty()) {
    const ProfileThread& of = profile_.threads[thread];
    ProtobufMessage message;
    message.bytes(3, label("comm", profile_.text(of.comm), 0).text());
    message.bytes(3, label("pid", {}, of.pid).text());
    message.bytes(3, label("tid", {}, of.tid).text());
    known = message.text();
  }
  return known;
}

void PprofPrinter::print_sample(const ProfileSample& first, const std::vector<u64>& values) {
  find_locations(first.stack);
  sample_.clear();
  sample_.packed(1, path_);
  sample_.packed(2, values);
  const std::string& labels = labels_of(first.thread);
  outer_.clear();
  outer_.begin(field::Sample, sample_.text().size() + labels.size());
  out_.append(outer_.text());
  out_.append(sample_.text());
  out_.append(labels);
}

void PprofPrinter::print_samples() {
  const std::vector<ProfileSample>& samples = profile_.samples;
  std::vector<u32> order(samples.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](u32 at) { return std::tuple(samples[at].thread, samples[at].stack, at); };
  std::ranges::sort(order, {}, key);
  for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
    const ProfileSample& first = samples[order[from]];
    std::vector<u64> values(1 + kinds_.size());
    for (; to < order.size(); ++to) {
      const ProfileSample& sample = samples[order[to]];
      if (sample.thread != first.thread || sample.stack != first.stack) break;
      values[0] += sample.samples;
      const auto kind = std::ranges::find(kinds_, sample.event) - kinds_.begin();
      values[1 + static_cast<std::size_t>(kind)] += sample.period;
    }
    print_sample(first, values);
  }
}

// pprof treats the first mapping as the main binary. Put first the program that the busiest thread is named after;
// threads that match no program are skipped.
void PprofPrinter::order_mappings() {
  constexpr std::size_t kMostComm = 15;
  std::vector<u64> samples(profile_.threads.size());
  for (const ProfileSample& sample : profile_.samples) samples[sample.thread] += sample.samples;
  std::vector<u32> threads(profile_.threads.size());
  std::iota(threads.begin(), threads.end(), 0u);
  std::ranges::stable_sort(threads, std::ranges::greater(), [&](u32 at) { return samples[at]; });
  mappings_.resize(profile_.dsos.size());
  std::iota(mappings_.begin(), mappings_.end(), 0u);
  for (const u32 thread : threads) {
    const std::string_view comm = profile_.text(profile_.threads[thread].comm);
    const auto main = std::ranges::find_if(mappings_, [&](u32 dso) {
      const ProfileDso& one = profile_.dsos[dso];
      return one.path.starts_with('/') && !comm.empty() && std::string_view(one.name).substr(0, kMostComm) == comm;
    });
    if (main == mappings_.end()) continue;
    std::rotate(mappings_.begin(), main, main + 1);
    break;
  }
  mapping_ids_.resize(mappings_.size());
  for (u32 at = 0; at < mappings_.size(); ++at) mapping_ids_[mappings_[at]] = at + 1;
}

u64 PprofPrinter::function(const ProfileFrame& frame) {
  const u64 name = string(frame_name(profile_, frame));
  const u64 file = frame.file.valid() ? string(profile_.text(frame.file)) : 0;
  return functions_.try_emplace({name, frame.dso, file}, functions_.size() + 1).first->second;
}

void PprofPrinter::print_locations() {
  for (u32 id = 1; id < locations_.size(); ++id) {
    ProtobufMessage message;
    message.number(1, id);
    const ProfileFrame* frame = nullptr;
    for (ChainId at(id); at != kRootChain; at = locations_.parent(at)) {
      frame = &profile_.frames[locations_.frame(at).value];
      ProtobufMessage line;
      line.number(1, function(*frame));
      line.number(2, frame->line);
      message.bytes(4, line.text());
    }
    message.number(2, mapping_ids_[frame->dso]);
    message.number(3, frame->address);
    put(field::Location, message);
  }
}

void PprofPrinter::print_functions() {
  for (const auto& [key, id] : functions_) {
    const auto& [name, dso, file] = key;
    ProtobufMessage message;
    message.number(1, id);
    message.number(2, name);
    message.number(3, name);
    message.number(4, file);
    put(field::Function, message);
  }
}

// Addresses are omitted: they differ between processes, and readers do not need them because symbols are already
// resolved.
void PprofPrinter::print_mappings() {
  for (const u32 at : mappings_) {
    const ProfileDso& dso = profile_.dsos[at];
    ProtobufMessage message;
    message.number(1, mapping_ids_[at]);
    message.number(5, string(dso.path));
    message.number(6, dso.build_id.empty() ? 0 : string(dso.build_id));
    for (const unsigned known : {7u, 8u, 9u, 10u}) message.number(known, 1);
    put(field::Mapping, message);
  }
}

void PprofPrinter::print_strings() {
  for (u32 id = 0; id < strings_.size(); ++id) {
    ProtobufMessage message;
    message.bytes(field::StringTable, strings_.view(StringId(id)));
    out_.append(message.text());
  }
}

void PprofPrinter::print() {
  print_kinds();
  order_mappings();
  print_samples();
  print_locations();
  print_functions();
  print_mappings();
  print_strings();
  out_.finish();
}

}  // namespace

void print_pprof(Sink& out, const Profile& profile) { PprofPrinter(out, profile).print(); }

}  // namespace peregrine
