#include "analysis/task/task_tree.h"

#include <algorithm>
#include <unordered_map>

#include "base/types.h"

namespace peregrine {
namespace {

constexpr u32 kNoTask = ~u32{0};

// Parent–child relations between `tasks`, by index.
struct Forest {
  std::vector<u32> roots;
  std::vector<std::vector<u32>> children;
};

Forest grow(const std::vector<Task>& tasks) {
  std::unordered_map<u32, u32> place_of_tid;
  for (u32 at = 0; at < tasks.size(); ++at) place_of_tid.emplace(tasks[at].state.tid, at);
  const auto parent_of = [&](u32 at) {
    if (!tasks[at].parent) return kNoTask;
    const auto found = place_of_tid.find(*tasks[at].parent);
    return found == place_of_tid.end() ? kNoTask : found->second;
  };
  Forest forest{.roots = {}, .children = std::vector<std::vector<u32>>(tasks.size())};
  std::vector<u32> placed_by(tasks.size(), kNoTask);  // the start of the walk that placed a task
  for (u32 start = 0; start < tasks.size(); ++start) {
    // Walk up to the first ancestor that is placed already.
    u32 at = start;
    for (; at != kNoTask && placed_by[at] == kNoTask; at = parent_of(at)) {
      placed_by[at] = start;
      const u32 parent = parent_of(at);
      (parent == kNoTask ? forest.roots : forest.children[parent]).push_back(at);
    }
    if (at == kNoTask || placed_by[at] != start) continue;
    // This walk placed that ancestor, so parents form a cycle: its first task becomes a root.
    u32 first = at;
    for (u32 next = parent_of(at); next != at; next = parent_of(next)) first = std::min(first, next);
    forest.children[parent_of(first)].pop_back();
    forest.roots.push_back(first);
  }
  return forest;
}

}  // namespace

std::vector<TaskRow> task_rows(std::vector<Task> tasks) {
  std::ranges::sort(tasks, [](const Task& a, const Task& b) {
    const u32 x = a.state.tid, y = b.state.tid;
    if (x % 256 != y % 256) return x % 256 < y % 256;
    return static_cast<i32>(x) < static_cast<i32>(y);
  });
  const Forest forest = grow(tasks);
  struct Open {
    u32 task, depth;
  };
  std::vector<Open> open;
  const auto push = [&](const std::vector<u32>& siblings, u32 depth) {
    for (auto at = siblings.rbegin(); at != siblings.rend(); ++at) open.push_back({*at, depth});
  };
  std::vector<TaskRow> rows;
  push(forest.roots, 0);
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    rows.push_back({next.depth, tasks[next.task]});
    push(forest.children[next.task], next.depth + 1);
  }
  return rows;
}

}  // namespace peregrine
