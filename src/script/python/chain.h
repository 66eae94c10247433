// ChainObjects: callchains as scripts get them: a list of {'ip', 'sym': {'start', 'end', 'binding', 'name'}, 'sym_off',
// 'dso'}.
//
// What is the same for all samples with a frame is made once and copied: scripts own, and may change, what they get.
#pragma once
#include <unordered_map>
#include <vector>

#include "script/answers.h"
#include "script/python/object.h"

namespace peregrine::script {

class ChainObjects {
 public:
  explicit ChainObjects(Answers& answers) : answers_(answers) {}
  // Of the sample at hand.
  Ref list();

 private:
  struct Template {
    Ref frame, symbol;
  };
  const Template& find(const ChainFrame& frame);
  Template make(const ChainFrame& frame);

  Answers& answers_;
  std::unordered_map<u64, Template> templates_;  // by ip and frame
  const Ref ip_{PyUnicode_InternFromString("ip")}, sym_{PyUnicode_InternFromString("sym")};
};

}  // namespace peregrine::script
