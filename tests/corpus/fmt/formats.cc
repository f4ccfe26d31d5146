// A fixed formatting workload over all of fmt's headers. Argument: how often; the text is the same each time.
#include <fmt/args.h>
#include <fmt/chrono.h>
#include <fmt/color.h>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/os.h>
#include <fmt/ostream.h>
#include <fmt/printf.h>
#include <fmt/ranges.h>
#include <fmt/std.h>
#include <fmt/xchar.h>

#include <chrono>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace shapes {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Colour { red, green };
int format_as(Colour colour) { return static_cast<int>(colour); }

struct Streamed {
  int value = 0;
};
std::ostream& operator<<(std::ostream& out, const Streamed& s) { return out << "<" << s.value << ">"; }

}  // namespace shapes

template <>
struct fmt::formatter<shapes::Point> {
  char form = 'f';
  constexpr auto parse(format_parse_context& context) -> decltype(context.begin()) {
    auto at = context.begin();
    if (at != context.end() && (*at == 'f' || *at == 'e')) form = *at++;
    if (at != context.end() && *at != '}') throw format_error("invalid format");
    return at;
  }
  template <typename Context>
  auto format(const shapes::Point& p, Context& context) const -> decltype(context.out()) {
    return form == 'f' ? format_to(context.out(), "({:.1f}, {:.1f})", p.x, p.y)
                       : format_to(context.out(), "({:.1e}, {:.1e})", p.x, p.y);
  }
};
template <>
struct fmt::formatter<shapes::Streamed> : fmt::ostream_formatter {};

namespace {

std::string integers() {
  std::string text;
  for (long long value : {0LL, 1LL, -1LL, 42LL, 999LL, -1234567LL, 9223372036854775807LL, -9223372036854775807LL - 1}) {
    text += fmt::format("{0} {0:+} {0:#x} {0:#o} {0:08} {0:<8}|{0:^8}|{0:>8}|{0:*^12d}\n", value);
    text += fmt::format(FMT_COMPILE("{} {:x}\n"), value, static_cast<unsigned long long>(value));
  }
  text += fmt::format("{:b} {:#b} {:c} {} {}\n", 10, 255u, 'x', true, fmt::ptr(static_cast<void*>(nullptr)));
  text += fmt::format("{} {} {}\n", static_cast<signed char>(-128), static_cast<unsigned short>(65535),
                      std::numeric_limits<std::uint64_t>::max());
  text += fmt::format("{:>{}} {:.{}}\n", 7, 5, "shortened", 5);
  return text;
}

std::string floats() {
  std::string text;
  for (double value : {0.0, -0.0, 1.0, 0.1, 1.0 / 3, 1e22, 1.5e300, 5e-324, 123456.789, -2.5, 1e308 * 10, 6.02214076e23}) {
    text += fmt::format("{0} {0:g} {0:e} {0:f} {0:a} {0:.3} {0:+.2f} {0:#.0f} {0:012.4g}\n", value);
    text += fmt::format("{} {:.40g}\n", static_cast<float>(value), value);
  }
  text += fmt::format("{} {:.3Lf} {}\n", 3.25L, 1234.5L, std::numeric_limits<double>::quiet_NaN());
  return text;
}

std::string strings() {
  std::string text = fmt::format("{:?} {:?} {:>6} {:_<6} {:.2}\n", "quo\"te\n\t\x01", 'q', "ab", "cd", "efgh");
  text += fmt::format("{1} {0} {name} {{}}\n", "world", "hello", fmt::arg("name", "named"));
  text += fmt::format("{} {:^9} {:.3}\n", "na\u00efve", "\u20ac\u20ac", "\U0001f600xyz");
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  store.push_back(42);
  store.push_back("stored");
  store.push_back(fmt::arg("pi", 3.14));
  text += fmt::vformat("{} {} {pi}\n", store);
  text += fmt::sprintf("%5d|%-5s|%05.1f|%x|%c|%%|%+d\n", 7, "ab", 2.5, 255, 'z', 3);
  const std::wstring wide = fmt::format(L"{:>5}|{:.2f}|{}", L"w", 2.5, 9);
  for (wchar_t c : wide) text += static_cast<char>(c);
  text += fmt::format("\n{} {}\n", fmt::to_string(12.5), fmt::join(std::vector<int>{1, 2, 3}, "-"));
  return text;
}

std::string ranges() {
  const std::map<std::string, std::vector<int>> map{{"a", {1, 2}}, {"b", {}}, {"c", {3}}};
  std::string text = fmt::format("{}\n{}\n", map, std::set<char>{'x', 'y'});
  text += fmt::format("{} {::#x} {:n}\n", std::vector<int>{10, 11}, std::vector<int>{10, 11}, std::vector<int>{1, 2});
  text += fmt::format("{} {}\n", std::make_tuple(1, "two", 3.0), std::pair<int, std::string>(4, "five"));
  text += fmt::format("{} {}\n", std::vector<std::string>{"q", "\n"}, std::vector<bool>{true, false});
  text += fmt::format("{}\n", fmt::join(std::make_tuple(1, 'c', 2.5), ", "));
  return text;
}

std::string times() {
  using namespace std::chrono;
  std::string text = fmt::format("{} {} {} {}\n", seconds(90), milliseconds(1500), hours(3), duration<double>(1.25));
  text += fmt::format("{:%H:%M:%S} {:%Q %q} {:%T} {:.3%S}\n", seconds(3725), milliseconds(42), minutes(61), duration<double>(1.2345));
  std::tm when{};
  when.tm_year = 124;
  when.tm_mon = 1;
  when.tm_mday = 29;
  when.tm_hour = 13;
  when.tm_min = 5;
  when.tm_sec = 9;
  when.tm_wday = 4;
  when.tm_yday = 59;
  text += fmt::format("{:%Y-%m-%d %H:%M:%S %j %U %V %G %a %B %p %I %D %F %y %C %e %u %w}\n", when);
  text += fmt::format("{:%Y-%m-%dT%H:%M:%S}\n", fmt::gmtime(std::time_t{1709211909}));
  text += fmt::format("{:%F %T}\n", time_point<system_clock, seconds>(seconds(1709211909)));
  return text;
}

std::string others() {
  std::string text = fmt::format(fg(fmt::color::red) | fmt::emphasis::bold, "bold {} ", 1);
  text += fmt::format(bg(fmt::rgb(1, 2, 3)) | fg(fmt::terminal_color::cyan), "{}", "coloured");
  text += fmt::format(" {}\n", fmt::styled(2.5, fg(fmt::color::green) | fmt::emphasis::underline));
  text += fmt::format("{} {:e} {} {}\n", shapes::Point{1, 2}, shapes::Point{3, 4}, shapes::Streamed{5},
                      fmt::streamed(std::complex<double>(1, 2)));
  text += fmt::format("{} {}\n", std::filesystem::path("a b/c.txt"), std::variant<int, std::string>("held"));
  text += fmt::format("{} {}\n", fmt::underlying(shapes::Colour::green), std::monostate{});
  fmt::memory_buffer buffer;
  for (int i = 0; i < 300; ++i) fmt::format_to(std::back_inserter(buffer), "{:x}", i * i);
  text += fmt::format("{} {}\n", buffer.size(), fmt::to_string(buffer).substr(100, 20));
  char small[8];
  const auto cut = fmt::format_to_n(small, sizeof small, "{:>20}", 1);
  text += fmt::format("{} {}\n", cut.size, fmt::formatted_size("{:>{}}", 1, 30));
  return text;
}

std::string mistakes() {
  std::string text;
  for (const char* form : {"{", "}", "{:d}", "{:.}", "{1}", "{0}{}", "{:{}}", "{name}", "{:>-1}", "{:99999999999}", "{!r}"}) {
    try {
      text += fmt::format(fmt::runtime(form), "text");
    } catch (const fmt::format_error& error) {
      text += error.what();
    }
    text += '\n';
  }
  try {
    throw fmt::system_error(2, "cannot open {}", "it");
  } catch (const std::system_error& error) {
    text += fmt::format("{}\n", error.code().value());
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const int passes = argc > 1 ? std::atoi(argv[1]) : 1;
  std::string text;
  for (int i = 0; i < passes; ++i) text = integers() + floats() + strings() + ranges() + times() + others() + mistakes();
  fmt::print("{}", text);
  fmt::print(stdout, fmt::emphasis::italic, "{}\n", text.size());
  std::fflush(stdout);
  fmt::print(std::cout, "{}\n", "streamed");
  std::cout.flush();
#ifndef FMT_HEADER_ONLY  // output files are in the library alone
  auto out = fmt::output_file("formats.txt");
  out.print("{} {}\n", "a file", passes);
  out.close();
#endif
  return 0;
}
