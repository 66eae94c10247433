#include "output/text/system/check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/text/counted.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

constexpr std::size_t kMarkColumn = 2, kNameColumn = 8;
constexpr std::size_t kNarrowest = 24;  // minimum columns for a reason

struct Mark {
  std::string_view word, colour;
};

Mark mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Works:
      return {"yes", "\033[32m"};
    case Verdict::Denied:
      return {"NO", "\033[31m"};
    case Verdict::Absent:
      return {"-", "\033[33m"};
    case Verdict::Fact:
      break;
  }
  return {"", ""};
}

// Wraps the text to `width` columns and indents all lines but the first.
void wrap(std::string_view text, std::size_t indent, std::size_t width, Sink& out) {
  while (text.size() > width) {
    std::size_t cut = text.rfind(' ', width);
    if (cut == text.npos || cut == 0) cut = std::min(text.find(' '), text.size());
    out.append(text.substr(0, cut)).append('\n');
    text.remove_prefix(std::min(cut + 1, text.size()));
    if (text.empty()) return;
    out.fill(' ', indent);
  }
  out.append(text).append('\n');
}

class CheckText {
 public:
  CheckText(const Diagnosis& diagnosis, const CheckPage& page, Sink& out)
      : diagnosis_(diagnosis), page_(page), out_(out) {
    for (const auto& group : diagnosis.groups)
      for (const auto& finding : group.findings) widest_ = std::max(widest_, display_width(finding.what));
  }

  void print() {
    out_.append(page_.heading).append("\n");
    for (const auto& group : diagnosis_.groups) {
      out_.append('\n').append(in_bold(group.title)).append('\n');
      for (const auto& finding : group.findings) row(finding);
    }
    out_.append('\n');
    summary();
    next();
  }

 private:
  std::string in_bold(std::string_view text) const {
    return page_.colour ? fmt::format("\033[1m{}\033[m", text) : std::string(text);
  }

  void row(const Finding& finding) {
    const Mark mark = mark_of(finding.verdict);
    out_.fill(' ', kMarkColumn);
    if (page_.colour && !mark.colour.empty()) out_.append(mark.colour);
    out_.append(mark.word);
    if (page_.colour && !mark.colour.empty()) out_.append("\033[m");
    out_.fill(' ', kNameColumn - kMarkColumn - mark.word.size());
    if (finding.why.empty()) {
      out_.append(finding.what).append('\n');
      return;
    }
    const std::size_t indent = kNameColumn + widest_ + 2;
    out_.append(finding.what).fill(' ', widest_ + 2 - display_width(finding.what));
    wrap(finding.why, indent, std::max<std::size_t>(page_.columns > indent ? page_.columns - indent : 0, kNarrowest),
         out_);
  }

  void summary() {
    std::size_t denied = 0;
    for (const auto& group : diagnosis_.groups)
      denied += static_cast<std::size_t>(std::ranges::count(group.findings, Verdict::Denied, &Finding::verdict));
    if (denied == 0) {
      out_.append("No permissions missing.\n");
      return;
    }
    out_.format("{} missing.", counted(denied, "permission is", "permissions are"));
    if (diagnosis_.remedies.empty()) {
      out_.append(" You cannot change this: ask the administrator, or run as root.\n");
      return;
    }
    out_.format(" To enable {}{}:\n", denied == 1 ? "it" : "them",
                diagnosis_.remedies.size() == 1 ? "" : ", least privilege first");
    for (const auto& remedy : diagnosis_.remedies) {
      out_.append("\n  ").append(in_bold(remedy.command)).append("\n      ");
      wrap(remedy.gives, 6, std::max<std::size_t>(page_.columns, kNarrowest + 6) - 6, out_);
    }
  }

  void next() {
    if (diagnosis_.next.empty()) return;
    out_.append("\nTo begin with:\n\n");
    std::size_t widest = 0;
    for (const auto& command : diagnosis_.next) widest = std::max(widest, display_width(command.command));
    for (const auto& command : diagnosis_.next) {
      out_.append("  ").append(in_bold(command.command));
      out_.fill(' ', widest + 3 - display_width(command.command)).append(command.gives).append('\n');
    }
  }

  const Diagnosis& diagnosis_;
  const CheckPage& page_;
  Sink& out_;
  std::size_t widest_ = 0;
};

}  // namespace

void print_diagnosis(const Diagnosis& diagnosis, const CheckPage& page, Sink& out) {
  CheckText(diagnosis, page, out).print();
}

}  // namespace peregrine
