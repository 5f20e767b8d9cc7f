// From text to starting symbols.
//
//     "hug hugs" ──cut──▶ hug ×1, hugs ×1 ──spell──▶ h u g, h u g s
//
// Each pre-tokenizer is one function that says where the next word of a line ends.
#include "words.h"
#include "characters.h"

enum { LOOKS_TO_CUT = 4 }; // as many looks take about as long as to cut a byte

Words words;
Spelled spelled;

static uint8_t *text;
static int32_t line_end; // where the line ends that is being cut; below its beginning if that is not known yet
static uint8_t kinds[0x110000]; // of every character: bits of enum Kind
static Ints slots; // a hash table: word number + 1, or 0

// Writes the table of characters out. It is stored as runs of equal kinds: how long, in seven bits a byte with
// the lowest first, and which.
static void read_characters(void) {
  int32_t character = 0;
  for (const uint8_t *at = CHARACTERS; at < CHARACTERS + sizeof CHARACTERS;) {
    int32_t length = 0, shift = 0;
    do length |= (*at & 0x7f) << shift, shift += 7; while (*at++ & 0x80);
    __builtin_memset(kinds + character, *at++, length);
    character += length;
  }
}

// Forgets the text of before, and returns where the host writes the next one, in UTF-8.
__attribute__((export_name("room_for_text"))) uint8_t *room_for_text(int32_t size) {
  if (!kinds['a']) read_characters();
  forget();
  // Whoever reads a few bytes past the end finds zeros.
  text = reserve(size + 8);
  __builtin_memset(text + size, 0, 8);
  words = (Words){0};
  spelled = (Spelled){0};
  push(&words.starts, 0);
  slots = ints_of(1024, 0);
  line_end = -1;
  return text;
}

// The character at a place and how many bytes it has.
static int32_t character_at(int32_t at, int32_t *size) {
  uint8_t *b = text + at;
  *size = b[0] < 0x80 ? 1 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
  switch (*size) {
    case 1: return b[0];
    case 2: return (b[0] & 0x1f) << 6 | (b[1] & 0x3f);
    case 3: return (b[0] & 0x0f) << 12 | (b[1] & 0x3f) << 6 | (b[2] & 0x3f);
    default: return (b[0] & 0x07) << 18 | (b[1] & 0x3f) << 12 | (b[2] & 0x3f) << 6 | (b[3] & 0x3f);
  }
}

static uint8_t kind_at(int32_t at, int32_t *size) { return kinds[character_at(at, size)]; }

// Where the run of characters ends that have one of the kinds `some`, or none of them if `is_not`.
static int32_t run_end(int32_t at, int32_t end, uint8_t some, int is_not) {
  int32_t size;
  while (at < end && is_not == !(kind_at(at, &size) & some)) at += size;
  return at;
}

// GPT-2: '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
static int32_t gpt2_end(int32_t at, int32_t end) {
  uint8_t *b = text + at;
  int32_t left = end - at, size;
  if (b[0] == '\'' && left > 1) {
    if (b[1] == 's' || b[1] == 'd' || b[1] == 'm' || b[1] == 't') return at + 2;
    if (left > 2 && ((b[1] == 'l' && b[2] == 'l') || ((b[1] == 'v' || b[1] == 'r') && b[2] == 'e'))) return at + 3;
  }
  int32_t word = at + (b[0] == ' ' && left > 1);
  uint8_t kind = kind_at(word, &size);
  if (kind & LETTER) return run_end(word, end, LETTER, 0);
  if (kind & NUMBER) return run_end(word, end, NUMBER, 0);
  if (!(kind & SPACE)) return run_end(word, end, LETTER | NUMBER | SPACE, 1);
  int32_t last = at, stop = at;
  while (stop < end && kind_at(stop, &size) & SPACE) last = stop, stop += size;
  // The last white space before a word is left to it, or stands alone.
  return stop < end && last > at ? last : stop;
}

static int32_t bert_end(int32_t at, int32_t end) {
  int32_t size;
  if (kind_at(at, &size) & PUNCTUATION) return at + size;
  return run_end(at, end, RUST_SPACE | PUNCTUATION, 1);
}

static int32_t metaspace_end(int32_t at, int32_t end) { return run_end(at, end, RUST_SPACE, 1); }
static int32_t whitespace_end(int32_t at, int32_t end) { return run_end(at, end, PYTHON_SPACE, 1); }
static int32_t none_end(int32_t at, int32_t end) { (void)at; return end; }

// By enum Pretokenizer: where a word ends that begins at a place, what is between words, and what is put before each.
static const struct {
  int32_t (*end)(int32_t, int32_t);
  uint8_t between;
  char prefix;
} PRETOKENIZERS[] = {
  {gpt2_end, 0, 0},
  {bert_end, RUST_SPACE, 0},
  {metaspace_end, RUST_SPACE, ' '},
  {whitespace_end, PYTHON_SPACE, 0},
  {none_end, 0, 0},
};

static uint32_t hash_of(const uint8_t *bytes, int32_t size) {
  uint32_t hash = 2166136261u;
  for (int32_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 16777619u;
  return hash ^ hash >> 15;
}

static int is_same(const uint8_t *a, const uint8_t *b, int32_t size) {
  while (size && *a == *b) a++, b++, size--;
  return !size;
}

// Where the hash table has a word, or would have it.
static int32_t *slot_of(const uint8_t *bytes, int32_t size) {
  for (uint32_t i = hash_of(bytes, size);; i++) {
    int32_t *slot = &slots.at[i & (slots.length - 1)];
    if (!*slot) return slot;
    int32_t from = words.starts.at[*slot - 1];
    if (words.starts.at[*slot] - from == size && is_same(words.bytes.at + from, bytes, size)) return slot;
  }
}

// Counts a word of the text; a new one keeps the bytes that are written for the comparison.
static void count_word(int32_t at, int32_t end, char prefix) {
  int32_t from = words.bytes.length;
  if (prefix) push_byte(&words.bytes, prefix);
  while (at < end) push_byte(&words.bytes, text[at++]);
  int32_t size = words.bytes.length - from, *slot = slot_of(words.bytes.at + from, size);
  if (*slot) {
    words.bytes.length = from;
    words.counts.at[*slot - 1]++;
    return push(&words.order, *slot - 1);
  }
  push(&words.order, words.counts.length);
  push_count(&words.counts, 1);
  push(&words.starts, words.bytes.length);
  *slot = words.counts.length;
  if (2 * words.counts.length < slots.length) return;
  slots = ints_of(2 * slots.length, 0);
  for (int32_t w = 0; w < words.counts.length; w++) {
    int32_t start = words.starts.at[w];
    *slot_of(words.bytes.at + start, words.starts.at[w + 1] - start) = w + 1;
  }
}

// Counts the next word of a line, if there is one, and returns where it ends.
static int32_t cut_word(int32_t at, enum Pretokenizer pretokenizer) {
  at = run_end(at, line_end, PRETOKENIZERS[pretokenizer].between, 0);
  if (at == line_end) return at;
  int32_t stop = PRETOKENIZERS[pretokenizer].end(at, line_end);
  count_word(at, stop, PRETOKENIZERS[pretokenizer].prefix);
  return stop;
}

// Cuts a part of the text, line by line, until it is through or some bytes are: as many as take as long as `most` looks.
// A line ends at \n, \r or both. Returns where it stopped: call it again from there until that is `end`.
__attribute__((export_name("cut"))) int32_t cut(int32_t at, int32_t end, enum Pretokenizer pretokenizer, int32_t most) {
  int32_t bytes = most / LOOKS_TO_CUT + 1, stop = bytes < end - at ? at + bytes : end;
  for (;;) {
    if (line_end < at) for (line_end = at; line_end < end && text[line_end] != '\n' && text[line_end] != '\r';) line_end++;
    while (at < line_end && at < stop) at = cut_word(at, pretokenizer);
    if (at == end) line_end = -1;
    if (at >= stop) return at;
    at += text[at] == '\r' && at + 1 < end && text[at + 1] == '\n' ? 2 : 1;
    push(&words.order, LINE_END);
  }
}

// Notes something else in the order of the words: a special token, or the end of the last line.
__attribute__((export_name("note"))) void note(int32_t number) { push(&words.order, number); }

// --- spelling ------------------------------------------------------------------------------------

static Ints seen; // a hash table: symbol + 1, or 0

// Where the hash table has a symbol, or would have it.
static int32_t slot_of_form(int32_t symbol) {
  for (uint32_t i = (uint32_t)symbol * 2654435761u >> 8;; i++) {
    int32_t slot = i & (seen.length - 1);
    if (!seen.at[slot] || seen.at[slot] == symbol + 1) return slot;
  }
}

static void spell_symbol(int32_t symbol) {
  push(&spelled.symbols, symbol);
  int32_t slot = slot_of_form(symbol);
  if (seen.at[slot]) return;
  seen.at[slot] = symbol + 1;
  push(&spelled.forms, symbol);
  if (2 * spelled.forms.length < seen.length) return;
  seen = ints_of(2 * seen.length, 0);
  for (int32_t i = 0; i < spelled.forms.length; i++) seen.at[slot_of_form(spelled.forms.at[i])] = spelled.forms.at[i] + 1;
}

// Splits the words from number `w` on into starting symbols, until all are or some `most` symbols are written: into
// bytes or characters, those inside a word `marked` as continuing it, the last one as its end if the suffix is `glued`
// to it; else a suffix is a symbol of its own. Returns where it stopped: call it again from there.
__attribute__((export_name("spell"))) int32_t spell(int32_t bytes, int32_t marked, int32_t suffix, int32_t glued,
                                                    int32_t w, int32_t most) {
  if (!w) {
    spelled = (Spelled){0};
    seen = ints_of(1024, 0);
    text = words.bytes.at;
  }
  for (int32_t before = spelled.symbols.length; w < words.counts.length; w++) {
    if (spelled.symbols.length - before >= most) return w;
    int32_t first = words.starts.at[w], end = words.starts.at[w + 1], size = 1;
    push(&spelled.starts, spelled.symbols.length);
    for (int32_t at = first; at < end; at += size) {
      int32_t symbol = bytes ? text[at] : character_at(at, &size);
      if (marked && at > first) symbol |= CONTINUING;
      if (suffix && glued && at + size == end) symbol |= ENDS_WORD;
      spell_symbol(symbol);
    }
    if (suffix && !glued) spell_symbol(BARE_SUFFIX | ENDS_WORD);
  }
  push(&spelled.starts, spelled.symbols.length);
  return w;
}

static Ints number; // per slot of `seen`: the number of its symbol

// Writes the symbols from place `i` on as numbers, at most so many: `numbers[f]` is that of form f. Returns where it
// stopped: call it again from there.
__attribute__((export_name("number_symbols"))) int32_t number_symbols(const int32_t *numbers, int32_t i, int32_t most) {
  if (!i) {
    number = ints_of(seen.length, 0);
    for (int32_t f = 0; f < spelled.forms.length; f++) number.at[slot_of_form(spelled.forms.at[f])] = numbers[f];
  }
  int32_t stop = most < spelled.symbols.length - i ? i + most : spelled.symbols.length;
  for (int32_t *symbols = spelled.symbols.at; i < stop; i++) symbols[i] = number.at[slot_of_form(symbols[i])];
  return stop;
}
