// Memory, and the columns that grow in it. Nothing is given back one by one: `forget` drops all that a
// training reserved, and the next one begins in the same place.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Reserves bytes, aligned to eight. Where there is no more memory, `refused` says whether the host gave none (1) or
// all 4 GB are used (2), and the module traps.
void *reserve(uint64_t bytes);

// What was reserved until now stays; what comes later goes with the next `forget`.
void keep(void);
void forget(void);

// A column of whole numbers of 32 bits, one of numbers (counts, whole and exact below 2^53, or costs), and one of bytes.
typedef struct { int32_t *at; int32_t length, room; } Ints;
typedef struct { double *at; int32_t length, room; } Counts;
typedef struct { uint8_t *at; int32_t length, room; } Bytes;

// Moves a column to where it has room for one more value: for twice as many, so that each value moves about once.
void *grown(void *at, int32_t length, int32_t *room, size_t size);

static inline void push(Ints *column, int32_t value) {
  if (column->length == column->room) column->at = grown(column->at, column->length, &column->room, sizeof value);
  column->at[column->length++] = value;
}

static inline void push_count(Counts *column, double value) {
  if (column->length == column->room) column->at = grown(column->at, column->length, &column->room, sizeof value);
  column->at[column->length++] = value;
}

static inline void push_byte(Bytes *column, uint8_t value) {
  if (column->length == column->room) column->at = grown(column->at, column->length, &column->room, sizeof value);
  column->at[column->length++] = value;
}

// A column whose values are still to be written, and one that gets longer by such values.
Ints room_for_ints(int32_t length);
void lengthen(Ints *column, int32_t length);

// A column of `length` equal values.
Ints ints_of(int32_t length, int32_t value);
Counts counts_of(int32_t length, double value);
