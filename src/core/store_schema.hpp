// SPDX-License-Identifier: Apache-2.0
// The tables and views of profile.jcprof, in one place. Changing them means a new version_of_store.
#pragma once

namespace jcprof {

/// "jcpr" in SQLite's header: what `file` and other programs know a profile by.
inline constexpr int store_application_id = 0x6A637072;
/// SQLite's user_version.
inline constexpr int version_of_store = 6;

extern const char* const store_tables;
extern const char* const store_views;

}  // namespace jcprof
