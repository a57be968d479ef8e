"""Compares Python's `re`, with which OpenAI compiles patterns, with the library's own validator.

A pattern that is declared compiles, and matches each text that the tool accepts, so that the provider
refuses no valid call. It matches no other text either, except where the two differ by design: texts
beyond ASCII, control characters, and a line end before `$`.
"""

import json
import re
import sys
import warnings
from pathlib import Path

LEAST_PATTERNS = 100
LEAST_TEXTS = 5000


def is_ordinary(text):
    """Whether both syntaxes define the same classes over this text."""
    return text.isascii() and all(char.isprintable() or char == "\t" for char in text)


def compiled(pattern):
    with warnings.catch_warnings():
        # What a later version of Python reads differently is refused now.
        warnings.simplefilter("error")
        try:
            return re.compile(pattern)
        except (re.error, OverflowError, Warning):
            return None


def kept(one):
    """Holds Python to the validator's verdicts; returns the numbers of texts and of wider ones."""
    pattern, wider = one["pattern"], 0
    regex = compiled(pattern)
    assert regex is not None, f"Python refuses {pattern!r}, which is declared"
    if not one["texts"]:
        # A pattern that the validator does not check has none to compare.
        return 0, 0
    verdicts = [matches for _, matches in one["texts"]]
    assert any(verdicts), f"no text matches {pattern!r}"
    for text, matches in one["texts"]:
        found = regex.search(text) is not None
        assert found or not matches, f"{pattern!r} refuses {text!r}, which the tool accepts"
        if found != matches:
            assert not is_ordinary(text), f"{pattern!r} matches {text!r}, which the tool refuses"
            wider += 1
    return len(verdicts), wider


def reason(one):
    """Why a pattern that is not declared would do harm; none if it would do none here."""
    regex = compiled(one["pattern"])
    if regex is None:
        return "refused"
    if re.search(r"\(\?<?[=!]", one["pattern"]):
        return "look-around"
    if any(matches and not regex.search(text) for text, matches in one["texts"]):
        return "narrower"
    if any(regex.search(text) and not matches and is_ordinary(text) for text, matches in one["texts"]):
        return "different"
    return "no tool" if not one["texts"] else "cautious"


def main(folder):
    made = json.loads((Path(folder) / "patterns.json").read_text())
    declared = [one for one in made if one["kept"]]
    counts = [kept(one) for one in declared]
    texts, wider = (sum(column) for column in zip(*counts))
    assert len(declared) >= LEAST_PATTERNS and texts >= LEAST_TEXTS, (len(declared), texts)
    dropped = {}
    for one in made:
        if not one["kept"]:
            dropped.setdefault(reason(one), []).append(one["pattern"])
    assert len(dropped["refused"]) >= LEAST_PATTERNS / 2, dropped
    reasons = " ".join(f"{word}={len(patterns)}" for word, patterns in sorted(dropped.items()))
    print(f"patterns: declared={len(declared)} texts={texts} wider={wider} dropped: {reasons}")
    if "--verbose" in sys.argv:
        print(json.dumps(dropped, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
