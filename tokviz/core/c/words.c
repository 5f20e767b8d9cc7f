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
static int32_t text_room; // bytes that it may have
static int32_t line_end; // where the line ends that is being cut; below its beginning if that is not known yet
static uint8_t kinds[0x110000]; // of every character: bits of enum Kind

// What a word has of white space: some at its beginning, some at its end, and one white-space word between them.
enum Outline { BLANK_BEFORE = 1, BLANK_AFTER = 2, ONE_WORD = 4 };

// A hash table of the words, as a dict of Python is one inside: what tells one word from others, its number + 1 (0: none is
// there) and its outline. A word is looked for at a place that its key names, and from there on until a slot is free.
typedef struct { uint64_t key; int32_t word; enum Outline outline; } Slot;
static const uint64_t LONG = 1ull << 63; // the key is not the word
static Slot *slots;
static int32_t n_slots;

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

static void make_slots(int32_t n);

// Forgets the text of before, and returns where the host writes the next one, in UTF-8.
__attribute__((export_name("room_for_text"))) uint8_t *room_for_text(int32_t size) {
  if (!kinds['a']) read_characters();
  forget();
  // Whoever reads a few bytes past the end finds zeros.
  text = reserve(size + 8);
  text_room = size;
  __builtin_memset(text + size, 0, 8);
  words = (Words){0};
  spelled = (Spelled){0};
  push(&words.starts, 0);
  slots = 0;
  make_slots(1024);
  line_end = -1;
  return text;
}

// The character at a place and how many bytes it has: in UTF-8 the first one says it, and each other one has six bits.
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

static uint8_t kind_at(int32_t at, int32_t *size) {
  if (text[at] >= 0x80) return kinds[character_at(at, size)];
  *size = 1;
  return kinds[text[at]];
}

// Where the run of characters ends that have one of the kinds `some` (bits), or none of them if `is_not`. `!!` makes 1 of
// whatever is not 0.
static int32_t run_end(int32_t at, int32_t end, uint8_t some, int is_not) {
  for (int32_t size; at < end; at += size) {
    if (is_not == !!(kind_at(at, &size) & some)) break;
  }
  return at;
}

// Eight bytes at once, of which each has its highest bit free for an answer: whether it is at least `least`, and at most
// `most`. What is added carries into that bit, and no further.
static const uint64_t EACH = 0x0101010101010101, HIGHEST = 0x8080808080808080;

static uint64_t are_between(uint64_t bytes, uint8_t least, uint8_t most) {
  return (bytes + EACH * (0x80 - least)) & ~(bytes + EACH * (0x7f - most)) & HIGHEST;
}

static uint64_t eight_at(const uint8_t *bytes) {
  uint64_t eight;
  __builtin_memcpy(&eight, bytes, 8);
  return eight;
}

// Where a run of letters ends. Most are of ASCII, and most words have fewer than eight.
static int32_t letters_end(int32_t at, int32_t end) {
  while (at < end) {
    // Of ASCII's letters, 0x20 makes a small one of a capital one.
    uint64_t eight = eight_at(text + at), others = ~are_between((eight | EACH * 0x20) & ~HIGHEST, 'a', 'z') | eight;
    others &= HIGHEST;
    if (others) {
      at += __builtin_ctzll(others) / 8;
      return at >= end ? end : text[at] < 0x80 ? at : run_end(at, end, LETTER, 0);
    }
    at += 8;
  }
  return end;
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
  if (kind & LETTER) return letters_end(word, end);
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

// By enum Pretokenizer: where a word ends that begins at a place, what is between words, and how many spaces are put before each.
// White space is what those call so who defined it: Python's str.split, Hugging Face's library, which is in Rust, and
// \s of GPT-2's pattern differ in a few characters.
static const struct {
  int32_t (*end)(int32_t, int32_t);
  uint8_t between;
  uint8_t spaces;
} PRETOKENIZERS[] = {
  {gpt2_end, 0, 0},
  {bert_end, RUST_SPACE, 0},
  {metaspace_end, RUST_SPACE, 1},
  {whitespace_end, PYTHON_SPACE, 0},
  {none_end, 0, 0},
};

// Up to seven bytes as one number that says how many; there may be others behind them. For more bytes it is one that
// others may have, too.
static uint64_t key_of(const uint8_t *bytes, int32_t size) {
  uint64_t key = eight_at(bytes);
  if (size < 8) return (key & ((1ull << 8 * size) - 1)) | (uint64_t)size << 56;
  for (int32_t i = 8; i < size; i += 8) {
    key = (key ^ key >> 32 ^ eight_at(bytes + (i + 8 < size ? i : size - 8))) * 0x9E3779B97F4A7C15u;
  }
  return key | LONG;
}

// Where the hash table has a word of this key from place `i` on, or has room for one: look on from there if it is another.
static Slot *slot_from(uint32_t *i, uint64_t key) {
  for (;; ++*i) {
    Slot *slot = &slots[*i & (n_slots - 1)];
    if (!slot->word || slot->key == key) return slot;
  }
}

// Keys that are alike come to stand far apart: the factor is 2^64 divided by the golden ratio. Of the place only the lowest
// bits count, as many as the table has slots: `& (n - 1)` is `% n` where n is a power of two.
static uint32_t place_of(uint64_t key) { return key * 0x9E3779B97F4A7C15u >> 32; }

static void make_slots(int32_t n) {
  Slot *old = slots;
  int32_t n_old = old ? n_slots : 0;
  slots = reserve((uint64_t)n * sizeof *slots);
  n_slots = n;
  __builtin_memset(slots, 0, n * sizeof *slots);
  for (int32_t k = 0; k < n_old; k++) {
    if (!old[k].word) continue;
    uint32_t i = place_of(old[k].key);
    while (slots[i & (n - 1)].word) i++;
    slots[i & (n - 1)] = old[k];
  }
}

// Whether eight bytes or more are the same.
static int is_same(const uint8_t *a, const uint8_t *b, int32_t size) {
  for (int32_t i = 0; i < size - 8; i += 8) if (eight_at(a + i) != eight_at(b + i)) return 0;
  return eight_at(a + size - 8) == eight_at(b + size - 8);
}

static enum Outline outline_of(int32_t at, int32_t end) {
  int32_t word = run_end(at, end, PYTHON_SPACE, 0), blank = run_end(word, end, PYTHON_SPACE, 1);
  int32_t is_one = word < end && run_end(blank, end, PYTHON_SPACE, 0) == end;
  return (word > at) * BLANK_BEFORE | (blank < end) * BLANK_AFTER | is_one * ONE_WORD;
}

// Adds a word of the text, which has so many spaces put before it, and returns its number.
static int32_t add_word(int32_t at, int32_t size, int32_t spaces) {
  while (spaces--) push_byte(&words.bytes, ' ');
  for (int32_t i = at; i < at + size; i++) push_byte(&words.bytes, text[i]);
  push(&words.starts, words.bytes.length);
  push_count(&words.counts, 0);
  push_count(&words.alone, 0);
  return words.counts.length - 1;
}

// Counts a word of the text, and returns where the hash table has it.
static Slot *count_word(int32_t at, int32_t end, int32_t spaces) {
  int32_t size = end - at;
  uint64_t key = key_of(text + at, size);
  uint32_t i = place_of(key);
  Slot *slot = slot_from(&i, key);
  while (slot->word && size > 7) {
    int32_t from = words.starts.at[slot->word - 1] + spaces, other = words.starts.at[slot->word] - from;
    if (other == size && is_same(words.bytes.at + from, text + at, size)) break;
    i++, slot = slot_from(&i, key);
  }
  if (!slot->word) {
    *slot = (Slot){key, add_word(at, size, spaces) + 1, outline_of(at, end)};
    if (2 * slot->word >= n_slots) {
      make_slots(2 * n_slots);
      return count_word(at, end, spaces);
    }
  }
  words.counts.at[slot->word - 1]++;
  return slot;
}

// Finds the next word of a line, and where it ends; returns where it begins, which is `line_end` if there is none.
static int32_t find_word(int32_t at, enum Pretokenizer pretokenizer, int32_t *end) {
  uint8_t between = PRETOKENIZERS[pretokenizer].between;
  if (between) at = run_end(at, line_end, between, 0);
  *end = at < line_end ? PRETOKENIZERS[pretokenizer].end(at, line_end) : at;
  return at;
}

// Cuts a part of the text, line by line, until it is through or some bytes are: as many as take as long as `most` looks.
// A line ends at \n, \r or both. Returns where it stopped: call it again from there until that is `end`.
__attribute__((export_name("cut"))) int32_t cut(int32_t at, int32_t end, enum Pretokenizer pretokenizer, int32_t most) {
  int32_t bytes = most / LOOKS_TO_CUT + 1, stop = bytes < end - at ? at + bytes : end, next;
  for (;;) {
    if (line_end < at) for (line_end = at; line_end < end && text[line_end] != '\n' && text[line_end] != '\r';) line_end++;
    for (; at < line_end && at < stop; at = next) {
      int32_t from = find_word(at, pretokenizer, &next);
      if (from < next) push(&words.order, count_word(from, next, PRETOKENIZERS[pretokenizer].spaces)->word - 1);
    }
    if (at == end) line_end = -1;
    if (at >= stop) return at;
    at += text[at] == '\r' && at + 1 < end && text[at + 1] == '\n' ? 2 : 1;
    push(&words.order, LINE_END);
  }
}

// Notes something else in the order of the words: a special token, or the end of the last line.
__attribute__((export_name("note"))) void note(int32_t number) { push(&words.order, number); }

// --- blocks --------------------------------------------------------------------------------------

// A long text comes in blocks, one after the other in the same room: documents with END after each, and JOINT where one
// is cut without any white space. UTF-8 has neither byte.
enum { JOINT = 0xfe, END = 0xff };

static uint8_t met[0x110000]; // whether a character was met in a block

// Returns where the host writes the next block; what was counted stays.
__attribute__((export_name("room_for_block"))) uint8_t *room_for_block(int32_t size) {
  if (size > text_room) {
    text = reserve(size + 8);
    text_room = size;
  }
  __builtin_memset(text + size, END, 8);
  return text;
}

// Counts the white-space words that begin in a block, and notes in `order` the characters outside of ASCII that no block had
// before: if the host knows another kind of one, it has to look again.
__attribute__((export_name("look_over"))) int32_t look_over(int32_t size) {
  int32_t found = 0, is_inside = 0;
  words.order.length = 0;
  for (int32_t at = 0, bytes = 1; at < size; at += bytes) {
    uint64_t eight = eight_at(text + at);
    if (!(eight & HIGHEST) && at + 8 <= size) {
      // Python's white space in ASCII. A byte that is none begins a word where the one before it, below, is some.
      uint64_t inside = ~(are_between(eight, '\t', '\r') | are_between(eight, 0x1c, ' ')) & HIGHEST;
      found += __builtin_popcountll(inside & ~(inside << 8 | (uint64_t)is_inside << 7));
      is_inside = inside >> 63, bytes = 8;
      continue;
    }
    if (text[at] >= JOINT) {
      is_inside = text[at] == JOINT, bytes = 1;
      continue;
    }
    int32_t character = character_at(at, &bytes), is_word = !(kinds[character] & PYTHON_SPACE);
    found += is_word & !is_inside;
    is_inside = is_word;
    if (bytes == 1 || met[character]) continue;
    met[character] = 1;
    push(&words.order, character);
  }
  return found;
}

// Where the kinds of characters are, one byte each.
__attribute__((export_name("kinds"))) uint8_t *kinds_of_characters(void) { return kinds; }

// Where a document ends, or a part of one that is cut.
static int32_t document_end(int32_t at) {
  // Eight bytes at once. JOINT and END have all bits but the lowest, which nobody asks for: turned round they are 0, and no
  // other byte is. Where 2 is taken from each byte, 0 alone gets a highest bit that it had not.
  for (;; at += 8) {
    uint64_t eight = ~eight_at(text + at) & 0xfefefefefefefefe;
    if ((eight - 2 * EACH) & ~eight & HIGHEST) break;
  }
  while (text[at] < JOINT) at++;
  return at;
}

static int32_t is_blank(int32_t at) {
  int32_t size;
  return text[at] == END || (text[at] != JOINT && kind_at(at, &size) & PYTHON_SPACE);
}

static int32_t is_blank_before(int32_t at) {
  if (!at) return 1;
  while ((text[--at] & 0xc0) == 0x80);
  return is_blank(at);
}

// Counts the words of a block, and those that cover all of one white-space word and nothing else. Where they are `placed`,
// `order`, `begins` and `ends` say which they are, and where.
__attribute__((export_name("count_block"))) void count_block(int32_t size, enum Pretokenizer pretokenizer, int32_t placed) {
  words.order.length = words.begins.length = words.ends.length = 0;
  for (int32_t at = 0, next; at < size; at = line_end + 1) {
    line_end = document_end(at);
    for (; at < line_end; at = next) {
      int32_t from = find_word(at, pretokenizer, &next);
      if (from == next) continue;
      Slot *word = count_word(from, next, PRETOKENIZERS[pretokenizer].spaces);
      if (word->outline & ONE_WORD && (word->outline & BLANK_BEFORE || is_blank_before(from)) &&
          (word->outline & BLANK_AFTER || is_blank(next)))
        words.alone.at[word->word - 1]++;
      if (!placed) continue;
      push(&words.order, word->word - 1);
      push(&words.begins, from);
      push(&words.ends, next);
    }
  }
}

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
