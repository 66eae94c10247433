// Ref: an owned reference to a Python object; and the few things that make objects.
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

// One more reference to a borrowed object.
inline Ref share(PyObject* object) {
  Py_XINCREF(object);
  return Ref(object);
}

// Text from a recording: bytes that are no UTF-8 are shown as \xff, so that printing them never fails.
inline Ref text_object(std::string_view text) {
  return Ref(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

inline Ref number_object(u64 value) {
  return Ref(value <= 0x7fffffffu ? PyLong_FromLong(static_cast<long>(value)) : PyLong_FromUnsignedLongLong(value));
}
inline Ref signed_object(i64 value) { return Ref(PyLong_FromLongLong(value)); }
// A key: the same object for the same text.
inline Ref interned(const char* text) { return Ref(PyUnicode_InternFromString(text)); }
inline Ref bytes_object(Bytes bytes) {
  return Ref(
      PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size())));
}

// Puts a value into a dict; a null value (no memory) is left out, and Python's error stays set.
inline void put(PyObject* dict, PyObject* key, Ref value) {
  if (value) PyDict_SetItem(dict, key, value.get());
}
inline void put(PyObject* dict, const char* key, Ref value) {
  if (value) PyDict_SetItemString(dict, key, value.get());
}

}  // namespace peregrine::script
