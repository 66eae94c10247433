// The program that `make demo` profiles: counts the words of a made-up text with a pipeline of four named threads.
//
//   writer ──blocks──▶ counter-0, counter-1 ──tables──▶ ranker
//
// Three places are worth finding in its profile: the hash of every word, the allocation of every new one, and the sort.
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <iostream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

// Functions that should appear in the profile under their own names are kept out of line, and outside any namespace.
#define SEEN [[gnu::noinline]]

struct Row {
  std::string word;
  std::uint64_t count = 0;
};

SEEN std::uint64_t hash_word(std::string_view word) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash ^ hash >> 29;
}

// Words and their counts: open addressing, at most half full.
class WordTable {
 public:
  SEEN void add(std::string_view word, std::uint64_t count = 1) {
    if (used_ * 2 >= slots_.size()) grow();
    Row& row = slots_[find(word)];
    if (row.count == 0) {
      row.word = word;
      ++used_;
    }
    row.count += count;
  }
  std::vector<Row> rows() const {
    std::vector<Row> rows;
    for (const Row& row : slots_)
      if (row.count != 0) rows.push_back(row);
    return rows;
  }

 private:
  SEEN std::size_t find(std::string_view word) const {
    std::size_t at = hash_word(word) % slots_.size();
    while (slots_[at].count != 0 && slots_[at].word != word) at = (at + 1) % slots_.size();
    return at;
  }
  SEEN void grow() {
    std::vector<Row> old(slots_.size() * 2);
    old.swap(slots_);
    for (Row& row : old)
      if (row.count != 0) slots_[find(row.word)] = std::move(row);
  }

  std::vector<Row> slots_ = std::vector<Row>(64);
  std::size_t used_ = 0;
};

template <class T>
class Channel {
 public:
  void send(T value) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return queue_.size() < kLimit; });
    queue_.push_back(std::move(value));
    filled_.notify_one();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    filled_.notify_all();
  }
  std::optional<T> receive() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [&] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return std::nullopt;
    T value = std::move(queue_.front());
    queue_.pop_front();
    room_.notify_one();
    return value;
  }

 private:
  static constexpr std::size_t kLimit = 8;
  std::mutex mutex_;
  std::condition_variable filled_, room_;
  std::deque<T> queue_;
  bool closed_ = false;
};

class Random {
 public:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  std::uint64_t state_ = 88172645463325252ull;
};

// A word of two to five syllables; few words are common and most are rare, as in real text.
SEEN void append_word(std::string& text, Random& random) {
  static constexpr std::string_view kSyllables[] = {"pe",  "re",   "gri", "ne",   "fal",
                                                    "con", "wing", "sky", "dive", "hunt"};
  const std::uint64_t rank = random.next() % 1000;
  std::uint64_t pick = rank * rank * rank / 1000 + (rank > 900 ? random.next() % 100000 : 0);
  for (std::uint64_t i = 0; i < 2 + pick % 4; ++i, pick = pick / 10 + 7) text += kSyllables[pick % 10];
  text += ' ';
}

SEEN std::string write_block(Random& random) {
  std::string block;
  while (block.size() < 256 * 1024) append_word(block, random);
  return block;
}

SEEN void count_words(const std::string& block, WordTable& table) {
  for (std::size_t at = 0; at < block.size();) {
    const std::size_t end = block.find(' ', at);
    table.add(std::string_view(block).substr(at, end - at));
    at = end + 1;
  }
}

bool ranks_before(const Row& a, const Row& b) { return a.count != b.count ? a.count > b.count : a.word < b.word; }

// Merge sort: its recursion is what a flame graph shows best.
SEEN void sort_rows(std::vector<Row>& rows, std::vector<Row>& spare, std::size_t from, std::size_t to) {
  if (to - from < 2) return;
  const std::size_t middle = from + (to - from) / 2;
  sort_rows(rows, spare, from, middle);
  sort_rows(rows, spare, middle, to);
  const auto at = [](std::vector<Row>& v, std::size_t i) {
    return std::make_move_iterator(v.begin() + static_cast<long>(i));
  };
  std::merge(at(rows, from), at(rows, middle), at(rows, middle), at(rows, to), spare.begin(), ranks_before);
  std::move(spare.begin(), spare.begin() + static_cast<long>(to - from), rows.begin() + static_cast<long>(from));
}

SEEN std::vector<Row> rank_words(const WordTable& table) {
  std::vector<Row> rows = table.rows();
  std::vector<Row> spare(rows.size());
  sort_rows(rows, spare, 0, rows.size());
  return rows;
}

SEEN void run_writer(Channel<std::string>& blocks, std::size_t count) {
  Random random;
  for (std::size_t i = 0; i < count; ++i) blocks.send(write_block(random));
  blocks.close();
}

// Passes its table on every few blocks, so that the ranker always has work.
SEEN void run_counter(Channel<std::string>& blocks, Channel<WordTable>& tables) {
  WordTable table;
  for (std::size_t i = 1; std::optional<std::string> block = blocks.receive(); ++i) {
    count_words(*block, table);
    if (i % 16 == 0) tables.send(std::exchange(table, WordTable()));
  }
  tables.send(std::move(table));
}

SEEN void run_ranker(Channel<WordTable>& tables) {
  WordTable all;
  std::vector<Row> ranking;
  while (std::optional<WordTable> table = tables.receive()) {
    for (const Row& row : table->rows()) all.add(row.word, row.count);
    ranking = rank_words(all);
  }
  std::cout << "the most frequent of " << ranking.size() << " words is '" << ranking.front().word << "', "
            << ranking.front().count << " times\n";
}

void name_thread(std::thread& thread, const char* name) { pthread_setname_np(thread.native_handle(), name); }

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::stoul(argv[1]) : 600;
  Channel<std::string> blocks;
  Channel<WordTable> tables;
  std::thread writer(run_writer, std::ref(blocks), count);
  name_thread(writer, "writer");
  std::vector<std::thread> counters;
  for (const char* name : {"counter-0", "counter-1"}) {
    counters.emplace_back(run_counter, std::ref(blocks), std::ref(tables));
    name_thread(counters.back(), name);
  }
  std::thread ranker(run_ranker, std::ref(tables));
  name_thread(ranker, "ranker");
  writer.join();
  for (std::thread& counter : counters) counter.join();
  tables.close();
  ranker.join();
}
