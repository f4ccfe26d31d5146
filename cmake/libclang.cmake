# SPDX-License-Identifier: Apache-2.0
# libclang's C API. Debian gives it neither a pkg-config file nor one of CMake's own that names the shared library alone.
# Not older than 19: clang 14 rejects headers of g++ 12.
set(llvm_folder /usr/lib/llvm-19)
find_path(LIBCLANG_INCLUDE clang-c/Index.h PATHS ${llvm_folder}/include NO_DEFAULT_PATH)
find_library(LIBCLANG_LIBRARY clang-19 clang PATHS ${llvm_folder}/lib NO_DEFAULT_PATH)
# Its own stddef.h and the like: by itself it would look for them from the folder that it was started in, too.
set(LIBCLANG_RESOURCES ${llvm_folder}/lib/clang/19)
if(NOT LIBCLANG_INCLUDE OR NOT LIBCLANG_LIBRARY OR NOT EXISTS ${LIBCLANG_RESOURCES}/include/stddef.h)
  message(FATAL_ERROR "libclang 19 is not in ${llvm_folder}: run scripts/setup")
endif()
add_library(libclang INTERFACE)
target_include_directories(libclang SYSTEM INTERFACE ${LIBCLANG_INCLUDE})
target_link_libraries(libclang INTERFACE ${LIBCLANG_LIBRARY})
