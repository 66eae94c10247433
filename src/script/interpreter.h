// Interpreter: a language that scripts are written in, as a plug-in: script_python.so, script_perl.so.
//
//   load_interpreter() ─▶ dlopen ─▶ kOpenInterpreter(Setup) ─▶ start() … sample() … finish()
//
// Values in, calls of the script's handlers out. A call that returns false has ended the run; ended() says how. All
// calls are made by one thread. Between leave() and enter() threads of the script may run.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "pipeline/replay/replay.h"
#include "script/answers.h"
#include "script/event_plan.h"

namespace peregrine::script {

struct Setup {
  std::string file;                    // the script
  std::vector<std::string> arguments;  // what it sees as its argv, its own name first
  ByteOrder order = kHostOrder;        // of the recording
  unsigned max_stack = 127;
  Answers& answers;
};

// Records that are not samples, and who takes them.
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
  std::string_view event;  // as it is named: "cycles:k"
  i32 cpu = -1, thread = -1;
  u64 time = 0, value = 0, enabled = 0, running = 0;
};

// How a run ended: by itself (0), by exit() of the script, or by a mistake in it, which was told with its line.
struct Ended {
  int code = 0;
  bool interrupted = false;  // Ctrl-C: what was counted is still shown
  bool broken_file = false;  // the script's own lines failed, before any event
};

class Interpreter {
 public:
  virtual ~Interpreter() = default;
  // Runs the file and its trace_begin().
  virtual bool start() = 0;
  virtual Hooks hooks() const = 0;
  // Events come in the order of their index; the plan outlives the interpreter. Whether anybody takes its samples.
  virtual bool add_event(const EventPlan& plan) = 0;
  // False: Ctrl-C was pressed.
  virtual bool enter() = 0;
  virtual void leave() = 0;
  virtual bool sample(const ReplaySample& sample) = 0;
  virtual bool throttle(const abi::ThrottleRecord& record, const abi::SampleId& place) = 0;
  virtual bool context_switch(const abi::SwitchRecord& record, const abi::SampleId& place) = 0;
  virtual bool auxtrace_error(const AuxtraceError& error) = 0;
  virtual bool reading(const Reading& reading) = 0;
  virtual bool interval(u64 time) = 0;
  // trace_end(), also after an interrupt.
  virtual bool finish() = 0;
  virtual Ended ended() const = 0;
};

// The one symbol of a plug-in. `number` must be kInterpreterNumber: plug-in and program are of one build.
inline constexpr u32 kInterpreterNumber = 1;
inline constexpr const char* kOpenInterpreter = "peregrine_open_interpreter";
using OpenInterpreter = Interpreter*(u32 number, const Setup& setup);

enum class Language : u8 { Python, Perl };

// `folder`: where plug-ins lie. Unsupported: it is not there, with what to install; Malformed: of another build.
Result<std::unique_ptr<Interpreter>> load_interpreter(const std::string& folder, Language language, const Setup& setup);

}  // namespace peregrine::script
