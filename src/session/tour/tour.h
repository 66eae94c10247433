// Tour: the commands that a newcomer types first, run on a small program that is part of this one.
//
//   for each step:  text ──▶ command line ──▶ run by this program in another process ──▶ shortened output ──▶ remark
//
// The recording and the picture stay in the current folder, so that the reader can go on with them.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace peregrine {

inline constexpr std::string_view kTourRecording = "tour.data", kTourPicture = "tour.svg";

struct TourStep {
  std::string_view text;       // what the command is for
  std::string_view arguments;  // separated by blanks; "WORKLOAD" stands for the recorded program
  std::string_view remark;     // how to read the output
  std::string_view from = {};  // the output is shown from the first line with this text
  bool hot = false;            // only lines that begin with a percentage of at least 1
  std::size_t lines = 0;       // at most this many lines of it; 0: all
};

std::span<const TourStep> tour_steps();

// The command line of a step, as a reader would type it.
std::string tour_command(const TourStep& step, std::string_view program);

// Runs a step. Returns the part of its output that the reader should see. Errors: the command failed.
Result<std::string> run_tour_step(const TourStep& step);

// The part of an output that a step shows: without tips, empty lines at either end, and what is too long.
std::string tour_excerpt(const TourStep& step, std::string_view output);

}  // namespace peregrine
