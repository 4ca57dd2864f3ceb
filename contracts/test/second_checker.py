"""The check of a proof by docs/formats.md alone ("Proof document"), one log apart. No code in common with src/.

Usage: python3 second_checker.py <proof.json of the vectors> < lines of base 64, each a document. Prints 1 or 0 a line: whether
nothing fails, by the trust file and the headers of the vectors.
"""

import base64
import json
import re
import sys

from second_implementation import (ALERTS, KINDS, SUBJECTS, ZERO, Reader, anchor_script, body_bytes, double, ed25519_ok, fold,
                                   known_headers, leaf_hash, link_bytes, map_key, sha, u64)

SAFE = 2**53 - 1
HOURS_2 = 7_200


class Fails(Exception):
    """Raised when a part of a proof does not hold."""


def need(holds, what):
    if not holds:
        raise Fails(what)


def hexed(most, least=1):
    return lambda v: isinstance(v, str) and re.fullmatch(r"([0-9a-f]{2})*", v) and least <= len(v) // 2 <= most


def number(most=SAFE):
    return lambda v: type(v) is int and 0 <= v <= most


def text(most, least=0):
    return lambda v: isinstance(v, str) and least <= len(v) <= most


def note(most):
    """Returns a check for texts of at most this many UTF-16 units."""
    return lambda v: isinstance(v, str) and len(v.encode("utf-16-le", "surrogatepass")) <= 2 * most


def one_of(*values):
    return lambda v: isinstance(v, str) and v in values


def many(most, each, least=0):
    return lambda v: isinstance(v, list) and least <= len(v) <= most and all(each(one) for one in v)


def or_null(inner):
    return lambda v: v is None or inner(v)


def members(required, optional=None):
    known = {**required, **(optional or {})}
    return lambda v: (isinstance(v, dict) and required.keys() <= v.keys() <= known.keys()
                      and all(known[name](one) for name, one in v.items()))


HASH, TXID = hexed(32, 32), hexed(32, 32)


def is_uuid(v):
    return isinstance(v, str) and re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", v)


def is_network(v):
    return isinstance(v, str) and re.fullmatch("[a-z0-9-]{1,32}", v)


ENTRY_REQUIRED = {
    "number": number(), "kind": one_of(*KINDS), "nonce": hexed(16, 16), "acceptedAt": number(),
    "versionIndex": number(2**32 - 1), "policyHash": HASH, "previous": HASH, "linkHash": HASH}
ENTRY_OPTIONAL = {
    "alertType": one_of(*ALERTS), "reportedAt": number(), "sequence": number(), "contentHash": HASH, "length": number(),
    "reportHash": HASH, "causeNumber": number(), "actor": is_uuid, "noteHash": HASH, "child": is_uuid}
PROOF_MEMBERS = {
    "format": one_of("sentinel/proof/v1"), "state": one_of("PENDING", "CUT", "SENT", "MINED"),
    "completeness": one_of("NOT_SHOWN"),
    "log": members({"logId": HASH, "origin": text(256, 1), "keyFingerprint": HASH}),
    "subject": members({"type": one_of(*SUBJECTS), "id": is_uuid}, {"deviceId": is_uuid, "orgId": is_uuid}),
    "entry": members(ENTRY_REQUIRED, ENTRY_OPTIONAL),
    "batch": or_null(members({"leafHash": HASH, "leafIndex": number(), "leafPath": many(32, HASH), "header": hexed(182, 182),
                              "logPath": many(53, HASH), "checkpoint": note(16_384)})),
    "transaction": or_null(members({"network": is_network, "txid": TXID, "raw": hexed(100_000)})),
    "block": or_null(members({"height": number(), "hash": HASH, "bump": hexed(16_384), "header": or_null(hexed(80, 80)),
                              "coinbase": or_null(hexed(100_000)), "confirmations": number()}))}
PROOF = members(PROOF_MEMBERS)


def once(pairs):
    need(len({name for name, _ in pairs}) == len(pairs), "a member twice")
    return dict(pairs)


def nested(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(nested, inner), default=0)


def spelled(value):
    written = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", written)


def read(document, form, most=524_288):
    """Returns the value of this form. Blanks between tokens and escapes in texts are free; everything else has one spelling."""
    need(len(document) <= most, "too large")
    written = document.decode("utf-8")
    need(not written.startswith("\ufeff"), "byte order mark")

    def no_number(_):
        raise Fails("another number")

    value = json.loads(written, object_pairs_hook=once, parse_float=no_number, parse_constant=no_number)
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|[^"]+', written)
    packed = "".join(spelled(json.loads(one)) if one.startswith('"') else re.sub("[ \t\r\n]", "", one) for one in tokens)
    need(spelled(value) == packed, "another spelling")
    need(nested(value) <= 6 and form(value), "the form")
    return value


# The Unicode property White_Space; Python's own classes have four more characters.
WHITE_SPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def strict_base64(encoded):
    data = base64.b64decode(encoded, validate=True)
    need(base64.b64encode(data).decode() == encoded, "base 64")
    return data


def check_note(written, trust, size, root):
    need(written.endswith("\n") and "\n\n" in written, "no note")
    signed, signatures = written[:-1].rsplit("\n\n", 1)
    need(signatures != "", "no signature")
    lines = signed.split("\n")
    need(lines[:3] == [trust["origin"], str(size), base64.b64encode(root).decode()], "another checkpoint")
    key = bytes.fromhex(trust["publicKey"])
    own = []
    for line in signatures.split("\n"):
        parts = re.fullmatch(f"\u2014 ([^{WHITE_SPACE}+]+) ([A-Za-z0-9+/=]+)", line)
        need(parts, "a line of another form")
        data = strict_base64(parts[2])
        need(len(data) >= 5, "a short signature")
        if parts[1] == trust["origin"] and data[:4] == sha(trust["origin"].encode() + b"\n\1" + key)[:4]:
            own.append(data[4:])
    message = re.sub("[\ud800-\udfff]", "\ufffd", signed + "\n").encode()
    need(len(own) == 1 and len(own[0]) == 64 and ed25519_ok(key, message, own[0]), "not signed")


class Shortest(Reader):
    """Reads variable integers in their shortest form only, and no number above 2^53 - 1."""

    def take(self, count):
        need(self.at + count <= len(self.data), "ends too early")
        return super().take(count)

    def var(self):
        first = self.number(1)
        if first < 253:
            return first
        value = self.number(2 << first - 253)
        need((253, 2**16, 2**32)[first - 253] <= value <= SAFE, "a longer form")
        return value


def parsed(raw):
    r = Shortest(raw)
    r.take(4)
    inputs = [(r.take(32), r.number(4), r.take(r.var()), r.take(4)) for _ in range(r.var())]
    outputs = [(r.number(8), r.take(r.var())) for _ in range(r.var())]
    r.take(4)
    need(r.at == len(raw) != 64 and inputs and outputs and all(value <= SAFE for value, _ in outputs), "no transaction")
    return inputs, outputs


def is_anchor(script):
    return len(script) == 113 and script[:9] == bytes.fromhex("006a4c6d") + b"SNTL\1"


def check_transaction(transaction, trust, place, expected):
    raw = bytes.fromhex(transaction["raw"])
    inputs, outputs = parsed(raw)
    need(transaction["network"] == trust["network"] and double(raw)[::-1].hex() == transaction["txid"], "network, txid")
    need(outputs[0] == (0, expected) and not any(is_anchor(script) for _, script in outputs[1:]), "the anchor")
    need(all(script and index != 0xFFFFFFFF and previous != ZERO for previous, index, script, _ in inputs), "unsigned")
    need(len(outputs) > 1 and outputs[1][0] > 0, "unfunded")
    need((place == 0) == (transaction["txid"] == trust["genesisTxid"]), "genesis")
    return double(raw)


def check_bump(data, height, txid):
    """Returns the root, and the hash of the coinbase if the path shows it."""
    r = Shortest(data)
    need(r.var() == height, "another height")
    depth = r.number(1)
    need(1 <= depth <= 32, "depth")
    levels, marked = [], {}
    for level in range(depth):
        nodes, last = {}, -1
        for _ in range(r.var()):
            offset, flags = r.var(), r.number(1)
            need(last < offset < 2**(depth - level), "offset")
            last = offset
            need(flags in (0, 1) or flags == 2 and level == 0, "flags")
            need(flags != 1 or offset % 2 == 1, "a duplicate on the left")
            nodes[offset] = None if flags == 1 else r.take(32)
            if flags == 2:
                marked[offset] = nodes[offset]
        levels.append(nodes)
    need(r.at == len(data), "more bytes")
    need([at for at, one in marked.items() if at > 0] == [at for at, one in marked.items() if at > 0 and one == txid]
         and len([at for at in marked if at > 0]) == 1, "marks")
    known = dict(marked)
    for nodes in levels:
        for at, one in nodes.items():
            need(one == known[at] if at in known else at ^ 1 in known, "a node of no use")
        above = {}
        for at, one in known.items():
            if at ^ 1 in nodes and nodes[at ^ 1] is None:
                sibling = one
            else:
                sibling = nodes.get(at ^ 1, known.get(at ^ 1))
                need(sibling is not None and sibling != one, "a node is missing, or twice")
            above[at // 2] = double(sibling + one if at % 2 else one + sibling)
        known = above
    return known[0], marked.get(0)


def check_block(block, headers, txid, accepted_at):
    root, first = check_bump(bytes.fromhex(block["bump"]), block["height"], txid)
    need(block["height"] in headers, "no such block")
    known = headers[block["height"]]
    need(double(known)[::-1].hex() == block["hash"] and known[36:68] == root, "another block")
    need(block["header"] in (None, known.hex()), "another header")
    if block["coinbase"] is not None:
        raw = bytes.fromhex(block["coinbase"])
        inputs, _ = parsed(raw)
        need(len(inputs) == 1 and inputs[0][:2] == (ZERO, 0xFFFFFFFF) and double(raw) == first, "the coinbase")
    need(accepted_at <= 1_000 * (int.from_bytes(known[68:72], "little") + HOURS_2), "accepted after the block")


def check(document, trust, headers):
    check_read(read(document, PROOF), trust, headers)


def check_read(p, trust, headers):
    key = bytes.fromhex(trust["publicKey"])
    log_id = sha(b"sentinel/log/v1\0" + key)
    need(p["log"] == {"logId": log_id.hex(), "origin": trust["origin"], "keyFingerprint": sha(key).hex()}, "the log")
    parts = [p[name] is not None for name in ("batch", "transaction", "block")]
    need(parts == sorted(parts, reverse=True) and p["state"] == ["PENDING", "CUT", "SENT", "MINED"][sum(parts)], "the state")
    entry, subject = p["entry"], p["subject"]
    need((entry["number"] == 0) == (entry["previous"] == ZERO.hex()), "previous")
    need((entry["kind"] == "BREAK") == ("alertType" in entry) and ("contentHash" in entry) == ("length" in entry), "the entry")
    if subject["type"] == "FILE" and entry["kind"] == "GENESIS" and "deviceId" in subject:
        need(entry.get("child") == subject["deviceId"], "the device")
    link = sha(link_bytes(log_id, subject["type"], subject["id"], entry["number"], bytes.fromhex(entry["previous"]),
                          sha(body_bytes(entry))))
    need(link.hex() == entry["linkHash"], "the link hash")
    if p["batch"] is None:
        return
    batch = p["batch"]
    header = bytes.fromhex(batch["header"])
    at, count = int.from_bytes(header[50:58], "big"), int.from_bytes(header[98:102], "big")
    need(header[:18] == b"sentinel/batch/v1\0" and header[18:50] == log_id, "the header")
    need(all(int.from_bytes(header[begin:begin + 8], "big") <= SAFE for begin in (50, 90, 134, 174)), "a number")
    leaf = leaf_hash(b"sentinel/leaf/v1\0" + map_key(log_id, subject["type"], subject["id"]) + u64(entry["number"]) + link)
    path = [bytes.fromhex(one) for one in batch["leafPath"]]
    need(leaf.hex() == batch["leafHash"] and batch["leafIndex"] < count, "the leaf")
    need(fold(leaf, batch["leafIndex"], count, path) == header[102:134], "the batch")
    root = fold(leaf_hash(header), at, at + 1, [bytes.fromhex(one) for one in batch["logPath"]])
    check_note(batch["checkpoint"], trust, at + 1, root)
    if p["transaction"] is None:
        return
    txid = check_transaction(p["transaction"], trust, at, anchor_script(log_id, at, sha(header), root))
    if p["block"] is not None:
        check_block(p["block"], headers, txid, entry["acceptedAt"])


REFUSALS = (Fails, ValueError, AssertionError, IndexError, RecursionError)


def holds(document, trust, headers):
    try:
        check(document, trust, headers)
        return True
    except REFUSALS:
        return False


def main(vectors):
    with open(vectors, encoding="utf-8") as file:
        known = json.load(file)

    def same(what, expected, found):
        assert expected == found, what

    headers = known_headers(known, same)
    for line in sys.stdin:
        print(int(holds(base64.b64decode(line), known["trust"], headers)))


if __name__ == "__main__":
    main(sys.argv[1])
