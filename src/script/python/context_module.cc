#include "script/python/context_module.h"

#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "script/answers.h"
#include "script/event_plan.h"
#include "script/field_bytes.h"

namespace peregrine::script {
namespace {

// All handlers get the same context object; its functions refer to the current event.
CurrentEvent* current_of(PyObject* module) {
  auto* const at = static_cast<CurrentEvent**>(PyModule_GetState(module));
  return at == nullptr ? nullptr : *at;
}

// Returns null with a Python error set if no handler is running or the argument is not a context.
CurrentEvent* event_of(PyObject* module, PyObject* arguments) {
  if (PyTuple_GET_SIZE(arguments) < 1 || !PyCapsule_CheckExact(PyTuple_GET_ITEM(arguments, 0))) {
    PyErr_SetString(PyExc_TypeError, "expected the context passed to the handler");
    return nullptr;
  }
  CurrentEvent* const current = current_of(module);
  if (current == nullptr || current->sample == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "there is no current event outside of a handler");
    return nullptr;
  }
  return current;
}

PyObject* number_of(PyObject* module, PyObject* arguments, std::optional<FieldPlan> SharedFields::* field) {
  const CurrentEvent* const current = event_of(module, arguments);
  if (current == nullptr) return nullptr;
  return number_object(shared_number(current->plan->shared.*field, current->sample->sample.raw, current->order))
      .release();
}

PyObject* preempt_count(PyObject* module, PyObject* arguments) {
  return number_of(module, arguments, &SharedFields::preempt_count);
}
PyObject* event_flags(PyObject* module, PyObject* arguments) {
  return number_of(module, arguments, &SharedFields::flags);
}
PyObject* lock_depth(PyObject* module, PyObject* arguments) {
  return number_of(module, arguments, &SharedFields::lock_depth);
}

PyObject* sample_insn(PyObject* module, PyObject* arguments) {
  const CurrentEvent* const current = event_of(module, arguments);
  if (current == nullptr) return nullptr;
  const Bytes bytes = current->answers->instruction();
  return bytes.empty() ? share(Py_None).release() : bytes_object(bytes).release();
}

// Accepts the options without effect: hardware traces are not decoded here, but scripts set options before they know.
PyObject* set_itrace_options(PyObject*, PyObject*) { return PyLong_FromLong(0); }

PyObject* source_tuple(PyObject* module, PyObject* arguments, bool with_text) {
  const CurrentEvent* const current = event_of(module, arguments);
  if (current == nullptr) return nullptr;
  const Answers::SourceAnswer found = current->answers->source(current->sample->sample.ip, with_text);
  const Ref path = found.path.empty() ? share(Py_None) : text_object(found.path);
  if (!with_text) return Py_BuildValue("(OI)", path.get(), found.line);
  const Ref text = found.text.empty() ? share(Py_None) : text_object(found.text);
  return Py_BuildValue("(OIO)", path.get(), found.line, text.get());
}

PyObject* sample_srcline(PyObject* module, PyObject* arguments) { return source_tuple(module, arguments, false); }
PyObject* sample_srccode(PyObject* module, PyObject* arguments) { return source_tuple(module, arguments, true); }

PyObject* config_get(PyObject* module, PyObject* arguments) {
  const char* key = nullptr;
  if (PyArg_ParseTuple(arguments, "s", &key) == 0) return nullptr;
  CurrentEvent* const current = current_of(module);
  const auto value = current == nullptr ? std::nullopt : current->answers->setting(key);
  return value ? text_object(*value).release() : share(Py_None).release();
}

// Not in linux-perf's module; called by our own Util.
PyObject* syscall_name(PyObject* module, PyObject* arguments) {
  long number = 0;
  if (PyArg_ParseTuple(arguments, "l", &number) == 0) return nullptr;
  CurrentEvent* const current = current_of(module);
  if (current == nullptr || number < 0) return share(Py_None).release();
  const std::string_view name = current->answers->syscall_name(static_cast<u32>(number));
  return name.empty() ? share(Py_None).release() : text_object(name).release();
}

PyMethodDef context_methods[] = {
    {"common_pc", preempt_count, METH_VARARGS, "nesting depth of disabled preemption"},
    {"common_flags", event_flags, METH_VARARGS, "interrupt and preemption flags, for Core's trace_flag_str"},
    {"common_lock_depth", lock_depth, METH_VARARGS, "nesting depth of the big kernel lock"},
    {"perf_sample_insn", sample_insn, METH_VARARGS, "bytes of the sampled instruction, or None"},
    {"perf_set_itrace_options", set_itrace_options, METH_VARARGS, "how hardware traces are decoded"},
    {"perf_sample_srcline", sample_srcline, METH_VARARGS, "(file, line) of the sampled instruction"},
    {"perf_sample_srccode", sample_srccode, METH_VARARGS, "(file, line, text) of the sampled instruction"},
    {"perf_config_get", config_get, METH_VARARGS, "a setting of perfconfig, or None"},
    {"perf_syscall_name", syscall_name, METH_VARARGS, "the system call's name on the recorded machine, or None"},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef context_definition = {
    PyModuleDef_HEAD_INIT,
    "perf_trace_context",
    "Queries about the current event.",
    sizeof(CurrentEvent*),
    context_methods,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

}  // namespace

bool add_context_module(CurrentEvent& current) {
  const Ref module(PyModule_Create(&context_definition));
  if (!module) return false;
  *static_cast<CurrentEvent**>(PyModule_GetState(module.get())) = &current;
  return PyDict_SetItemString(PyImport_GetModuleDict(), "perf_trace_context", module.get()) == 0;
}

}  // namespace peregrine::script
