"""Checks bundles, seals files and headers files by docs/formats.md alone.

Usage: python3 second_documents.py < lines of JSON, each {"kind", "data" (base 64), "trust" or "known" and "network"}.
Prints a line for each: for a bundle 1 when nothing fails, else 0; for other files a summary, or the code of the failure.
"""

import base64
import json
import sys

from second_bundles import check_bundle
from second_checker import REFUSALS
from second_headers import check_headers
from second_seals import check_seals


def blocks_of(known, headers):
    return {known["height"] + 1 + at: headers[80 * at:80 * at + 80] for at in range(len(headers) // 80)}


def bundle_holds(data, trust, headers):
    try:
        check_bundle(data, trust, headers)
        return 1
    except REFUSALS:
        return 0


def main():
    headers = {}
    for line in sys.stdin:
        given = json.loads(line)
        data = base64.b64decode(given.get("data", ""))
        if given["kind"] == "blocks":
            headers = blocks_of(given["known"], data)
        elif given["kind"] == "bundle":
            print(bundle_holds(data, given["trust"], headers))
        elif given["kind"] == "seals":
            print(check_seals(data, given["trust"]))
        else:
            print(check_headers(data, given["known"], given["network"]))


if __name__ == "__main__":
    main()
