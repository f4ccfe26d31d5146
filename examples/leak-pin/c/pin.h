/* SPDX-License-Identifier: Apache-2.0 */
/* A PIN of eight digits, compared in three ways. All of them: 1 if it is right, else 0. */
#ifndef PIN_H
#define PIN_H

#include <stddef.h>

/* Before the others. */
void prepare_pin(void);

/* Ends at the first wrong digit. */
int early_exit(const unsigned char *guess, size_t size);
/* The digits choose the places of a table that are read. */
int by_table(const unsigned char *guess, size_t size);
/* Looks at all digits, whatever they are, and decides nothing by them. */
int constant_time(const unsigned char *guess, size_t size);

#endif
