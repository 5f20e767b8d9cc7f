#include "memory.h"

#ifdef __wasm__ // natively, tests/fuzz/core.c has its own
enum { PAGE = 65536 };
enum { BY_HOST = 1, NO_SUCH_ADDRESS }; // why memory was refused

extern uint8_t __heap_base; // the linker's: where the module's own data ends
static uintptr_t next, kept;
static int32_t is_refused;

void *reserve(uint64_t bytes) {
  if (!next) next = kept = ((uintptr_t)&__heap_base + 7) & ~(uintptr_t)7;
  uintptr_t at = next;
  size_t has = __builtin_wasm_memory_size(0) * (size_t)PAGE;
  if (bytes > UINTPTR_MAX - at - PAGE) is_refused = NO_SUCH_ADDRESS;
  next = at + (((size_t)bytes + 7) & ~(size_t)7);
  if (!is_refused && next > has) {
    size_t more = (next - has + PAGE - 1) / PAGE;
    if (__builtin_wasm_memory_grow(0, more) == (size_t)-1) is_refused = BY_HOST;
  }
  if (is_refused) __builtin_trap();
  return (void *)at;
}

void keep(void) {
  reserve(0);
  kept = next;
}

void forget(void) {
  reserve(0);
  next = kept;
  is_refused = 0;
}

__attribute__((export_name("refused"))) int32_t refused(void) { return is_refused; }
#endif

void *grown(void *at, int32_t length, int32_t *room, size_t size) {
  void *more = reserve((length ? 2 * (uint64_t)length : 64) * size);
  *room = length ? 2 * length : 64;
  if (length) __builtin_memcpy(more, at, length * size);
  return more;
}

Ints room_for_ints(int32_t length) { return (Ints){reserve((uint64_t)length * sizeof(int32_t)), length, length}; }

void lengthen(Ints *column, int32_t length) {
  if (length > column->room) {
    int32_t *old = column->at;
    column->at = reserve(2 * (uint64_t)length * sizeof *old);
    column->room = 2 * length;
    if (column->length) __builtin_memcpy(column->at, old, column->length * sizeof *old);
  }
  column->length = length;
}

Ints ints_of(int32_t length, int32_t value) {
  Ints column = room_for_ints(length);
  for (int32_t i = 0; i < length; i++) column.at[i] = value;
  return column;
}

Counts counts_of(int32_t length, double value) {
  Counts column = {reserve((uint64_t)length * sizeof value), length, length};
  for (int32_t i = 0; i < length; i++) column.at[i] = value;
  return column;
}
