// ChainObjects: callchains for scripts: a list of {'ip', 'sym': {'start', 'end', 'binding', 'name'}, 'sym_off', 'dso'}.
//
// Scripts own what they get and may change it. Most only read and release it: then nobody else has the frame's dict,
// and the next sample with that frame reuses it. A dict that a script kept is copied; one that it changed is rebuilt
// from the values, which are made once per frame. Changes are detected by the dict's version number.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/types.h"
#include "script/answers.h"
#include "script/python/object.h"

namespace peregrine::script {

class ChainObjects {
 public:
  explicit ChainObjects(Answers& answers) : answers_(answers) {}
  // For the current sample.
  Ref list();

 private:
  enum Key : u8 { Start, End, Binding, Name, Ip, Sym, Offset, Dso, Count };
  struct Known {
    std::array<Ref, Count> values;  // null: the frame has none; Sym: the object in `given`
    Ref given;                      // last given to scripts
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
  std::size_t count_ = 0;     // number with values
  std::array<Ref, Count> keys_{interned("start"), interned("end"), interned("binding"), interned("name"),
                               interned("ip"),    interned("sym"), interned("sym_off"), interned("dso")};
};

}  // namespace peregrine::script
