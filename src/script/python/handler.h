// Handler: a script's event function and the arguments it uses: unused ones need no value, and of a dict only the keys
// used are needed.
//
// Looked up once. Usage is found in the bytecode; if that is not possible (it calls locals(), passes the dict on, or is
// not a plain function), everything counts as used.
#pragma once
#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "script/python/object.h"

namespace peregrine::script {

// Dict keys that are read: "ip", "sample", "sample.ip".
class TakenKeys {
 public:
  void take_all() { all_ = true; }
  void add(std::string key) { keys_.insert(std::move(key)); }
  bool has(const std::string& key) const {
    if (all_ || keys_.contains(key)) return true;
    const std::size_t dot = key.find('.');
    return dot != std::string::npos && keys_.contains(key.substr(0, dot) + ".*");
  }

 private:
  bool all_ = false;
  std::unordered_set<std::string> keys_;
};

class Handler {
 public:
  // The script's callable with that name; false in operator bool if none.
  static Handler find(PyObject* names, const std::string& name);
  explicit operator bool() const { return callable_ != nullptr; }

  PyObject* callable() const { return callable_.get(); }
  // -1 if unknown.
  int arguments() const { return arguments_; }
  // Empty if unknown.
  const std::vector<std::string>& argument_names() const { return argument_names_; }
  bool is_plain() const { return !taken_.empty(); }
  bool takes(std::size_t argument) const { return argument >= taken_.size() || taken_[argument]; }
  // Of the dict argument number `argument`.
  TakenKeys keys(int argument) const;

 private:
  Ref callable_;
  int arguments_ = -1;
  std::vector<std::string> argument_names_;
  std::vector<bool> taken_;
};

}  // namespace peregrine::script
