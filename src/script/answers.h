// Answers: what a script may ask about the sample at hand: whose code it is, its callers, lines, instructions.
//
// The interpreters are plug-ins that link nothing of ours: they ask through this interface, which ReplayAnswers
// implements. Answers hold for the sample of the last call into the interpreter; views as long as the recording is
// being read.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/resolver/resolver.h"

namespace peregrine::script {

struct SymbolAnswer {
  std::string_view name;
  u64 start = 0, end = 0;  // dso addresses
  u8 binding = 0;          // STB_LOCAL 0, STB_GLOBAL 1, STB_WEAK 2
};

// What there is at an address.
struct PlaceAnswer {
  u64 address = 0;       // in the dso
  std::string_view dso;  // empty: in no map
  std::string build_id;  // hexadecimal digits; empty: unknown
  u64 map_start = 0, map_end = 0;
  std::optional<SymbolAnswer> symbol;
};

// One caller. Equal frames have equal numbers, dense from 0.
struct ChainFrame {
  u64 ip = 0;
  FrameId frame;
};

class Answers {
 public:
  virtual ~Answers() = default;
  // The name of a comm, by the id that the sample's context has.
  virtual std::string comm() = 0;
  // Innermost first.
  virtual std::span<const ChainFrame> chain() = 0;
  // Without the map, which frames do not know.
  virtual PlaceAnswer frame(FrameId frame) = 0;
  // Of the sampled instruction, and of any other address.
  virtual PlaceAnswer code() = 0;
  virtual PlaceAnswer place(u64 address) = 0;
  // "AX:0x1 BX:0x2 ", and what `-F data_src` shows.
  virtual std::string registers(const abi::Registers& registers) = 0;
  virtual std::string data_source(u64 word) = 0;
  // The sampled instruction; empty: in no file.
  virtual Bytes instruction() = 0;
  // "file.c" and 12; an empty path: unknown.
  struct SourceAnswer {
    std::string path;
    u32 line = 0;
    std::string text;  // of that line, when asked for
  };
  virtual SourceAnswer source(u64 address, bool with_text) = 0;
  // Of the recorded machine; empty: no such call.
  virtual std::string_view syscall_name(u32 number) = 0;
  // A setting of perfconfig.
  virtual std::optional<std::string> setting(std::string_view key) = 0;
};

}  // namespace peregrine::script
