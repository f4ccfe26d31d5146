// SPDX-License-Identifier: Apache-2.0
#include "programs/session_set.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "programs/output.hpp"
#include "src/core/file.hpp"
#include "src/core/object_reader.hpp"
#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view note_format = "jcprof-sessions";
constexpr std::uint64_t note_version = 1;

std::string text_of(const SessionSubject& subject) {
  nlohmann::ordered_json json{{"format", note_format}, {"version", note_version}, {"build", subject.build}};
  if (!subject.with.empty()) {
    json["with"] = subject.with.string();
    json["with_build"] = subject.with_build;
  }
  return printed(json);
}

SessionSubject subject_in(const fs::path& file) {
  const std::string text = read_file(file);
  JsonFaults faults(file.string(), text);
  const JsonNode root = parse_json(text, faults);
  ObjectReader object(root, faults);
  std::string with;
  SessionSubject subject;
  read_heading(object, root, {.name = note_format, .version = note_version}, faults);
  object.required("build", subject.build, read_string);
  object.optional("with", with, read_string);
  object.optional("with_build", subject.with_build, read_string);
  object.refuse_the_rest();
  faults.throw_if_any();
  subject.with = with;
  return subject;
}

}  // namespace

SessionSet::SessionSet(const fs::path& out, SessionSubject subject)
    : folder_(out / sessions_folder), subject_(std::move(subject)) {}

fs::path SessionSet::note() const {
  return folder_ / "sessions.json";
}

fs::path SessionSet::folder_of(std::uint32_t session) const {
  return folder_ / std::to_string(session);
}

std::vector<std::uint32_t> SessionSet::sessions() const {
  std::vector<std::uint32_t> numbers;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, missing))
    if (const auto number = whole_number<std::uint32_t>(entry.path().filename().string());
        number.value_or(0) > 0 && fs::exists(entry.path() / "profile.jcprof"))
      numbers.push_back(*number);
  return numbers;
}

StoredSessions SessionSet::stored() const {
  if (!fs::exists(note())) return sessions().empty() ? StoredSessions::none : StoredSessions::measured_apart;
  const SessionSubject before = subject_in(note());
  if (before.with != subject_.with) return StoredSessions::measured_apart;
  return before == subject_ ? StoredSessions::same : StoredSessions::other_build;
}

void SessionSet::begin_anew(std::uint32_t kept) const {
  open_own_folder(folder_);  // which no link leads to
  for (const std::uint32_t session : sessions())
    if (session != kept) fs::remove_all(folder_of(session));
  write_own_file(note(), text_of(subject_));
}

}  // namespace jcprof::cli
