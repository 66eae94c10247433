// PerlChains: callchains as subs get them: a reference to a list of {ip, sym => {start, end, binding, name}, dso}.
//
// Scripts own, and may change, what they get. Most read it and let it go: then the frame's hash is still as it was made
// and nobody else has it, and the next event with that frame is given the same one. What a script kept or changed is
// made anew.
#pragma once
#include <array>
#include <vector>

#include "script/answers.h"
#include "script/perl/slot.h"

namespace peregrine::script {

class PerlChains {
 public:
  explicit PerlChains(Answers& answers) : answers_(answers) {}
  // Of the sample at hand. A new reference.
  SV* list(pTHX);

 private:
  enum Key : u8 { Start, End, Binding, Name, Ip, Sym, Dso, Count };
  // One frame as it was given last. We hold each value, and so does the hash that it stands in.
  struct Known {
    HV* frame = nullptr;
    HV* symbol = nullptr;
    u64 ip = 0;
    std::array<SV*, Count> values{};  // null: the frame has none
    std::array<u64, Count> numbers{};
    std::array<std::string_view, Count> texts{};
  };
  HV* frame(pTHX_ const ChainFrame& frame);
  static bool is_ours(pTHX_ const Known& known);
  static bool is_unchanged(pTHX_ const Known& known, HV* hash, Key first, Key end);
  void make(pTHX_ Known& known, const ChainFrame& frame);
  static void drop(pTHX_ Known& known);

  Answers& answers_;
  Slot none_;                 // a list without frames
  std::vector<Known> known_;  // by frame
  std::size_t count_ = 0;     // of those that were made
};

}  // namespace peregrine::script
