// PythonInterpreter: embedded Python 3: runs a script and calls its handlers.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/types.h"
#include "pipeline/replay/replay.h"
#include "script/event_plan.h"
#include "script/interpreter.h"
#include "script/python/chain.h"
#include "script/python/context_module.h"
#include "script/python/handler.h"
#include "script/python/object.h"
#include "script/python/sample_dict.h"
#include "script/python/text_cache.h"
#include "script/python/values.h"

namespace peregrine::script {

class PythonInterpreter : public Interpreter {
 public:
  explicit PythonInterpreter(const Setup& setup);
  ~PythonInterpreter() override;

  bool start() override;
  Hooks hooks() const override { return hooks_; }
  bool add_event(const EventPlan& plan) override;
  bool enter() override;
  void leave() override;
  bool sample(const ReplaySample& sample) override;
  bool throttle(const abi::ThrottleRecord& record, const abi::SampleId& place) override;
  bool context_switch(const abi::SwitchRecord& record, const abi::SampleId& place) override;
  bool auxtrace_error(const AuxtraceError& error) override;
  bool reading(const Reading& reading) override;
  bool interval(u64 time) override;
  bool finish() override;
  Ended ended() const override { return ended_; }

 private:
  // How to call a handler.
  enum class Call : u8 { None, Fields, Unhandled, General };
  struct Event {
    const EventPlan* plan;
    Call call = Call::None;
    const Handler* handler = nullptr;  // for Unhandled and General: shared by all events
    Handler own;
    Ref name;                        // the handler's
    std::vector<Ref> field_names;    // of Unhandled
    std::vector<bool> fields_taken;  // of Unhandled
    std::optional<SampleKeys> keys;  // it uses the whole sample too
    // For arguments after the callchain that are passed by name: index of the event's field, or kNoField.
    std::vector<std::size_t> named_fields;
    bool without_chain = false;  // written before handlers received callchains
  };

  bool run_file();
  void find_hooks();
  static constexpr std::size_t kNoField = ~std::size_t{0};
  void plan_fields(Event& event);
  void plan_named_fields(Event& event) const;
  void plan_unhandled(Event& event);
  void tell_names(const EventPlan& plan);
  bool call_fields(const ReplaySample& sample, const Event& event);
  bool call_unhandled(const ReplaySample& sample, const Event& event);
  bool call_general(const ReplaySample& sample, const Event& event);
  bool call(PyObject* callable, std::size_t first, std::size_t count);
  bool call_hook(const char* name, Ref arguments);
  Ref comm(const ReplaySample& sample);
  Ref seconds(u64 time);
  u64 pid(const ReplaySample& sample, const EventPlan& plan) const;
  bool fail(int code);

  Setup setup_;
  CurrentEvent current_;
  PyThreadState* thread_ = nullptr;
  PyObject* names_ = nullptr;  // of __main__, borrowed
  Ended ended_;
  Hooks hooks_;
  std::optional<TextCache> texts_;
  std::optional<ChainObjects> chains_;
  std::optional<SampleDict> dicts_;
  std::optional<Values> values_;
  Ref context_;
  Handler unhandled_, general_;
  TakenKeys unhandled_keys_;
  std::vector<std::unique_ptr<Event>> events_;
  std::vector<PyObject*> arguments_;
  std::vector<Ref> comms_;  // by id
  u64 second_ = ~u64{0};
  Ref second_object_;
};

}  // namespace peregrine::script
