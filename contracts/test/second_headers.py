"""The check of a headers file by docs/formats.md alone ("Headers file"). No code in common with src/.

Usage: python3 second_headers.py <fixtures>. Prints the number of recorded public headers whose bits were calculated.
"""

import json
import sys

from second_implementation import double

KNOWN_BLOCK = 800_000, "000000000000000000ad9056924410005d91b57f100bce345944e5caf56e8565"
HIGHEST = {"main": 2**224 - 1, "test": 2**224 - 1, "regtest": 2**255 - 1, "dev": 2**255 - 1}


def target_of(bits):
    """Returns the target; 0 when the bits encode none."""
    size, digits = bits >> 24, bits & 0x7FFFFF
    target = digits << 8 * (size - 3) if size > 3 else digits >> 8 * (3 - size)
    return 0 if bits & 0x800000 or target >= 2**256 else target


def bits_of(target):
    size = (target.bit_length() + 7) // 8
    digits = target >> 8 * (size - 3) if size > 3 else target << 8 * (3 - size)
    return (size + 1) << 24 | digits >> 8 if digits & 0x800000 else size << 24 | digits


class Wrong(Exception):
    """A fault: its code, and the height of the header."""


class Chain:
    """Times, work and bits of the headers so far, with the known block when it is in the file."""

    def __init__(self, network, known_bits):
        self.network, self.known_bits = network, known_bits
        self.times, self.works, self.calculated = [], [], 0

    def middle(self, at):
        three = [at - 2, at - 1, at]
        for left, right in ((0, 2), (0, 1), (1, 2)):
            if self.times[three[left]] > self.times[three[right]]:
                three[left], three[right] = three[right], three[left]
        return three[1]

    def wanted(self, time):
        """Returns the required bits; None when they cannot be calculated."""
        count = len(self.times)
        if self.network in ("regtest", "dev"):
            return self.known_bits
        if self.network == "test" and count > 0 and time > self.times[-1] + 1_200:
            return 0x1D00FFFF
        if self.network not in HIGHEST or count < 147:
            return None
        first, last = self.middle(count - 145), self.middle(count - 1)
        seconds = min(172_800, max(43_200, self.times[last] - self.times[first]))
        work = sum(self.works[first + 1:last + 1]) * 600 // seconds
        return bits_of(min(HIGHEST[self.network], (2**256 - work) // work))

    def add(self, header, is_known=False):
        time, bits = int.from_bytes(header[68:72], "little"), int.from_bytes(header[72:76], "little")
        target = target_of(bits)
        if target == 0 or int.from_bytes(double(header), "little") > target:
            return "NO_WORK"
        if target > HIGHEST.get(self.network, 2**256):
            return "TOO_EASY"
        if not is_known:
            wanted = self.wanted(time)
            if wanted is not None and bits != wanted:
                return "WRONG_DIFFICULTY"
            if wanted is None and self.network != "test" and target > 4 * target_of(self.known_bits):
                return "TOO_EASY"
            if len(self.times) >= 11 and time <= sorted(self.times[-11:])[5]:
                return "TIME_TOO_OLD"
            self.calculated += wanted is not None
        self.times.append(time)
        self.works.append(2**256 // (target + 1))
        return None


def check(network, data, known):
    """Checks the headers and returns the chain. `known` has height, hash as explorers show it, and bits if known."""
    count = len(data) // 80
    if len(data) > 4_000_000 * 80:
        raise Wrong("TOO_MANY_HEADERS")
    if len(data) % 80 != 0 or count == 0:
        raise Wrong("NOT_HEADERS")
    if network == "main" and known["height"] < 556_767:
        raise Wrong("BEFORE_FORK")
    headers = [data[at:at + 80] for at in range(0, len(data), 80)]
    is_known = double(headers[0])[::-1].hex() == known["hash"]
    bits = int.from_bytes(headers[0][72:76], "little") if is_known else known.get("bits")
    if bits is None:
        raise Wrong("BITS_UNKNOWN")
    if network == "main" and known["height"] == KNOWN_BLOCK[0] and known["hash"] != KNOWN_BLOCK[1]:
        raise Wrong("OTHER_CHAIN", known["height"])
    chain, previous = Chain(network, bits), bytes.fromhex(known["hash"])[::-1]
    for at, header in enumerate(headers):
        height = known["height"] + at + (0 if is_known else 1)
        own = is_known and at == 0
        fault = "NOT_LINKED" if not own and header[4:36] != previous else chain.add(header, own)
        if fault is None and network == "main" and height == KNOWN_BLOCK[0] and double(header)[::-1].hex() != KNOWN_BLOCK[1]:
            fault = "OTHER_CHAIN"
        if fault is not None:
            raise Wrong(fault, height)
        previous = double(header)
    return chain, height, count - is_known


def check_headers(data, known, network):
    """Returns `CODE height`, or the last header's height and time, the work added, and how many bits were not calculated."""
    try:
        chain, height, added = check(network, data, known)
    except Wrong as wrong:
        return " ".join(map(str, wrong.args))
    work = sum(chain.works[len(chain.works) - added:])
    return f"{height} {chain.times[-1]} {work} {added - chain.calculated}"


def main(fixtures):
    with open(fixtures, encoding="utf-8") as file:
        recorded = json.load(file)
    calculated = 0
    for network in ("main", "test"):
        data = bytes.fromhex(recorded[network]["headers"])
        known = {"height": recorded[network]["firstHeight"], "hash": double(data[:80])[::-1].hex()}
        calculated += check(network, data, known)[0].calculated
    print(calculated)


if __name__ == "__main__":
    main(sys.argv[1])
