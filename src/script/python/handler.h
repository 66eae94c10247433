// Handler: a function of the script that is called for events, and what it takes: its arguments that are never read
// need no value, and of a dict only the keys that are named need to be there.
//
// Looked up once. What a function reads is found in its bytecode; where that is not plain (it calls locals(), hands the
// dict on, is no plain function), it takes everything.
#pragma once
#include <string>
#include <unordered_set>
#include <vector>

#include "script/python/object.h"

namespace peregrine::script {

// Keys of a dict that are read: "ip", "sample", "sample.ip".
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
  // The callable of that name in the script; false in operator bool when there is none.
  static Handler find(PyObject* names, const std::string& name);
  explicit operator bool() const { return callable_ != nullptr; }

  PyObject* callable() const { return callable_.get(); }
  // -1: not known.
  int arguments() const { return arguments_; }
  // Empty: not known.
  const std::vector<std::string>& argument_names() const { return argument_names_; }
  bool is_plain() const { return !taken_.empty(); }
  bool takes(std::size_t argument) const { return argument >= taken_.size() || taken_[argument]; }
  // Of the dict that is its argument number `argument`.
  TakenKeys keys(int argument) const;

 private:
  Ref callable_;
  int arguments_ = -1;
  std::vector<std::string> argument_names_;
  std::vector<bool> taken_;
};

}  // namespace peregrine::script
