/* As the SDK simulates SGX: while an ecall runs, the data of its thread lies at %fs:0, and the base of %fs is still the
   host's. Thread-local storage ends where %fs points to. */
#define BELOW 512
#define THREADS 3 /* of the enclave's */

static struct {
  unsigned char storage[BELOW];
  void *self;
} __attribute__((__aligned__(64))) thread_data[THREADS];
static unsigned char host_storage[BELOW], first_storage[BELOW];

static void *exchange(void *data) {
  __asm__ __volatile__("xchgq %0, %%fs:0" : "+r"(data) : : "memory");
  return data;
}

static unsigned char *storage_of_host(void) {
  unsigned char *base;
  __asm__ __volatile__("movq %%fs:0, %0" : "=r"(base));
  return base - BELOW;
}

static void make_storage(int thread) { memcpy(thread_data[thread].storage, first_storage, BELOW); }

/* The enclave's storage begins as the linker's, and what the host's was is kept. */
static void *enter_on(int thread) {
  static int entered;
  int i;
  memcpy(host_storage, storage_of_host(), BELOW);
  if (!entered++) {
    memcpy(first_storage, host_storage, BELOW);
    for (i = 0; i < THREADS; i++) make_storage(i);
  }
  thread_data[thread].self = &thread_data[thread].self;
  return exchange(&thread_data[thread].self);
}

/* A root ecall of a thread that the SDK does not bind: its storage is made anew. */
static __attribute__((__unused__)) void *enter_unbound(int thread) {
  make_storage(thread);
  return enter_on(thread);
}

static __attribute__((__unused__)) void *enter(void) { return enter_on(0); }

/* Bytes of the host's that the ecall has changed. */
static int leave(void *host) {
  int i, changed = 0;
  exchange(host);
  for (i = 0; i < BELOW; i++) changed += storage_of_host()[i] != host_storage[i];
  return changed;
}
