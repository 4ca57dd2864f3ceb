"""The check of a seals file by docs/formats.md alone ("Chain of seals"). No code in common with src/."""

import hashlib
import re

from second_checker import (REFUSALS, HASH, Shortest, hexed, is_anchor, is_network, many, members, need, number, one_of, parsed,
                            read)
from second_implementation import ZERO, anchor_script, double, ecdsa_ok, leaf_hash, node_hash, sha

LINE = 524_288
HEAD = members({"format": one_of("sentinel/seals/v1"), "logId": HASH, "network": is_network})
SEAL = members({"batch": number(), "header": hexed(182, 182), "raw": hexed(100_000),
                "spends": many(64, members({"satoshis": number(), "script": hexed(10_000)}))})
HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0


class Wrong(Exception):
    """A line that does not follow: the code of its fault, and the batch."""


class Seals:
    def __init__(self, trust):
        self.trust = trust
        self.log_id = sha(b"sentinel/log/v1\0" + bytes.fromhex(trust["publicKey"]))
        self.batches, self.full, self.seal = [], [], None

    def head(self, line):
        try:
            head = read(line, HEAD, LINE)
        except REFUSALS:
            raise Wrong("FORM") from None
        if head["logId"] != self.log_id.hex() or head["network"] != self.trust["network"]:
            raise Wrong("SEALS_OF_OTHER_LOG")

    def add(self, line):
        batch = len(self.batches)
        try:
            seal = read(line, SEAL, LINE)
        except REFUSALS:
            raise Wrong("FORM", batch) from None
        if seal["batch"] != batch:
            raise Wrong("SEAL_BRANCH" if seal["batch"] < batch else "SEAL_GAP", seal["batch"])
        try:
            self.follow(seal, batch)
        except Wrong as wrong:
            raise Wrong(*wrong.args, batch) from None

    def follow(self, seal, batch):
        header, raw = bytes.fromhex(seal["header"]), bytes.fromhex(seal["raw"])
        try:
            need(header[:18] == b"sentinel/batch/v1\0", "the header")
            need(all(int.from_bytes(header[begin:begin + 8], "big") < 2**53 for begin in (50, 90, 134, 174)), "a number")
            inputs, outputs = parsed(raw)
        except REFUSALS:
            raise Wrong("SEAL_UNREADABLE") from None
        before = self.batches[-1] if batch > 0 else (ZERO, ZERO, ZERO)
        if (header[18:50], int.from_bytes(header[50:58], "big"), header[58:90]) != (self.log_id, batch, before[1]):
            raise Wrong("SEAL_HEADER_DIFFERS")
        root = self.grown(leaf_hash(header))
        own = outputs[0][0] == 0 and is_anchor(outputs[0][1]) and outputs[0][1][9:41] == self.log_id
        if not own or any(is_anchor(script) for _, script in outputs[1:]):
            raise Wrong("SEAL_FOREIGN")
        if outputs[0][1] != anchor_script(self.log_id, batch, sha(header), root):
            raise Wrong("SEAL_ANCHOR_DIFFERS")
        if batch == 0 and double(raw)[::-1].hex() != self.trust["genesisTxid"]:
            raise Wrong("SEAL_GENESIS_DIFFERS")
        if batch > 0 and (inputs[0][0], inputs[0][1]) != (before[0], 1):
            again = inputs[0][1] == 1 and inputs[0][0] in [txid for txid, _, _ in self.batches]
            raise Wrong("SEAL_BRANCH" if again else "SEAL_NOT_SPENT")
        spent = [(one["satoshis"], bytes.fromhex(one["script"])) for one in seal["spends"]]
        check_funds(raw, inputs, outputs, spent if batch == 0 else [self.seal] + spent)
        self.batches.append((double(raw), sha(header), root))
        self.seal = outputs[1]

    def grown(self, leaf):
        """Returns the root with one more leaf, from the roots of the full subtrees, the largest first."""
        size, node = len(self.batches), leaf
        while size % 2 == 1:
            node, size = node_hash(self.full.pop(), node), size // 2
        self.full.append(node)
        root = node
        for one in self.full[-2::-1]:
            root = node_hash(one, root)
        return root


def check_funds(raw, inputs, outputs, spent):
    if len(spent) != len(inputs):
        raise Wrong("SEAL_UNSIGNED")
    if len(outputs) < 2 or outputs[1][0] == 0 or sum(one for one, _ in outputs) > sum(one for one, _ in spent):
        raise Wrong("SEAL_UNFUNDED")
    once = len({(previous, index) for previous, index, _, _ in inputs}) == len(inputs)
    if not once or not all(unlocks(raw, inputs, outputs, at, *one) for at, one in enumerate(spent)):
        raise Wrong("SEAL_UNSIGNED")


def counted(data):
    size = len(data)
    if size < 253:
        return bytes([size]) + data
    return (b"\xfd" + size.to_bytes(2, "little") if size < 2**16 else b"\xfe" + size.to_bytes(4, "little")) + data


def unlocks(raw, inputs, outputs, at, satoshis, script):
    """Returns whether input `at` has a signature (ALL, FORKID) and a key for an output to a key's hash."""
    previous, index, unlocking, sequence = inputs[at]
    try:
        r = Shortest(unlocking)
        signature = r.take(r.number(1))
        key = r.take(r.number(1))
        need(r.at == len(unlocking) and len(key) == 33 and 9 <= len(signature) <= 73 and signature[-1] == 0x41, "its form")
        need(script == b"\x76\xa9\x14" + hashlib.new("ripemd160", sha(key)).digest() + b"\x88\xac", "the script")
        # Strict DER: two integers above 0, without leading zeros, the second at most half of the order.
        found = re.fullmatch(b"\x30(.)\x02(.)(.+)", signature[:-1], re.DOTALL)
        r_size = found[2][0]
        first, rest = found[3][:r_size], found[3][r_size:]
        need(found[1][0] == len(signature) - 3 and rest[:1] == b"\x02" and rest[1] == len(rest) - 2, "DER")
        for one in (first, rest[2:]):
            need(one[0] < 0x80 and (one[0] > 0 or one[1] >= 0x80), "an integer")
        need(int.from_bytes(rest[2:], "big") <= HALF_ORDER, "a high s")
        message = b"".join([
            raw[:4], double(b"".join(one + n.to_bytes(4, "little") for one, n, _, _ in inputs)),
            double(b"".join(one for _, _, _, one in inputs)), previous, index.to_bytes(4, "little"), counted(script),
            satoshis.to_bytes(8, "little"), sequence,
            double(b"".join(one.to_bytes(8, "little") + counted(to) for one, to in outputs)), raw[-4:], b"\x41\0\0\0"])
        return ecdsa_ok(key, double(message), signature[:-1])
    except (*REFUSALS, TypeError):
        return False


def check_seals(data, trust):
    """Returns `CODE at batch`, or the number of batches and a hash over their data."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    seals = Seals(trust)
    if not lines:
        return "EMPTY"
    try:
        seals.head(lines[0])
        for line in lines[1:]:
            seals.add(line)
    except Wrong as wrong:
        return " ".join(map(str, wrong.args))
    return f"{len(seals.batches)} {sha(b''.join(b''.join(batch) for batch in seals.batches)).hex()}"
