// Diagnosis: what works here, what does not, why, and which command allows it: the kernel's rules over the facts of a
// `Root`, corrected by trials. Where a trial contradicts the rules, something outside of them says no: seccomp, a
// security module, a kernel built without.
//
//   read_facts(root) ──▶ Facts ─┐
//   try_everything()  ──▶ Trials ┴──▶ diagnose ──▶ findings in groups, remedies in the order to try them
//
// Without trials (a faked root) the rules alone answer. Pure.
#pragma once
#include <string>
#include <vector>

#include "capture/diagnosis/ability.h"
#include "capture/diagnosis/facts.h"

namespace peregrine {

enum class Verdict {
  Works,
  Denied,  // there, but not for this process
  Absent,  // this machine or kernel has none
  Fact     // neither: a number or a name to know
};

struct Finding {
  std::string what;  // "the whole machine (-a, -C)"
  Verdict verdict = Verdict::Works;
  std::string why;  // may be empty
};

struct FindingGroup {
  std::string title;
  std::vector<Finding> findings;
};

struct Remedy {
  std::string command;  // to be typed as it is
  std::string gives;    // what works afterwards
};

struct Diagnosis {
  std::vector<FindingGroup> groups;
  std::vector<Remedy> remedies;
  bool can_record = false;  // at least this process, in user space
};

// `program`: the name that a shell finds this program by, for the commands.
Diagnosis diagnose(const Facts& facts, const Trials& trials, std::string_view program);

}  // namespace peregrine
