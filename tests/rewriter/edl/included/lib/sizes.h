/* C would read this too. */
#ifndef SIZES_H
#define SIZES_H
#define ROOM 16
#define MORE_ROOM (2 * ROOM)
#endif
