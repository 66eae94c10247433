// Diagnosis: what works here, what does not, why, and which command fixes it: the kernel's rules applied to the facts
// of a `Root`, corrected by trials. If a trial contradicts the rules, something else denies it: seccomp, a security
// module, a kernel built without the feature.
//
//   read_facts(root) ──▶ Facts ─┐
//   try_everything()  ──▶ Trials ┴──▶ diagnose ──▶ findings in groups, remedies in the order to try them
//
// Without trials (a faked root) only the rules apply. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "capture/diagnosis/ability.h"
#include "capture/diagnosis/facts.h"

namespace peregrine {

enum class Verdict {
  Works,
  Denied,  // exists, but not for this process
  Absent,  // this machine or kernel lacks it
  Fact     // neutral: a number or a name
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
  std::string command;  // to be typed as is
  std::string gives;    // what it enables
};

struct Diagnosis {
  std::vector<FindingGroup> groups;
  std::vector<Remedy> remedies;
  std::vector<Remedy> next;  // two or three useful commands that work here, unless nothing can be recorded
  bool can_record = false;  // at least this process in user space
};

// `program`: the name by which a shell finds this program, or its path; used in the commands.
Diagnosis diagnose(const Facts& facts, const Trials& trials, std::string_view program);

}  // namespace peregrine
