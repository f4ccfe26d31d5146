/* SPDX-License-Identifier: Apache-2.0 */
/* An exact device: its programs take steps, and its clock counts them. device/counted.c is that clock;
   device/traced.c tells who took each step, and is what profiles are compared with. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Takes n steps, and is n. */
int steps(int n);
/* The same to all who look at what it says of itself: compilers may move the call, as they may move a division. */
int pure_steps(int n) __attribute__((const));
/* Runs the work on another thread and waits for it: its steps pass while the caller waits. */
void on_thread(void (*work)(void));
unsigned long steps_taken(void);

/* The command under study: one group of functions, so that no trap is passed more often than all its passes are measured. */
int exact(int group);

#ifdef __cplusplus
}
#endif
