// flags: -std=c++17
#include <cstdio>

static volatile int device;

static int f(int x) { return x / 3; }

class Sums {
 public:
  Sums(int& out, volatile int& watched) : out_(out), watched_(watched) {}
  int add(int x) {
    total_ = f(x);
    this->total_ += f(3 * x);
    out_ = f(x);
    watched_ = f(x);
    few_ = f(3) & 7;
    packed_.value = f(9);
    return total_;
  }

 private:
  struct __attribute__((packed)) Packed {
    char first;
    int value;
  };
  int total_ = 0;
  int& out_;
  volatile int& watched_;
  int few_ : 4;
  Packed packed_{};
};

int main() {
  volatile int& watched = device;
  int value = 0;
  int& plain = value;
  watched = f(9);
  plain = f(30);
  std::printf("%d %d\n", watched, plain);
  std::printf("%d\n", Sums(value, watched).add(12));
}
