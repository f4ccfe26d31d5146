// flags: -std=c++98
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

template <class T>
class Counted {
 public:
  explicit Counted(T value) : value_(value) { ++alive; }
  ~Counted() { --alive; }
  T value() const throw() { return value_; }
  static int alive;

 private:
  Counted(const Counted&);
  Counted& operator=(const Counted&);
  T value_;
};
template <class T>
int Counted<T>::alive = 0;

static int checked(int x) throw(std::runtime_error) {
  const Counted<int> one(x);
  if (one.value() > 2) throw std::runtime_error("too many");
  return one.value() * 2;
}

static std::string twice(const std::vector<std::string>& words) {
  std::string all;
  for (std::vector<std::string>::const_iterator at = words.begin(); at != words.end(); ++at) all += *at;
  return all + all;
}

int main() {
  int sum = 0;
  for (int i = 0; i < 5; i++) {
    try {
      sum += checked(i);
    } catch (const std::exception& error) {
      sum += error.what()[0];
    }
  }
  const std::vector<std::string> words(2, "ab");
  switch (sum % 3) {
    case 0: std::printf("%s\n", twice(words).c_str()); break;
    default: std::printf("%d\n", sum);
  }
  return Counted<int>::alive;
}
