/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of record mode's log, in the memory that target and recorder share, and on disk (docs/record.md). Numbers are
   in the machine's own byte order, which is little-endian on all known targets. This file includes no system header. */
#ifndef JCPROF_LOG_H
#define JCPROF_LOG_H

#ifdef __cplusplus
extern "C++" {
extern "C" {
#endif

typedef __UINT32_TYPE__ jcprof_log_u32;
__extension__ typedef __UINT64_TYPE__ jcprof_log_u64;

#define JCPROF_LOG_MAGIC "JCPROFL1" /* without its final zero */
#define JCPROF_LOG_VERSION 1u

/* ---- a record: 40 bits of ticks since the chunk's base, 22 of id, 2 of kind; 0 is none ---- */

#define JCPROF_LOG_TICK_BITS 40
#define JCPROF_LOG_ID_BITS 22
#define JCPROF_LOG_ID_MOST 0x3FFFFFu
#define JCPROF_LOG_OTHERS JCPROF_LOG_ID_MOST /* id of all functions that the table has no room for */

#define JCPROF_LOG_ENTER 0u /* a function; id: its slot in the table, from 1 */
#define JCPROF_LOG_LEAVE 1u
#define JCPROF_LOG_LINE 2u /* a trap; id: its number in traps.json */
#define JCPROF_LOG_MARK 3u /* id: that of its name; the next word is the payload, of any value */
/* A bit of an address, in memory and on disk: the recorder wants no events of that function. Some may be recorded. */
#define JCPROF_LOG_LEFT_OUT 0x8000000000000000u
/* A mark of this id: the thread is on another stack from here on. Its payload is an address in that stack, at which no
   other one lies; 0 is the stack that the thread began on. With JCPROF_LOG_FRESH no call is under way there. */
#define JCPROF_LOG_STACK JCPROF_LOG_ID_MOST
#define JCPROF_LOG_FRESH 1u
/* An ENTER of id 0 is no event. Its `ticks` are nanoseconds: the time that the thread has spent on a processor, modulo
   2^40, at the tick of the next record. All ones mean unknown. A word of 0 is no event either: no record was written. */
#define JCPROF_LOG_IS_EVENT(word) (((word) & 0xFFFFFFu) != 0)
#define JCPROF_LOG_NS_MASK 0xFFFFFFFFFFu

#define JCPROF_LOG_RECORD(ticks, id, kind) ((jcprof_log_u64)(ticks) << 24 | (jcprof_log_u64)(id) << 2 | (kind))

/* ---- chunks: records of one thread, in order ---- */

#define JCPROF_LOG_FREE 0u  /* all of its records are 0 */
#define JCPROF_LOG_TAKEN 1u /* a thread writes into it */
#define JCPROF_LOG_FULL 2u  /* to be drained; the thread has left it */
#define JCPROF_LOG_LEFT 3u  /* to be drained, but never used again: an event may still be written to it */

struct jcprof_log_chunk { /* one cache line, records behind it */
  jcprof_log_u32 state;
  jcprof_log_u32 thread; /* its serial number, from 1, in the order of first events */
  jcprof_log_u32 number; /* of this chunk among the thread's, from 1 */
  jcprof_log_u32 process; /* the system's number; 0: unknown */
  jcprof_log_u32 tid;     /* the system's number; 0: unknown */
  jcprof_log_u32 used;    /* on disk only: the words that follow */
  jcprof_log_u64 base;    /* the tick from which records count */
  jcprof_log_u64 lost;    /* events of this thread, right before this chunk, that found no room */
  /* From `left` to `base` the thread changed chunks: that time is nobody's. Older logs have 0 in all three. */
  jcprof_log_u64 left;    /* tick */
  jcprof_log_u64 left_ns; /* nanoseconds on a processor until `left`; 0: unknown */
  jcprof_log_u64 base_ns; /* the same until `base` */
};

/* ---- entries: names and places, appended and never changed; each is a multiple of 8 bytes ---- */

#define JCPROF_LOG_MODULE 1u /* a: first address, b: behind the last, c: offset in the file; text: the file */
#define JCPROF_LOG_NAME 2u   /* a: id of a mark; text: its name */
#define JCPROF_LOG_PAUSE 3u  /* a: tick from which on nothing is recorded; b: 0, or JCPROF_LOG_OUTSIDE */
#define JCPROF_LOG_RESUME 4u /* a: tick from which on events are recorded again; b: as for PAUSE */
#define JCPROF_LOG_BUILD_ID 5u /* of the module before it; the recorder writes it, on disk only; text: hex */

#define JCPROF_LOG_OUTSIDE 1u /* the recorder did it, and `a` is by its clock */

struct jcprof_log_entry {
  jcprof_log_u32 kind;  /* written last; 0: not there yet */
  jcprof_log_u32 bytes; /* of the entry and its text, which ends with at least one zero */
  jcprof_log_u64 a;
  jcprof_log_u64 b;
  jcprof_log_u64 c;
};

/* ---- the head: 4096 bytes; each side writes to cache lines of its own ---- */

#define JCPROF_LOG_HEAD_BYTES 4096u
#define JCPROF_LOG_READINGS 64u /* `late` is as long as so many readings of the processor time */

#define JCPROF_LOG_CLOCK_OWN 0u      /* the target reads one: time-stamp counter, CNTVCT, JCPROF_CLOCK */
#define JCPROF_LOG_CLOCK_PUBLISHED 1u /* a thread of the host writes its time-stamp counter to `now` */
#define JCPROF_LOG_CLOCK_COUNTED 2u   /* a thread of the host counts in `now` */

#define JCPROF_LOG_OFF_OUTSIDE 1u
#define JCPROF_LOG_OFF_INSIDE 2u

/* In the head page, in memory only: what /proc told the program of itself, its command line (arguments end with a zero) and
   its `stat`. Older targets leave zeros. */
#define JCPROF_LOG_COMMAND_AT 1024u
#define JCPROF_LOG_STAT_AT 1792u
/* So many words behind that, in the first log: a process, times 2^32, and the file number of the log that it took. Its
   place is its number modulo JCPROF_LOG_OWNERS; the last one there stays. Another runtime of its image finds the log by
   this. */
#define JCPROF_LOG_OWNERS 256u
#define JCPROF_LOG_OWNERS_AT 2048u

struct jcprof_log_head {
  /* The maker of the log sets these, before the target sees it. */
  char magic[8];
  jcprof_log_u32 version;
  jcprof_log_u32 chunk_bytes; /* of a chunk, with its head */
  jcprof_log_u32 chunks;
  jcprof_log_u32 functions; /* slots of the table, a power of two */
  jcprof_log_u32 clock;
  jcprof_log_u32 entry_bytes; /* room for entries */
  jcprof_log_u64 chunks_at;   /* offsets from the head */
  /* One address a slot, 0: free; the id is the slot's number + 1. The recorder may add JCPROF_LOG_LEFT_OUT. */
  jcprof_log_u64 functions_at;
  jcprof_log_u64 entries_at;
  jcprof_log_u64 bytes; /* of the whole log */
  jcprof_log_u32 fast;  /* 1: the target need not order its clock (`ordered`) */
  jcprof_log_u32 made_spare[15];
  /* At 128, read at each event: a mask of JCPROF_LOG_OFF_…; 0: record. */
  jcprof_log_u32 off;
  /* The target sets this. An event is late if it comes more ticks than this after the last one; the thread then reads its
     processor time. It is JCPROF_LOG_READINGS times as long as a reading takes. 0: the thread cannot read that time. */
  jcprof_log_u32 late;
  /* The target sets this. 1: an event reads the clock when all loads before it have ended. 0, as in older logs: their
     time may count for what comes behind the event. */
  jcprof_log_u32 ordered;
  jcprof_log_u32 leaves_out; /* 1: the target knows JCPROF_LOG_LEFT_OUT */
  jcprof_log_u32 off_spare[12];
  /* At 192: the host's clock. */
  jcprof_log_u64 now;
  /* The file number of a log that no program owns yet. The first log's head has it, and the recorder writes it. 0: there is
     none, as with older recorders. Its path is that of the first log with another number. */
  jcprof_log_u32 offered;
  jcprof_log_u32 offers; /* logs that were offered so far */
  jcprof_log_u32 now_spare[12];
  /* At 256: the target writes these, seldom. */
  jcprof_log_u32 attached; /* the process that the log belongs to; ~0: it does not know its number; 0: none came */
  jcprof_log_u32 refused;  /* programs that came later and found no log: they record nothing */
  jcprof_log_u32 build;    /* JCPROF_BUILD; 0: no traps, or made by hand */
  jcprof_log_u32 threads;  /* serial numbers given */
  jcprof_log_u32 names;    /* ids given to marks */
  jcprof_log_u32 entries_used; /* bytes asked for, even if there was no room */
  jcprof_log_u64 unwritten;    /* events lost by threads that never got another chunk */
  jcprof_log_u64 anchor;       /* address of jcprof_log_anchor, if modules cannot be listed: an enclave, a TA */
  jcprof_log_u64 hook_ticks;   /* of 1024 events back to back, by the hooks; 0: not calibrated */
  jcprof_log_u64 trap_ticks;   /* the same by traps */
  jcprof_log_u32 pointer_bytes;
  jcprof_log_u32 image; /* of `attached`: another one once the process has called exec; 0: unknown */
  jcprof_log_u64 clock_hz; /* ticks a second of a clock that only the target has; 0: the recorder's; ~0: not told */
  jcprof_log_u32 unfit;    /* targets that came and cannot read `clock`: they record nothing */
  jcprof_log_u32 misplaced; /* an enclave came whose thread-local storage is the host's: it records nothing */
  /* By which 1024 events make longer work longer that lies between them. That is less than `hook_ticks`: the processor
     works on while it reads its clock. 0: not calibrated. */
  jcprof_log_u64 hook_apart_ticks;
  jcprof_log_u64 trap_apart_ticks; /* the same by traps */
};

/* ---- on disk: blocks, one behind the other, until the file ends; a cut one at the end counts as not there ---- */

#define JCPROF_LOG_BLOCK_HEAD 1u      /* the whole head; the first, before the first chunk, and before END */
#define JCPROF_LOG_BLOCK_CHUNK 2u     /* a chunk's head and its `used` words; of each thread in order */
#define JCPROF_LOG_BLOCK_ENTRY 3u     /* an entry; before the chunks with events behind it */
#define JCPROF_LOG_BLOCK_PAIR 4u      /* struct jcprof_log_pair */
#define JCPROF_LOG_BLOCK_FUNCTIONS 5u /* struct jcprof_log_function, as many as fit: those new since the last such block */
#define JCPROF_LOG_BLOCK_THREAD 6u    /* struct jcprof_log_thread; the last of a thread counts */
#define JCPROF_LOG_BLOCK_END 7u       /* struct jcprof_log_end */

struct jcprof_log_block {
  jcprof_log_u32 kind;
  jcprof_log_u32 bytes; /* that follow, a multiple of 8 */
};

struct jcprof_log_pair { /* read together */
  jcprof_log_u64 tick;
  jcprof_log_u64 ns; /* CLOCK_MONOTONIC */
};

struct jcprof_log_function {
  jcprof_log_u64 id;
  jcprof_log_u64 address;
};

struct jcprof_log_thread {
  jcprof_log_u32 thread;
  jcprof_log_u32 tid;
  jcprof_log_u64 running_ns; /* on a processor; 0 with waiting_ns 0: unknown */
  jcprof_log_u64 waiting_ns; /* ready, without a processor */
  char name[16];
};

struct jcprof_log_end {
  jcprof_log_u32 status;  /* exit status of the program, 128 + signal */
  jcprof_log_u32 dropped; /* chunks that found no room on the disk; their events are in the next `lost` */
  jcprof_log_u64 lost;    /* events, all in all */
  jcprof_log_u64 event_ps; /* picoseconds by which an event of a trap made the program slower; 0: unknown */
  jcprof_log_u64 doubt_ps; /* half width of event_ps: how runs differ. Older recorders do not tell it */
};

#ifdef __cplusplus
} /* extern "C" */
} /* extern "C++" */
#endif

#endif /* JCPROF_LOG_H */
