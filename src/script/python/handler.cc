#include "script/python/handler.h"

namespace peregrine::script {
namespace {

// Runs once per handler. Written in Python, because there the names of instructions are the same in all versions. The
// last function returns None for "everything".
constexpr const char* kAnalysis = R"py(
import dis

LOOKS_AROUND = {'locals', 'vars', 'eval', 'exec', 'dir', '_getframe', 'currentframe', 'stack', 'trace', 'breakpoint',
                'set_trace', 'globals', 'settrace', 'setprofile'}
QUIET = {'CACHE', 'RESUME', 'NOP', 'PRECALL', 'PUSH_NULL', 'EXTENDED_ARG', 'COPY_FREE_VARS', 'MAKE_CELL'}

def names_of(instruction):
    value = instruction.argval
    return value if isinstance(value, tuple) else (value,)

def is_read(instruction, name):
    return instruction.opname not in ('STORE_FAST', 'LOAD_CONST') and name in names_of(instruction)

def instructions(function):
    return [each for each in dis.get_instructions(function) if each.opname not in QUIET]

def is_plain(function, code):
    if code.co_flags & 0x2ac or code.co_cellvars:   # *args, **kw, generators, coroutines
        return False
    return not any(each.argval in LOOKS_AROUND for each in code_names(function))

def code_names(function):
    return [each for each in instructions(function)
            if any(kind in each.opname for kind in ('GLOBAL', 'NAME', 'ATTR', 'METHOD'))]

def taken_arguments(function):
    code = getattr(function, '__code__', None)
    if code is None or not hasattr(function, '__globals__'):
        return None
    names = list(code.co_varnames[:code.co_argcount])
    if not is_plain(function, code):
        return names, None
    steps = instructions(function)
    return names, [any(is_read(step, name) for step in steps) for name in names]

def text_key(step):
    return step.argval if step.opname == 'LOAD_CONST' and isinstance(step.argval, str) else None

def add_keys(steps, name, prefix, keys):
    for at, step in enumerate(steps):
        if not is_read(step, name):
            if step.opname == 'STORE_FAST' and step.argval == name and prefix == '':
                return False
            continue
        behind = steps[at + 1:at + 5] + [step] * 4
        if step.opname != 'LOAD_FAST':
            return False
        if behind[0].opname == 'CONTAINS_OP' and at and text_key(steps[at - 1]):
            keys.add(prefix + text_key(steps[at - 1]))
            continue
        start = 0
        if behind[0].opname in ('LOAD_METHOD', 'LOAD_ATTR') and behind[0].argval in ('get', 'has_key'):
            start = 1
        key = text_key(behind[start])
        if key is None or (start == 0 and behind[1].opname != 'BINARY_SUBSCR'):
            return False
        keys.add(prefix + key)
        if prefix or key != 'sample':
            continue
        if start == 0 and behind[2].opname == 'LOAD_CONST' and text_key(behind[2]) and behind[3].opname == 'BINARY_SUBSCR':
            keys.add('sample.' + text_key(behind[2]))
        elif not (start == 0 and behind[2].opname == 'STORE_FAST' and
                  sum(each.opname == 'STORE_FAST' and each.argval == behind[2].argval for each in steps) == 1 and
                  add_keys(steps, behind[2].argval, 'sample.', keys)):
            keys.add('sample.*')
    return True

def taken_keys(function, argument):
    code = getattr(function, '__code__', None)
    if code is None or not is_plain(function, code) or argument >= code.co_argcount:
        return None
    keys = set()
    return list(keys) if add_keys(instructions(function), code.co_varnames[argument], '', keys) else None
)py";

// Returns the names that kAnalysis defines. A hidden module keeps them alive as long as the callables.
PyObject* analysis() {
  constexpr const char* kName = "_peregrine_handler";
  PyObject* const modules = PyImport_GetModuleDict();
  if (PyObject* const known = PyDict_GetItemString(modules, kName)) return PyModule_GetDict(known);
  const Ref module(PyModule_New(kName));
  if (!module) return nullptr;
  PyObject* const names = PyModule_GetDict(module.get());
  PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
  const Ref ran(PyRun_String(kAnalysis, Py_file_input, names, names));
  if (!ran) return nullptr;
  PyDict_SetItemString(modules, kName, module.get());
  return names;
}

// Returns None if the analysis fails; the handler then gets everything.
Ref ask(const char* question, PyObject* callable, int argument) {
  PyObject* const names = analysis();
  PyObject* const function = names == nullptr ? nullptr : PyDict_GetItemString(names, question);
  Ref answer;
  if (function != nullptr) {
    answer.reset(argument < 0 ? PyObject_CallFunctionObjArgs(function, callable, nullptr)
                              : PyObject_CallFunction(function, "Oi", callable, argument));
  }
  if (!answer) PyErr_Clear();
  return answer;
}

}  // namespace

Handler Handler::find(PyObject* names, const std::string& name) {
  Handler handler;
  PyObject* const found = PyDict_GetItemString(names, name.c_str());
  if (found == nullptr || !PyCallable_Check(found)) return handler;
  handler.callable_ = share(found);
  const Ref answer = ask("taken_arguments", found, -1);
  if (!answer || !PyTuple_Check(answer.get())) return handler;
  PyObject* const names_of_arguments = PyTuple_GET_ITEM(answer.get(), 0);
  handler.arguments_ = static_cast<int>(PyList_GET_SIZE(names_of_arguments));
  for (Py_ssize_t i = 0; i < handler.arguments_; ++i) {
    const char* const argument = PyUnicode_AsUTF8(PyList_GET_ITEM(names_of_arguments, i));
    handler.argument_names_.emplace_back(argument == nullptr ? "" : argument);
  }
  PyObject* const taken = PyTuple_GET_ITEM(answer.get(), 1);
  if (!PyList_Check(taken)) return handler;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(taken); ++i)
    handler.taken_.push_back(PyList_GET_ITEM(taken, i) == Py_True);
  return handler;
}

TakenKeys Handler::keys(int argument) const {
  TakenKeys keys;
  const Ref answer = ask("taken_keys", callable_.get(), argument);
  if (!answer || !PyList_Check(answer.get())) {
    keys.take_all();
    return keys;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(answer.get()); ++i) {
    if (const char* const key = PyUnicode_AsUTF8(PyList_GET_ITEM(answer.get(), i))) keys.add(key);
  }
  return keys;
}

}  // namespace peregrine::script
