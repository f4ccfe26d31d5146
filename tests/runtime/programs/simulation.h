/* As the SDK simulates SGX: while an ecall runs, the data of its thread lies at %fs:0, and the base of %fs is still the
   host's. Thread-local storage ends where %fs points to. */
#define BELOW 512

static struct {
  unsigned char storage[BELOW];
  void *self;
} __attribute__((__aligned__(64))) thread_data;
static unsigned char host_storage[BELOW];

static void *exchange(void *data) {
  __asm__ __volatile__("xchgq %0, %%fs:0" : "+r"(data) : : "memory");
  return data;
}

static unsigned char *storage_of_host(void) {
  unsigned char *base;
  __asm__ __volatile__("movq %%fs:0, %0" : "=r"(base));
  return base - BELOW;
}

/* The enclave's storage begins as the linker's, and what the host's was is kept. */
static void *enter(void) {
  static int entered;
  memcpy(host_storage, storage_of_host(), BELOW);
  if (!entered++) memcpy(thread_data.storage, host_storage, BELOW);
  thread_data.self = &thread_data.self;
  return exchange(&thread_data.self);
}

/* Bytes of the host's that the ecall has changed. */
static int leave(void *host) {
  int i, changed = 0;
  exchange(host);
  for (i = 0; i < BELOW; i++) changed += storage_of_host()[i] != host_storage[i];
  return changed;
}
