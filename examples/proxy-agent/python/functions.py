"""The functions that the assistant may call: public, with type hints and docstrings.

The schema of a function's parameters is made from its type hints; the text in `Annotated` describes a
parameter to the model. A function raises `InvalidInput` for input that its types cannot rule out; the
model reads that message, and no other exception's.
"""

from __future__ import annotations

import difflib
import statistics
from datetime import date, timedelta
from typing import Annotated, TypedDict


class InvalidInput(ValueError):
    """Input that a caller can mend; the message is written for it, and quotes no value."""


class Summary(TypedDict):
    count: int
    mean: float
    median: float
    deviation: float
    least: float
    greatest: float


class Interval(TypedDict):
    days: int
    weeks: float
    weekday: str


class Match(TypedDict):
    text: str
    similarity: float


def summarize(
    values: Annotated[list[float], "The numbers, at least one."],
) -> Summary:
    """Summarizes numbers: count, mean, median, standard deviation, least and greatest."""
    if not values:
        raise InvalidInput("`values`: expected at least one number")
    return Summary(
        count=len(values),
        mean=statistics.fmean(values),
        median=statistics.median(values),
        deviation=statistics.pstdev(values),
        least=min(values),
        greatest=max(values),
    )


def days_between(
    start: Annotated[date, "The first day."],
    end: Annotated[date, "The last day."],
) -> Interval:
    """Counts the days from one day to another, and names the weekday of the last one."""
    days = (end - start).days
    return Interval(days=days, weeks=round(days / 7, 1), weekday=end.strftime("%A"))


def workday_before(
    day: Annotated[date, "The day to count back from."],
    days: Annotated[int, "How many days before it, at least 0."],
) -> str:
    """Returns the last day from Monday to Friday that is at least so many days before a day."""
    if days < 0:
        raise InvalidInput("`days`: expected 0 or more")
    try:
        found = day - timedelta(days=days)
        while found.weekday() > 4:
            found -= timedelta(days=1)
    except OverflowError:
        raise InvalidInput("`days`: expected a day after the year 1") from None
    return found.isoformat()


def closest_texts(
    wanted: Annotated[str, "The text to look for, which may have typing errors."],
    texts: Annotated[list[str], "The texts to choose from."],
    limit: Annotated[int, "The most matches."] = 3,
) -> list[Match]:
    """Finds the texts that are most similar to a text, the best first."""

    def similarity(text: str) -> float:
        return round(difflib.SequenceMatcher(None, wanted.lower(), text.lower()).ratio(), 3)

    matches = [Match(text=text, similarity=similarity(text)) for text in texts]
    matches.sort(key=lambda match: match["similarity"], reverse=True)
    return matches[: max(limit, 0)]
