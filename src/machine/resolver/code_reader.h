// CodeReader: reads the instruction bytes at frames of a machine, for one worker.
//
// The file of each dso is opened on first use and kept open; each call reads from it.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/types.h"
#include "insn/instruction.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "machine/resolver/code_image.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

class CodeReader {
 public:
  // `dsos` must outlive this.
  explicit CodeReader(const DsoTable& dsos) : dsos_(dsos) {}

  // Fills `out` with bytes from the frame's address on. Returns their number; 0: no file has them.
  std::size_t read(const Frame& frame, std::span<std::byte> out);
  // Returns Unknown if there is no file.
  Isa isa(DsoId dso);

 private:
  const std::optional<CodeImage>& image(DsoId dso);

  const DsoTable& dsos_;
  std::unordered_map<u32, std::optional<CodeImage>> images_;  // key: dso
};

}  // namespace peregrine
