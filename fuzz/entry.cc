// The function that libFuzzer calls; the build names the target.
#include <cstdint>

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  peregrine::PEREGRINE_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
  return 0;
}
