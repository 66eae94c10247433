// PerlScript: embedded Perl 5. It runs a script and calls its subs: `sub sched::sched_switch` for the tracepoint
// sched:sched_switch, and process_event for every sample.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/types.h"
#include "pipeline/replay/replay.h"
#include "script/event_plan.h"
#include "script/interpreter.h"
#include "script/perl/packed_sample.h"

// perl.h comes last: it has macros for many plain words.
#define PERL_NO_GET_CONTEXT
#include <EXTERN.h>
#include <perl.h>

#include "script/perl/chain.h"
#include "script/perl/slot.h"

namespace peregrine::script {

class PerlScript : public Interpreter {
 public:
  explicit PerlScript(const Setup& setup) : setup_(setup), chains_(setup.answers), packed_(setup.fields) {}
  ~PerlScript() override;

  bool start() override;
  Hooks hooks() const override { return {}; }
  bool add_event(const EventPlan& plan) override;
  bool enter() override { return true; }
  void leave() override {}
  bool sample(const ReplaySample& sample) override;
  bool throttle(const abi::ThrottleRecord&, const abi::SampleId&) override { return true; }
  bool context_switch(const abi::SwitchRecord&, const abi::SampleId&) override { return true; }
  bool auxtrace_error(const AuxtraceError&) override { return true; }
  bool reading(const Reading&) override { return true; }
  bool interval(u64) override { return true; }
  bool finish() override;
  Ended ended() const override { return ended_; }

  // Queries from Perf::Trace::Context.
  enum class Shared { PreemptCount, Flags, LockDepth };
  u64 shared(Shared which) const;
  std::string_view syscall_name(u32 number) const { return setup_.answers.syscall_name(number); }

 private:
  struct Event {
    const EventPlan* plan;
    std::string name;         // "sched::sched_switch"
    CV* sub = nullptr;        // null: trace_unhandled, or no handler
    std::vector<Slot> slots;  // its arguments
  };

  CV* find(const char* name) const;
  void tell_names(const EventPlan& plan, const std::string& name);
  bool call_fields(const ReplaySample& sample, Event& event, CV* sub);
  bool call_general(const ReplaySample& sample, const Event& event);
  SV* field(Slot& slot, const FieldPlan& plan, Bytes record);
  std::string_view comm(const ReplaySample& sample);
  bool call(CV* sub);
  bool call_plain(const char* name);

  Setup setup_;
  PerlInterpreter* my_perl = nullptr;  // Perl's macros use this name.  NOLINT(readability-identifier-naming)
  std::vector<char*> line_;
  Ended ended_;
  std::vector<Event> events_;
  CV *unhandled_ = nullptr, *general_ = nullptr;
  const ReplaySample* sample_ = nullptr;
  const EventPlan* plan_ = nullptr;
  std::vector<std::optional<std::string>> comms_;  // by id
  std::string unnamed_;
  PerlChains chains_;
  PackedSample packed_;
};

}  // namespace peregrine::script
