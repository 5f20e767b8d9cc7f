"""Keys of the session state for what the pages draw, and for what they remember between two reruns.
What a visitor has open is in a `Visit`."""

# The form.
ALGORITHM = "algorithm"
VOCAB_SIZE = "vocab_size"
SIZE_SLIDER = "size_slider"
SIZE_OF_ALL = "size_of_all"
UNIT = "unit"
PRETOKENIZER = "pretokenizer"
SAMPLE = "sample"
SAMPLE_LISTS = "sample_lists"
OWN = "own"
UPLOAD = "upload"
UPLOAD_ERROR = "upload_error"
DESCRIBED = "described"

# The player and its lenses.
PLAYER = "player"
PLAYER_DRAWN = "player_drawn"
BRANCH_HEARD = "branch_heard"
LENS = "lens"
LENS_TOKEN = "lens_token"
TOKEN_CURSOR = "token_cursor"
TOKEN_DRAWN = "token_drawn"
LOOKED = "looked"
WORD_REQUEST = "word_request"
WORD_SAID = "word_said"

# The page Compare.
COMPARISON = "comparison"
COMPARE_VIEW = "compare_view"
WANTED_VIEW = "wanted_view"
COMPARE_LENS = "compare_lens"
FERTILITY_WORDS = "per_word"
CURVES = "curves"
TRAINED_ON = "trained_on"
HOLD_BACK_REFUSED = "hold_back_refused"
HELD_OUT_TEXT = "held_out_text"
HELD_OUT_OFFERED = "held_out_offered"

# Its grid.
GRID_ALGORITHMS = "grid_algorithms"
GRID_CORPUS = "grid_corpus"
GRID_REFUSED = "grid_refused"
GRID_SHOWN = "grid_shown"
GRID_SIZES = "grid_sizes"
GRID_SUGGESTED = "grid_suggested"
GRID_VISIT = "grid_visit"
GRID_WANTED = "grid_wanted"

# Lessons.
CUES = "cues"
LESSON_AT = "lesson_at"
LESSON_INSIDE = "lesson_inside"
LESSON_LOOK = "lesson_look"
LESSON_REFUSED = "lesson_refused"
LESSON_FILE_REFUSED = "lesson_file_refused"
LESSON_UPLOAD_FILE = "lesson_upload_file"
LESSON_TYPED = "lesson_typed"

# Rooms.
ROOM = "room_asked"
ROOM_LETTERS = "room_letters"

# Files, and what leads from page to page.
OPENED = "opened"
OPENED_TEXT = "opened_text"
AUTOPSY_WANTED = "autopsy_wanted"
LEARNED_TOKEN = "learned_token"
LEARNED_WANTED = "learned_wanted"
NAMED = "named"
NAMED_DOWNLOAD = "named_download"
NAMED_OPENED = "named_opened"
PAGES = "pages"
LANGUAGE_SWITCH = "language_switch"
