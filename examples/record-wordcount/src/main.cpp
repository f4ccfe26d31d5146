// SPDX-License-Identifier: Apache-2.0
// wordcount [-j WORKERS] [FILE…]: the ten most frequent words of the files, or of standard input.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "jcprof.h"
#include "words.hpp"

namespace {

struct Job {
  std::vector<std::string> files;
  std::atomic<std::size_t> next{0};  // file that nobody has taken
  std::atomic<int> failed{0};
  Table table;
};

void count_file(const std::string& file, Table& table) {
  const std::string text = read_text(file);
  JCPROF_MARK("file", text.size());
  count_words(text, table);
}

void work(Job& job) {
  for (std::size_t at = job.next++; at < job.files.size(); at = job.next++) {
    try {
      count_file(job.files[at], job.table);
    } catch (const std::runtime_error& error) {
      std::cerr << "wordcount: " << error.what() << '\n';
      ++job.failed;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  unsigned workers = 2;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "-j" && i + 1 < argc)
      workers = static_cast<unsigned>(std::atoi(argv[++i]));
    else
      job.files.emplace_back(argv[i]);
  }
  if (job.files.empty()) job.files.emplace_back("-");
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < workers; ++i) threads.emplace_back(work, std::ref(job));
  for (std::thread& thread : threads) thread.join();
  std::size_t shown = 0;
  for (const auto& [word, count] : job.table.sorted()) {
    if (++shown > 10) break;
    std::cout << count << ' ' << word << '\n';
  }
  return job.failed > 0 ? 1 : 0;
}
