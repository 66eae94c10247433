// PerlChains: callchains for subs: a reference to a list of {ip, sym => {start, end, binding, name}, dso}.
//
// Scripts own what they get and may change it. Most only read and release it: then nobody else has the frame's hash,
// and the next event with that frame reuses it. If a script kept or changed it, a new one is made.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "script/answers.h"
#include "script/perl/slot.h"

namespace peregrine::script {

class PerlChains {
 public:
  explicit PerlChains(Answers& answers) : answers_(answers) {}
  // For the current sample. A new reference.
  SV* list(pTHX);

 private:
  enum Key : u8 { Start, End, Binding, Name, Ip, Sym, Dso, Count };
  // The last hash given out for a frame. We and the hash both hold a reference to each value.
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
  std::size_t count_ = 0;     // number created
};

}  // namespace peregrine::script
