// Input: a fuzzer's bytes as the types that parsers take, and the one entry point all targets share.
//
// A target is one file NAME_fuzz.cc that defines fuzz(Bytes). It must only call a parser and use what comes out:
// libFuzzer and the sanitisers find the rest. Errors are fine; crashes, hangs and more than 2 GB are findings.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace peregrine {

void fuzz(Bytes bytes);

inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace peregrine

extern "C" [[gnu::used]] inline int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  peregrine::fuzz(std::as_bytes(std::span(data, size)));
  return 0;
}
