// ChainObjects: callchains as scripts get them: a list of {'ip', 'sym': {'start', 'end', 'binding', 'name'}, 'sym_off',
// 'dso'}.
//
// Scripts own, and may change, what they get. Most read it and let it go: then the frame's dict is still as it was made
// and nobody else has it, and the next sample with that frame is given the same one. What a script kept is copied, what
// it changed is made anew from the values, which are made once for each frame. Python gives a dict another version
// number with each change.
#pragma once
#include <array>
#include <optional>
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
  enum Key : u8 { Start, End, Binding, Name, Ip, Sym, Offset, Dso, Count };
  struct Known {
    std::array<Ref, Count> values;  // null: the frame has none; of Sym: as it stands in `given`
    Ref given;                      // what scripts were given last
    std::optional<u64> version, symbol_version;
    u64 ip = 0;
  };
  Ref frame(const ChainFrame& frame);
  Known& find(const ChainFrame& frame);
  static bool is_unchanged(const Known& known);
  static void note_versions(Known& known);
  Ref make(const Known& known, Key first, Key end) const;
  Ref make_frame(Known& known) const;

  Answers& answers_;
  std::vector<Known> known_;  // by frame
  std::size_t count_ = 0;     // of those that have values
  std::array<Ref, Count> keys_{interned("start"), interned("end"), interned("binding"), interned("name"),
                               interned("ip"),    interned("sym"), interned("sym_off"), interned("dso")};
};

}  // namespace peregrine::script
