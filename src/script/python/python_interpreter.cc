#include "script/python/python_interpreter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/types.h"
#include "machine/process/thread_table.h"
#include "pipeline/replay/replay.h"
#include "script/event_plan.h"
#include "script/field_bytes.h"
#include "script/python/handler.h"
#include "script/python/object.h"

namespace peregrine::script {
namespace {

constexpr u64 kSecond = 1'000'000'000;
// Exit codes that linux-perf's caller sees for a script that does not run and for a failed handler (SIGABRT).
constexpr int kBrokenFile = 255, kBrokenHandler = 134;
constexpr int kBrokenPipe = 141;   // as if SIGPIPE, which Python ignores, had ended the program
constexpr int kUnwritten = 120;    // Python's exit code when it cannot flush its output
constexpr std::size_t kFirst = 1;  // PY_VECTORCALL_ARGUMENTS_OFFSET: the callee may use the slot before the arguments
constexpr std::size_t kChain = 7;  // index of the callchain argument

int cpu_of(const abi::SampleId& place) {
  return (place.fields & abi::sample_bit::Cpu) != 0 ? static_cast<int>(place.cpu) : -1;
}

std::string_view folder_of(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string_view::npos ? std::string_view(".") : file.substr(0, slash == 0 ? 1 : slash);
}

std::nullopt_t os_error(const std::string& path) {
  PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
  return std::nullopt;
}

// Returns the script's text, or nothing with a Python error set. A FIFO is refused, since opening it would block.
std::optional<std::string> text_of(const std::string& path) {
  struct Descriptor {
    int number;
    ~Descriptor() {
      if (number >= 0) ::close(number);
    }
  };
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  struct stat status{};
  if (file.number < 0 || ::fstat(file.number, &status) != 0) return os_error(path);
  if (!S_ISREG(status.st_mode)) {
    PyErr_Format(PyExc_OSError, "%s: not a regular file", path.c_str());
    return std::nullopt;
  }
  std::string text;
  char piece[1 << 16];
  for (;;) {
    const ssize_t size = ::read(file.number, piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return os_error(path);
    if (size == 0) return text;
    text.append(piece, static_cast<std::size_t>(size));
  }
}

// Whether the reader of stdout is gone.
bool output_is_gone() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

// Without this flush, Python would only mention the lost output on exit. Returns false with an OSError set.
bool flush_output() {
  PyObject* const out = PySys_GetObject("stdout");
  if (out == nullptr || out == Py_None) return true;
  const Ref done(PyObject_CallMethod(out, "flush", nullptr));
  if (done) return true;
  if (PyErr_ExceptionMatches(PyExc_OSError) != 0) return false;
  PyErr_Clear();  // the script closed or replaced stdout
  return true;
}

}  // namespace

PythonInterpreter::PythonInterpreter(const Setup& setup) : setup_(setup) {
  current_.answers = &setup.answers;
  current_.order = setup.order;
}

// Python's final output happens in finish(). Our objects must be destroyed before the interpreter ends.
PythonInterpreter::~PythonInterpreter() {
  if (thread_ == nullptr) return;
  PyEval_RestoreThread(thread_);
  events_.clear();
  comms_.clear();
  second_object_.reset();
  context_.reset();
  unhandled_ = Handler();
  general_ = Handler();
  values_.reset();
  dicts_.reset();
  chains_.reset();
  texts_.reset();
  Py_FinalizeEx();
}

bool PythonInterpreter::start() {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.parse_argv = 0;
  PyConfig_SetBytesString(&config, &config.program_name, PEREGRINE_PYTHON_EXECUTABLE);
  std::vector<char*> arguments;
  for (std::string& argument : setup_.arguments) arguments.push_back(argument.data());
  PyConfig_SetBytesArgv(&config, static_cast<Py_ssize_t>(arguments.size()), arguments.data());
  const PyStatus status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0) {
    ended_ = {.code = kBrokenFile, .broken_file = true};
    return false;
  }
  texts_.emplace();
  chains_.emplace(setup_.answers);
  dicts_.emplace(setup_.answers, *chains_, *texts_, setup_.fields);
  values_.emplace(*texts_, setup_.order);
  context_.reset(PyCapsule_New(&current_, nullptr, nullptr));
  names_ = PyModule_GetDict(PyImport_AddModule("__main__"));
  PyDict_SetItemString(names_, "perf_script_context", context_.get());
  bool good = add_context_module(current_) && run_file();
  if (!good && PyErr_Occurred() != nullptr) good = fail(kBrokenFile);
  if (good) {
    find_hooks();
    good = call_hook("trace_begin", nullptr);
  }
  thread_ = PyEval_SaveThread();
  return good;
}

bool PythonInterpreter::run_file() {
  const auto source = text_of(setup_.file);
  if (!source) return false;
  const Ref folder(PyUnicode_DecodeFSDefault(std::string(folder_of(setup_.file)).c_str()));
  const Ref file(PyUnicode_DecodeFSDefault(setup_.file.c_str()));
  PyObject* const path = PySys_GetObject("path");
  if (!folder || !file || path == nullptr) return false;
  const Ref os(PyImport_ImportModule("os.path"));
  const Ref whole(os ? PyObject_CallMethod(os.get(), "realpath", "O", folder.get()) : nullptr);
  if (!whole || PyList_Insert(path, 0, whole.get()) != 0) return false;
  PyDict_SetItemString(names_, "__file__", file.get());
  const Ref code(Py_CompileStringObject(source->c_str(), file.get(), Py_file_input, nullptr, -1));
  if (!code) return false;
  const Ref ran(PyEval_EvalCode(code.get(), names_, names_));
  return ran != nullptr;
}

void PythonInterpreter::find_hooks() {
  const auto has = [&](const char* name) { return PyDict_GetItemString(names_, name) != nullptr; };
  hooks_ = {.throttle = has("throttle"),
            .unthrottle = has("unthrottle"),
            .context_switch = has("context_switch"),
            .auxtrace_error = has("auxtrace_error")};
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(names_, &at, &name, &value) != 0;) {
    const char* const text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (text == nullptr) PyErr_Clear();  // a name with a lone surrogate
    if (text != nullptr && std::string_view(text).starts_with("stat__")) hooks_.counts = true;
  }
  unhandled_ = Handler::find(names_, "trace_unhandled");
  general_ = Handler::find(names_, "process_event");
  if (unhandled_) unhandled_keys_ = unhandled_.keys(2);
}

bool PythonInterpreter::add_event(const EventPlan& plan) {
  auto event = std::make_unique<Event>();
  event->plan = &plan;
  event->name = text_object(plan.handler);
  if (!plan.handler.empty()) {
    event->own = Handler::find(names_, plan.handler);
    if (event->own)
      plan_fields(*event);
    else if (unhandled_)
      plan_unhandled(*event);
    if (event->call != Call::None) tell_names(plan);
  } else if (general_ && plan.attr.type != static_cast<u32>(abi::EventType::Tracepoint)) {
    event->call = Call::General;
    event->keys.emplace(dicts_->keys(general_.keys(0)));
  }
  PyErr_Clear();
  events_.push_back(std::move(event));
  return events_.back()->call != Call::None;
}

void PythonInterpreter::plan_fields(Event& event) {
  event.call = Call::Fields;
  event.handler = &event.own;
  const int given = static_cast<int>(kChain + 1 + event.plan->fields.size());
  plan_named_fields(event);
  if (!event.named_fields.empty()) {
    arguments_.resize(std::max(arguments_.size(), kFirst + event.own.argument_names().size()));
    return;
  }
  if (event.own.arguments() == given + 1) event.keys.emplace(dicts_->keys(event.own.keys(given)));
  event.without_chain = event.own.is_plain() && event.own.arguments() == given - 1;
  arguments_.resize(std::max(arguments_.size(), kFirst + static_cast<std::size_t>(given) + 1));
}

// Fields vary between kernels: sched_wakeup had `success` up to Linux 4.2. A handler generated for another kernel may
// name arguments that the event lacks, or fewer than it has. Its arguments are then matched by name.
void PythonInterpreter::plan_named_fields(Event& event) const {
  const std::vector<FieldPlan>& fields = event.plan->fields;
  const std::vector<std::string>& names = event.own.argument_names();
  if (names.size() <= kChain + 1 || names[kChain] != "common_callchain") return;
  const bool wants_dict = names.back() == "perf_sample_dict";
  const std::size_t named = names.size() - kChain - 1 - (wants_dict ? 1 : 0);
  const auto place_of = [&](const std::string& name) {
    const auto found = std::ranges::find(fields, name, &FieldPlan::name);
    return found == fields.end() ? kNoField : static_cast<std::size_t>(found - fields.begin());
  };
  if (named == fields.size()) return;
  if (named == fields.size() + 1 && place_of(names.back()) == kNoField) return;  // the sample's dict
  for (std::size_t i = 0; i < named; ++i) event.named_fields.push_back(place_of(names[kChain + 1 + i]));
  if (std::ranges::count(event.named_fields, kNoField) == static_cast<std::ptrdiff_t>(named))
    event.named_fields.clear();
  else if (wants_dict)
    event.keys.emplace(dicts_->keys(event.own.keys(static_cast<int>(names.size() - 1))));
}

void PythonInterpreter::plan_unhandled(Event& event) {
  event.call = Call::Unhandled;
  event.handler = &unhandled_;
  for (const FieldPlan& field : event.plan->fields) {
    event.field_names.push_back(text_object(field.name));
    event.fields_taken.push_back(unhandled_keys_.has(field.name));
  }
  if (unhandled_.arguments() == 4) event.keys.emplace(dicts_->keys(unhandled_.keys(3)));
  arguments_.resize(std::max<std::size_t>(arguments_.size(), kFirst + 4));
}

// Core.py has functions that must learn the names of flags and values before the first event.
void PythonInterpreter::tell_names(const EventPlan& plan) {
  const auto tell = [&](const char* function, const char* format, auto... values) {
    PyObject* const found = PyDict_GetItemString(names_, function);
    if (found == nullptr) return;
    const Ref done(PyObject_CallFunction(found, format, values...));
    if (!done) PyErr_Clear();
  };
  for (const FieldNames& field : plan.names) {
    const char *event = plan.handler.c_str(), *name = field.field.c_str();
    if (field.flags)
      tell("define_flag_field", "sss", event, name, field.delimiter.c_str());
    else
      tell("define_symbolic_field", "ss", event, name);
    for (const auto& [value, text] : field.names)
      tell(field.flags ? "define_flag_value" : "define_symbolic_value", "ssKs", event, name,
           static_cast<unsigned long long>(value), text.c_str());
  }
}

bool PythonInterpreter::enter() {
  PyEval_RestoreThread(thread_);
  return PyErr_CheckSignals() == 0 || fail(kBrokenHandler);
}

void PythonInterpreter::leave() { thread_ = PyEval_SaveThread(); }

bool PythonInterpreter::sample(const ReplaySample& sample) {
  const Event& event = *events_[sample.event];
  current_.sample = &sample;
  current_.plan = event.plan;
  const bool good = event.call == Call::Fields      ? call_fields(sample, event)
                    : event.call == Call::Unhandled ? call_unhandled(sample, event)
                                                    : call_general(sample, event);
  current_.sample = nullptr;
  return good;
}

// The tid in the tracepoint's data is that of the task that hit it. It exists even if the sample has no tid.
u64 PythonInterpreter::pid(const ReplaySample& sample, const EventPlan& plan) const {
  return shared_number(plan.shared.pid, sample.sample.raw, setup_.order);
}

Ref PythonInterpreter::comm(const ReplaySample& sample) {
  const CommId id = sample.context.thread.comm;
  if (id.unnamed()) return texts_->find(setup_.answers.comm());
  if (id.value >= comms_.size()) comms_.resize(std::max<std::size_t>(id.value + 1, comms_.size() * 2));
  if (!comms_[id.value]) comms_[id.value] = text_object(setup_.answers.comm());
  return share(comms_[id.value].get());
}

Ref PythonInterpreter::seconds(u64 time) {
  if (second_ != time / kSecond) {
    second_ = time / kSecond;
    second_object_ = number_object(second_);
  }
  return share(second_object_.get());
}

bool PythonInterpreter::call_fields(const ReplaySample& replayed, const Event& event) {
  const abi::Sample& sample = replayed.sample;
  const Handler& handler = *event.handler;
  PyObject** const at = arguments_.data() + kFirst;
  std::size_t count = 0;
  const auto give = [&](auto make) {
    at[count] = handler.takes(count) ? make().release() : share(Py_None).release();
    ++count;
  };
  const u64 time = (sample.fields & abi::sample_bit::Time) != 0 ? sample.time : ~u64{0};
  give([&] { return share(event.name.get()); });
  give([&] { return share(context_.get()); });
  give([&] { return signed_object((sample.fields & abi::sample_bit::Cpu) != 0 ? static_cast<i32>(sample.cpu) : -1); });
  give([&] { return seconds(time); });
  give([&] { return number_object(time % kSecond); });
  give([&] { return number_object(pid(replayed, *event.plan)); });
  give([&] { return comm(replayed); });
  Ref chain;
  const bool taken = !event.without_chain && handler.takes(kChain);
  if (taken || (event.keys && event.keys->has(SampleKey::Callchain))) chain = chains_->list();
  if (!event.without_chain) at[count++] = share(taken ? chain.get() : Py_None).release();
  const auto give_field = [&](const FieldPlan& field) { give([&] { return values_->field(field, sample.raw); }); };
  for (const std::size_t field : event.named_fields) {
    if (field == kNoField)
      at[count++] = share(Py_None).release();
    else
      give_field(event.plan->fields[field]);
  }
  if (event.named_fields.empty())
    for (const FieldPlan& field : event.plan->fields) give_field(field);
  if (event.keys) {
    at[count++] = dicts_->make(replayed, *event.plan, *event.keys, std::move(chain)).release();
  }
  return call(handler.callable(), kFirst, count);
}

bool PythonInterpreter::call_unhandled(const ReplaySample& replayed, const Event& event) {
  const abi::Sample& sample = replayed.sample;
  Ref fields(PyDict_New());
  Ref chain;
  const bool taken = unhandled_keys_.has("common_callchain");
  if (taken || (event.keys && event.keys->has(SampleKey::Callchain))) chain = chains_->list();
  if (!fields) return fail(kBrokenHandler);
  if (unhandled_.takes(2)) {
    const auto add = [&](const char* name, auto value) {
      if (unhandled_keys_.has(name)) put(fields.get(), name, value());
    };
    const u64 time = (sample.fields & abi::sample_bit::Time) != 0 ? sample.time : ~u64{0};
    add("common_cpu",
        [&] { return signed_object((sample.fields & abi::sample_bit::Cpu) != 0 ? static_cast<i32>(sample.cpu) : -1); });
    add("common_s", [&] { return seconds(time); });
    add("common_ns", [&] { return number_object(time % kSecond); });
    add("common_pid", [&] { return number_object(pid(replayed, *event.plan)); });
    add("common_comm", [&] { return comm(replayed); });
    if (taken) put(fields.get(), "common_callchain", share(chain.get()));
    for (std::size_t i = 0; i < event.field_names.size(); ++i) {
      if (event.fields_taken[i])
        put(fields.get(), event.field_names[i].get(), values_->field(event.plan->fields[i], sample.raw));
    }
  }
  PyObject** const at = arguments_.data() + kFirst;
  at[0] = share(event.name.get()).release();
  at[1] = share(context_.get()).release();
  at[2] = fields.release();
  if (event.keys) at[3] = dicts_->make(replayed, *event.plan, *event.keys, std::move(chain)).release();
  return call(unhandled_.callable(), kFirst, event.keys ? 4 : 3);
}

bool PythonInterpreter::call_general(const ReplaySample& replayed, const Event& event) {
  arguments_.resize(std::max<std::size_t>(arguments_.size(), kFirst + 1));
  arguments_[kFirst] = dicts_->make(replayed, *event.plan, *event.keys, nullptr).release();
  return call(general_.callable(), kFirst, 1);
}

// Takes ownership of the arguments.
bool PythonInterpreter::call(PyObject* callable, std::size_t first, std::size_t count) {
  PyObject** const at = arguments_.data() + first;
  const bool whole = std::find(at, at + count, nullptr) == at + count;
  PyObject* const answer =
      whole ? PyObject_Vectorcall(callable, at, count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr) : nullptr;
  for (std::size_t i = 0; i < count; ++i) Py_XDECREF(at[i]);
  if (answer == nullptr) return fail(kBrokenHandler);
  Py_DECREF(answer);
  return true;
}

bool PythonInterpreter::call_hook(const char* name, Ref arguments) {
  PyObject* const found = PyDict_GetItemString(names_, name);
  if (found == nullptr) return true;
  const Ref answer(PyObject_CallObject(found, arguments.get()));
  return answer != nullptr || fail(kBrokenHandler);
}

bool PythonInterpreter::throttle(const abi::ThrottleRecord& record, const abi::SampleId& place) {
  return call_hook(record.throttled ? "throttle" : "unthrottle",
                   Ref(Py_BuildValue("(KKKiii)", record.time, record.id, record.stream_id, cpu_of(place),
                                     static_cast<int>(place.pid), static_cast<int>(place.tid))));
}

bool PythonInterpreter::context_switch(const abi::SwitchRecord& record, const abi::SampleId& place) {
  const int next_pid = record.cpu_wide ? static_cast<int>(record.next_prev_pid) : -1;
  const int next_tid = record.cpu_wide ? static_cast<int>(record.next_prev_tid) : -1;
  return call_hook("context_switch",
                   Ref(Py_BuildValue("(KiiiiiiOOii)", place.time, cpu_of(place), static_cast<int>(place.pid),
                                     static_cast<int>(place.tid), next_pid, next_tid, -1,
                                     record.out ? Py_True : Py_False, record.preempt ? Py_True : Py_False, 0, -1)));
}

bool PythonInterpreter::auxtrace_error(const AuxtraceError& error) {
  const Ref message = text_object(error.message);
  return call_hook("auxtrace_error",
                   Ref(Py_BuildValue("(IIiiiKKOiii)", error.type, error.code, error.cpu, error.pid, error.tid, error.ip,
                                     error.time, message.get(), 0, error.machine_pid, error.vcpu)));
}

bool PythonInterpreter::reading(const Reading& reading) {
  std::string name = fmt::format("stat__{}", reading.event);
  std::ranges::replace(name, ':', '_');
  return call_hook(name.c_str(), Ref(Py_BuildValue("(iiKKKK)", reading.cpu, reading.thread, reading.time, reading.value,
                                                   reading.enabled, reading.running)));
}

bool PythonInterpreter::interval(u64 time) { return call_hook("stat__interval", Ref(Py_BuildValue("(K)", time))); }

bool PythonInterpreter::finish() {
  PyEval_RestoreThread(thread_);
  bool good = call_hook("trace_end", nullptr);
  if (good && !flush_output()) {
    good = fail(kUnwritten);
    PySys_SetObject("stdout", Py_None);  // prevents a second flush
  }
  thread_ = PyEval_SaveThread();
  return good;
}

// Prints and clears Python's error. Always returns false.
bool PythonInterpreter::fail(int code) {
  const bool file = names_ != nullptr && code == kBrokenFile;
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0 && !file && !ended_.interrupted) {
    PyErr_Clear();
    ended_.interrupted = true;
    return false;
  }
  if (PyErr_ExceptionMatches(PyExc_BrokenPipeError) != 0 && output_is_gone()) {
    PyErr_Clear();
    PySys_SetObject("stdout", Py_None);  // prevents a second flush
    ended_ = {.code = kBrokenPipe};
    return false;
  }
  if (PyErr_ExceptionMatches(PyExc_SystemExit) == 0) {
    PyErr_Print();
    ended_ = {.code = code, .broken_file = file};
    return false;
  }
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const Ref asked(PyObject_GetAttrString(value, "code"));
  ended_ = {.code = 0};
  if (asked && PyLong_Check(asked.get())) {
    ended_.code = static_cast<int>(PyLong_AsLong(asked.get()) & 0xff);
  } else if (asked && asked.get() != Py_None) {
    const Ref text(PyObject_Str(asked.get()));
    PySys_FormatStderr("%U\n", text.get());
    ended_.code = 1;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_Clear();
  return false;
}

}  // namespace peregrine::script

extern "C" __attribute__((visibility("default"))) peregrine::script::Interpreter* peregrine_open_interpreter(
    peregrine::u32 number, const peregrine::script::Setup& setup) {
  if (number != peregrine::script::kInterpreterNumber) return nullptr;
  return new peregrine::script::PythonInterpreter(setup);
}
