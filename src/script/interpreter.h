// Interpreter: a scripting language plug-in: script_python.so, script_perl.so.
//
//   load_interpreter() ─▶ dlopen ─▶ kOpenInterpreter(Setup) ─▶ start() … sample() … finish()
//
// Passes values to the script's handlers. A call that returns false has ended the run; ended() says how. All calls are
// on one thread. Between leave() and enter() the script's own threads may run.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "pipeline/replay/replay.h"
#include "script/answers.h"
#include "script/event_plan.h"

namespace peregrine::script {

struct Setup {
  std::string file;                    // the script
  std::vector<std::string> arguments;  // the script's argv, starting with its name
  ByteOrder order = kHostOrder;        // of the recording
  unsigned max_stack = 127;
  Answers& answers;
  std::span<const abi::RecordedField> fields = abi::kRecordedFields;
};

// The handlers the script has for records other than samples.
struct Hooks {
  bool throttle = false, unthrottle = false, context_switch = false, auxtrace_error = false, counts = false;
};

struct AuxtraceError {
  u32 type = 0, code = 0;
  i32 cpu = 0, pid = 0, tid = 0;
  u64 ip = 0, time = 0;
  std::string_view message;
  i32 machine_pid = 0, vcpu = 0;
};

struct Reading {
  std::string_view event;  // event name: "cycles:k"
  i32 cpu = -1, thread = -1;
  u64 time = 0, value = 0, enabled = 0, running = 0;
};

// How a run ended: normally (0), by the script's exit(), or by an error in it, which was reported with its line.
struct Ended {
  int code = 0;
  bool interrupted = false;  // Ctrl-C: results so far are still shown
  bool broken_file = false;  // the script failed to load, before any event
};

class Interpreter {
 public:
  virtual ~Interpreter() = default;
  // Runs the file and its trace_begin().
  virtual bool start() = 0;
  virtual Hooks hooks() const = 0;
  // Call in index order; the plan must outlive the interpreter. Returns whether any handler takes its samples.
  virtual bool add_event(const EventPlan& plan) = 0;
  // False if Ctrl-C was pressed.
  virtual bool enter() = 0;
  virtual void leave() = 0;
  virtual bool sample(const ReplaySample& sample) = 0;
  virtual bool throttle(const abi::ThrottleRecord& record, const abi::SampleId& place) = 0;
  virtual bool context_switch(const abi::SwitchRecord& record, const abi::SampleId& place) = 0;
  virtual bool auxtrace_error(const AuxtraceError& error) = 0;
  virtual bool reading(const Reading& reading) = 0;
  virtual bool interval(u64 time) = 0;
  // Calls trace_end(), even after an interrupt.
  virtual bool finish() = 0;
  virtual Ended ended() const = 0;
};

// The plug-in's only symbol. `number` must be kInterpreterNumber: plug-in and program are from the same build.
inline constexpr u32 kInterpreterNumber = 2;
inline constexpr const char* kOpenInterpreter = "peregrine_open_interpreter";
using OpenInterpreter = Interpreter*(u32 number, const Setup& setup);

enum class Language : u8 { Python, Perl };

// `folder`: of the plug-ins. Unsupported: it is missing, with what to install; Malformed: of another build.
Result<std::unique_ptr<Interpreter>> load_interpreter(const std::string& folder, Language language, const Setup& setup);

}  // namespace peregrine::script
