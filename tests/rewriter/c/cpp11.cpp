// flags: -std=c++11
#include <cstdio>
#include <string>

constexpr int old(int x) { return x + 1; }

struct Name {
  std::string text;
  bool operator==(const Name& other) const { return text == other.text; }
};

int main() {
  Name one{"a"}, two{"a"};
  int x = old(1);
  if (!(one == two)) x = 4;
  else if (x > 1 && one == two) x += 2;
  std::printf("%d %s\n", x, R"delim(raw ")" ; { /* )delim");
}
