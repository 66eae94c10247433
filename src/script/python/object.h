// Ref: an owned reference to a Python object; and helpers that create objects.
#pragma once
#define PY_SSIZE_T_CLEAN

#include <Python.h>

#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::script {

struct Release {
  void operator()(PyObject* object) const { Py_DECREF(object); }
};
using Ref = std::unique_ptr<PyObject, Release>;

// A new reference to a borrowed object.
inline Ref share(PyObject* object) {
  Py_XINCREF(object);
  return Ref(object);
}

// Text from a recording: invalid UTF-8 becomes \xff, so that printing never fails.
inline Ref text_object(std::string_view text) {
  return Ref(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

inline Ref number_object(u64 value) {
  return Ref(value <= 0x7fffffffu ? PyLong_FromLong(static_cast<long>(value)) : PyLong_FromUnsignedLongLong(value));
}
inline Ref signed_object(i64 value) { return Ref(PyLong_FromLongLong(value)); }
// A dict key: the same object for equal text.
inline Ref interned(const char* text) { return Ref(PyUnicode_InternFromString(text)); }
inline Ref bytes_object(Bytes bytes) {
  return Ref(
      PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size())));
}

// Sets a dict entry; skips null values (out of memory), leaving Python's error set.
inline void put(PyObject* dict, PyObject* key, Ref value) {
  if (value) PyDict_SetItem(dict, key, value.get());
}
inline void put(PyObject* dict, const char* key, Ref value) {
  if (value) PyDict_SetItemString(dict, key, value.get());
}

}  // namespace peregrine::script
