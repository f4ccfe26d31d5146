/* SPDX-License-Identifier: Apache-2.0 */
/* string_match WORKERS WORDS: looks for four keys among made-up words, as Phoenix' string_match does: of each
   word a scrambled copy is made and compared with each key, so that there are five calls a word of some 20 ns
   each. Prints the nanoseconds that this took, on the wall and on processors. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { length = 16, keys = 4, most_workers = 64 };

static const char* const key_words[keys] = {"Helloworld", "howareyou", "ferrari", "whotheman"};
static char scrambled_keys[keys][length];

struct share {
  unsigned first, words, found;
};

void scramble(const char* word, char* out) {
  for (int i = 0; i < length; i++) out[i] = (char)(word[i] + 5 * i);
}

int matches(const char* scrambled, int key) {
  for (int i = 0; i < length; i++)
    if (scrambled[i] != scrambled_keys[key][i]) return 0;
  return 1;
}

void make_word(unsigned number, char* word) {
  memset(word, 0, length);
  if (number % 1000 == 0) {
    strncpy(word, key_words[number / 1000 % keys], length - 1);
    return;
  }
  for (int i = 0; i < 10; i++) {
    number = number * 1664525u + 1013904223u;
    word[i] = (char)('a' + (number >> 24) % 26);
  }
}

static void* search(void* argument) {
  struct share* share = argument;
  char word[length], scrambled[length];
  for (unsigned i = 0; i < share->words; i++) {
    make_word(share->first + i, word);
    scramble(word, scrambled);
    for (int key = 0; key < keys; key++) share->found += (unsigned)matches(scrambled, key);
  }
  return NULL;
}

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  const unsigned workers = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  const unsigned words = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
  pthread_t threads[most_workers];
  struct share shares[most_workers];
  const double start = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
  unsigned found = 0;
  if (workers < 1 || workers > most_workers) return 2;
  for (int key = 0; key < keys; key++) {
    char word[length] = {0};
    strncpy(word, key_words[key], length - 1);
    scramble(word, scrambled_keys[key]);
  }
  for (unsigned i = 0; i < workers; i++) {
    shares[i] = (struct share){.first = i * (words / workers), .words = words / workers};
    if (pthread_create(&threads[i], NULL, search, &shares[i]) != 0) return 3;
  }
  for (unsigned i = 0; i < workers; i++) {
    pthread_join(threads[i], NULL);
    found += shares[i].found;
  }
  printf("%.0f %.0f\n", now(CLOCK_MONOTONIC) - start, now(CLOCK_PROCESS_CPUTIME_ID) - used);
  return found > 0 || words == 0 ? 0 : 1;
}
