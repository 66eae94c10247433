#include "output/tui/menu/sample_menu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/types.h"
#include "output/tui/menu/popup.h"
#include "output/tui/menu/script_menu.h"

namespace peregrine::tui {

namespace {

constexpr u64 kAround = 10'000'000;  // ns

std::string seconds(u64 ns) { return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000); }

// Offers the samples shortly before and after this one: of its thread, of its CPU, or of all.
Answer choose_context(const ReportSettings& settings, const KeptSample& sample) {
  std::vector<std::string> lines;
  std::vector<std::vector<std::string>> words;
  const std::string times =
      seconds(sample.time - std::min(sample.time, kAround)) + "," + seconds(sample.time + kAround);
  const auto offer = [&](std::string line, std::vector<std::string> own) {
    lines.push_back(std::move(line));
    words.push_back({"--time", times});
    words.back().insert(words.back().end(), own.begin(), own.end());
  };
  const std::string tid = fmt::format("{}", static_cast<i32>(sample.tid));
  offer("of thread " + tid, {"--tid", tid});
  if (sample.cpu >= 0) offer(fmt::format("on CPU {}", sample.cpu), {"-C", fmt::format("{}", sample.cpu)});
  offer("everywhere", {});
  return {.kind = Answer::Kind::Swap,
          .view = std::make_unique<MenuView>(
              " 10 ms before and after ", std::move(lines),
              [&settings, words](std::size_t chosen) { return run_script(settings, words[chosen], {}); })};
}

}  // namespace

Answer choose_sample(const ReportSettings& settings, std::vector<KeptSample> samples) {
  std::vector<std::string> lines;
  for (const KeptSample& sample : samples) {
    std::string line = fmt::format("{}  thread {}", seconds(sample.time), static_cast<i32>(sample.tid));
    if (sample.cpu >= 0) line += fmt::format("  CPU {}", sample.cpu);
    lines.push_back(std::move(line));
  }
  return {.kind = Answer::Kind::Swap,
          .view = std::make_unique<MenuView>(" Samples ", std::move(lines),
                                             [&settings, samples = std::move(samples)](std::size_t chosen) {
                                               return choose_context(settings, samples[chosen]);
                                             })};
}

}  // namespace peregrine::tui
