#include "cli/help/topic_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text/trim.h"
#include "cli/help/short_help.h"
#include "cli/help/topic_pages.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

constexpr HelpTopic kTopics[] = {
    {"examples", "answers to common questions, each as one command", examples_page},
    {"howto", "from a slow program to its cause, step by step", howto_page},
    {"tracing", "a tutorial: record, read, count and match events", tracing_page},
    {"formats", "the formats that other programs read", formats_page},
    {"glossary", "the terms of this program's messages and pages", glossary_page},
};
constexpr std::size_t kIndent = 2;

using Cells = std::vector<std::string>;

// A link becomes its text, `code` and **bold** text lose their marks.
std::string plain(std::string_view text) {
  std::string out;
  bool code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.front() == '`') {
      code = !code;
    } else if (!code && rest.starts_with("**")) {
      ++i;
    } else if (rest.starts_with("\\|") || (!code && rest.size() > 1 && rest.front() == '\\')) {
      out += rest[1];
      ++i;
    } else if (const auto middle = rest.find("]("); !code && rest.front() == '[' && middle != rest.npos) {
      out += plain(rest.substr(1, middle - 1));
      i += std::min(rest.find(')', middle), rest.size() - 1);
    } else {
      out += rest.front();
    }
  }
  return out;
}

// The cells of "| a | b |", where \| is a bar.
Cells cells_of(std::string_view line) {
  Cells cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += "\\|";
      ++i;
    } else if (line[i] == '|') {
      cells.push_back(plain(trim(cell)));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return cells;
}

bool is_ruler(std::string_view line) { return line.starts_with('|') && line.find_first_not_of("|-: ") == line.npos; }

class TopicWriter {
 public:
  explicit TopicWriter(std::size_t columns) : columns_(columns) {}

  std::string write(std::string_view markdown) {
    while (!markdown.empty()) {
      const auto end = std::min(markdown.find('\n'), markdown.size());
      line(markdown.substr(0, end));
      markdown.remove_prefix(std::min(end + 1, markdown.size()));
    }
    end_block();
    return std::move(out_);
  }

 private:
  void line(std::string_view text) {
    if (text.starts_with("```")) {
      end_block();
      in_code_ = !in_code_;
      if (in_code_) gap();
    } else if (in_code_) {
      out_ += fmt::format("{:{}}{}\n", "", text.empty() ? 0 : 2 * kIndent, text);
    } else if (text.starts_with('#')) {
      end_block();
      gap();
      out_ += plain(trim(text.substr(text.find_first_not_of('#')))) + "\n";
    } else if (text.starts_with('|')) {
      if (table_.empty()) end_block();
      if (!is_ruler(text)) table_.push_back(cells_of(text));
    } else if (trim(text).empty() || text.starts_with("![")) {
      end_block();
    } else if (text.starts_with("- ")) {
      end_block();
      in_item_ = true;
      words_ = text.substr(2);
    } else {
      if (!table_.empty()) end_block();
      words_ += (words_.empty() ? "" : " ") + std::string(trim(text));
    }
  }

  // An empty line before what follows.
  void gap() {
    if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
  }

  void end_block() {
    if (!table_.empty()) {
      gap();
      table_.front().size() == 2 ? two_columns() : blocks();
      table_.clear();
    }
    if (!words_.empty()) {
      if (!in_item_ || !after_item_) gap();
      if (in_item_) {
        std::string item = wrapped_text(plain(words_), kIndent + 2, columns_);
        item.replace(0, kIndent + 2, "  - ");
        out_ += item;
      } else {
        out_ += wrapped_text(plain(words_), kIndent, columns_);
      }
      after_item_ = in_item_;
    }
    in_item_ = false;
    words_.clear();
  }

  void two_columns() {
    std::size_t left = 0;
    for (const Cells& row : table_) left = std::max(left, row.empty() ? 0 : display_width(row[0]));
    left = std::min(left, columns_ / 3);
    const std::size_t indent = kIndent + left + 2;
    for (const Cells& row : table_) {
      if (row.size() < 2 || (row[0].empty() && row[1].empty())) continue;
      std::string right = wrapped_text(row[1], indent, columns_);
      const std::size_t width = display_width(row[0]);
      if (width > left) {
        out_ += fmt::format("{:{}}{}\n{}", "", kIndent, row[0], right);
        continue;
      }
      right.empty() ? right.assign(1, '\n') : right.erase(0, indent);
      out_ += fmt::format("{:{}}{}{:{}}{}", "", kIndent, row[0], "", left - width + 2, right);
    }
  }

  // A row of a wide table: its first cell, then the others with their titles.
  void blocks() {
    const Cells& titles = table_.front();
    for (auto row = table_.begin() + 1; row != table_.end(); ++row) {
      if (row->empty()) continue;
      out_ += wrapped_text((*row)[0], kIndent, columns_);
      for (std::size_t i = 1; i < row->size(); ++i) {
        if ((*row)[i].empty()) continue;
        const std::string title = i < titles.size() && !titles[i].empty() ? titles[i] + ": " : "";
        out_ += wrapped_text(title + (*row)[i], kIndent + 4, columns_);
      }
    }
  }

  std::size_t columns_;
  std::string out_, words_;
  std::vector<Cells> table_;
  bool in_code_ = false, in_item_ = false, after_item_ = false;
};

}  // namespace

std::span<const HelpTopic> help_topics() { return kTopics; }

std::string topic_text(std::string_view markdown, std::size_t columns) { return TopicWriter(columns).write(markdown); }

}  // namespace peregrine
