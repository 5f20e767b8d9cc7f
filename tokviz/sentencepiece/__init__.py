"""What the trainers of google/sentencepiece do to a text before they learn from it.

Everything here follows version 0.2.1 of the library (Apache License 2.0) and is tested against it;
the library itself is not needed at run time. Strings are as the library holds them: a space is `▁`
(U+2581) from normalization on.

`rules.json.xz` holds the rules of the library's precompiled character maps: those of `nfkc`, and
what `nmt` and `cf` (case folding) change in them. `scripts.txt` holds its table of Unicode scripts
(`unicode_script_map.h`), which is older than any that a package for regular expressions ships.
"""
