// flags: -std=c++17
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct Fixed {
  explicit Fixed(int x) : value(x) {}
  Fixed(const Fixed&) = delete;
  Fixed& operator=(const Fixed&) = delete;
  int value;
};

static int numbers[2] = {3, 4};

static Fixed fixed(int x) { return Fixed(x + 1); }
static int& element(int i) { return numbers[i]; }
static decltype(auto) forwarded(int i) { return (element(i)); }
static auto deduced(int i) { return element(i) * 2; }
static std::vector<int> braced(int x) { return {x, x + 1}; }
static std::unique_ptr<int> moved(int x) {
  auto p = std::make_unique<int>(x);
  return p;
}
static std::string text(bool b) {
  std::string s = "named";
  if (b) return s + "!";
  return s;
}
static void nothing(int& x) {
  x++;
  return;
}
static void passes_on(int& x) { return nothing(x); }
static std::pair<int, int> conditional(int x) {
  if (x) return {x, 1}; else return std::pair(2, x);
}

int main() {
  int x = 1;
  passes_on(x);
  forwarded(0) = 9;
  std::printf("%d %d %d %zu ", fixed(1).value, element(0), deduced(1), braced(1).size());
  std::printf("%d %s %s %d %d\n", *moved(5), text(true).c_str(), text(false).c_str(), conditional(0).first, x);
}
