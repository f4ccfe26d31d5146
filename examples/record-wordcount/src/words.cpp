// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <cctype>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

static std::string all_of(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string read_text(const std::string& file) {
  if (file == "-") return all_of(std::cin);
  std::ifstream in(file, std::ios::binary);
  std::string text = all_of(in);
  if (!in) throw std::runtime_error("cannot read " + file);
  return text;
}

void count_words(const std::string& text, Table& table) {
  std::string word;
  for (const unsigned char c : text) {
    if (std::isalpha(c) != 0) {
      word += static_cast<char>(std::tolower(c));
    } else if (!word.empty()) {
      table.add(word);
      word.clear();
    }
  }
  if (!word.empty()) table.add(word);
}
