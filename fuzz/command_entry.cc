// libFuzzer's entry for the targets that run commands. One program serves them all: it is selected by the name it is
// called by, and --names prints the names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "command_run.h"
#include "command_targets.h"
#include "recording_mutator.h"

extern "C" {
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit);
int LLVMFuzzerInitialize(int* count, char*** words);
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t limit, unsigned seed);
std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size, const std::uint8_t* other,
                                      std::size_t other_size, std::uint8_t* out, std::size_t limit, unsigned seed);
}

namespace {

using namespace peregrine;

struct Process {
  const CommandTarget* target = nullptr;
  CommandRun run;
};

Process& process() {
  static Process the;
  return the;
}

Bytes as_bytes(const std::uint8_t* data, std::size_t size) { return std::as_bytes(std::span(data, size)); }

RecordingMutator mutator(unsigned seed) {
  return {seed, [](std::span<std::byte> bytes, std::size_t size) {
            return LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size());
          }};
}

std::size_t give(std::span<const std::byte> bytes, std::uint8_t* out, std::size_t limit) {
  const std::size_t size = std::min(bytes.size(), limit);
  std::memcpy(out, bytes.data(), size);
  return size;
}

}  // namespace

int LLVMFuzzerInitialize(int* count, char*** words) {
  if (*count == 2 && (*words)[1] == std::string_view("--names")) {
    for (const CommandTarget& target : command_targets())
      std::printf("%.*s\n", static_cast<int>(target.name.size()), target.name.data());
    std::exit(0);
  }
  std::string_view name = (*words)[0];
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  if (name.ends_with("_fuzz")) name.remove_suffix(5);
  process().target = find_command_target(name);
  if (process().target != nullptr) return 0;
  std::fprintf(stderr, "no target has the name '%.*s'\n", static_cast<int>(name.size()), name.data());
  std::exit(1);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  process().run.run(*process().target, as_bytes(data, size));
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t limit, unsigned seed) {
  if (size < 2 || limit < 2) return LLVMFuzzerMutate(data, size, limit);
  const std::vector<std::byte> made =
      mutator(seed).mutate_input(as_bytes(data, size), process().target->lines.size(), limit);
  return give(made, data, limit);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size, const std::uint8_t* other,
                                      std::size_t other_size, std::uint8_t* out, std::size_t limit, unsigned seed) {
  if (one_size < 2 || other_size < 2 || limit < 2) return 0;
  std::vector<std::byte> made =
      mutator(seed).splice(as_bytes(one + 1, one_size - 1), as_bytes(other + 1, other_size - 1), limit - 1);
  made.insert(made.begin(), static_cast<std::byte>(*one));
  return give(made, out, limit);
}
