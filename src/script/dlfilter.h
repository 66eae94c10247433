// DlFilter: a user's shared object that filters samples (script --dlfilter), through the C interface of
// perf/perf_dlfilter.h. FilteredSink: applies it before another sink.
//
//   Replay ─▶ FilteredSink: filter_event_early, the filters of options, filter_event ─▶ the printing sink
//
// For a replay with one worker. The object may use our pointers only during a call.
#pragma once
#include <linux/perf_event.h>
#include <perf/perf_dlfilter.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/replay.h"
#include "script/answers.h"
#include "script/replay_answers.h"

namespace peregrine::script {

class DlFilter {
 public:
  // Loads the object; `arguments` are from --dlarg. NotFound lists the searched places.
  static Result<std::unique_ptr<DlFilter>> open(const std::string& file, std::vector<std::string> arguments);
  // Its one-line description; an error if it is not a filter.
  static Result<std::string> describe(const std::string& file);
  DlFilter(const DlFilter&) = delete;
  DlFilter& operator=(const DlFilter&) = delete;

  // Call before the first sample, and after the last. False if the object reported failure.
  bool start(ReplayAnswers& answers);
  bool stop();

  enum class Answer { Keep, Drop, Fail };
  bool has_early() const { return early_ != nullptr; }
  Answer ask_early(const ReplaySample& sample, const data::Event& event, const std::string& name);
  Answer ask(const ReplaySample& sample, const data::Event& event, const std::string& name);

  // Implement the object's calls.
  const perf_dlfilter_al* resolve_ip();
  const perf_dlfilter_al* resolve_addr();
  i32 resolve_address(u64 address, perf_dlfilter_al& al);
  char** arguments(int* count);
  const u8* instruction(u32* length);
  const char* source_line(u32* number);
  perf_event_attr* attr();
  i32 object_code(u64 address, void* buffer, u32 size);

 private:
  using Ask = int (*)(void* data, const perf_dlfilter_sample* sample, void* context);
  DlFilter() = default;
  Answer call(Ask function, const ReplaySample& sample, const data::Event& event, const std::string& name);
  void fill(const ReplaySample& sample, const data::Event& event, const std::string& name);
  // Texts that the object may read until its next query of the same kind.
  struct Known {
    perf_dlfilter_al al{};
    std::string symbol, dso, comm;
    std::vector<u8> build_id;
  };
  bool fill(Known& known, const PlaceAnswer& place, u64 address);

  struct Close {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Close> handle_;
  Ask early_ = nullptr, late_ = nullptr;
  void* data_ = nullptr;
  bool started_ = false;
  std::vector<std::string> words_;
  std::vector<char*> argv_;
  ReplayAnswers* answers_ = nullptr;
  const ReplaySample* sample_ = nullptr;
  perf_dlfilter_sample shown_{};
  std::vector<std::array<u64, 3>> branches_;
  Known ip_, addr_, asked_;
  std::string source_;
  std::vector<u8> code_;
  std::vector<std::byte> attr_;
  const data::Event* event_ = nullptr;
};

class FilteredSink : public ReplaySink {
 public:
  // All must outlive this. `filter`: the options' filter, not given to the replay.
  FilteredSink(ReplaySink& inner, DlFilter& dlfilter, ReplayAnswers& answers, const data::Evlist& evlist,
               const std::vector<std::string>& names, SampleFilter filter)
      : inner_(inner),
        dlfilter_(dlfilter),
        answers_(answers),
        evlist_(evlist),
        names_(names),
        filter_(std::move(filter)) {}
  // Called around each call of the object, since it may print: earlier output must be flushed first.
  void set_output(std::function<void()> before, std::function<void()> after) {
    before_ = std::move(before);
    after_ = std::move(after);
  }
  // Whether the object ended the run.
  bool failed() const { return failed_; }

  void begin(unsigned workers) override { inner_.begin(workers); }
  void begin_batch() override { inner_.begin_batch(); }
  void begin_slice(u64 slice, unsigned worker) override { inner_.begin_slice(slice, worker); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override {
    inner_.side_band(record, resolver, worker);
  }
  void record(const ReplayRecord& record, Resolver& resolver, unsigned worker) override {
    inner_.record(record, resolver, worker);
  }
  void end_slice(u64 slice, unsigned worker) override { inner_.end_slice(slice, worker); }
  bool end_batch() override { return inner_.end_batch() && !failed_; }

 private:
  ReplaySink& inner_;
  DlFilter& dlfilter_;
  ReplayAnswers& answers_;
  const data::Evlist& evlist_;
  const std::vector<std::string>& names_;
  SampleFilter filter_;
  std::function<void()> before_, after_;
  bool failed_ = false;
};

}  // namespace peregrine::script
