"""A second implementation of docs/formats.md, from the document alone: standard library, no code in common with src/.

Usage: python3 second_implementation.py <folder of vectors>. Prints the number of values compared; ends with status 1 and
the first difference when one differs.
"""

import base64
import datetime
import functools
import hashlib
import hmac
import json
import pathlib
import re
import sys

KINDS = ("GENESIS BASELINE LINK BREAK DISMISSED RESET POLICY ENABLED DISABLED "
         "CHILD_ADDED CHILD_CHANGED CHILD_DELETED DELETED KEY").split()
SUBJECTS = {"ORG": 1, "DEVICE": 2, "FILE": 3}
ALERTS = {"EMPTY": 1, "UNEXPECTED_CHANGE": 2, "HASH_BREACH": 3, "ROLLED_FILE_CHANGED": 4, "HASH_BREACH_IN_REQ": 5}
CATEGORIES = ["STANDARD", "ADVANCED", "MISSION_CRITICAL"]
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ZERO = bytes(32)


def sha(data):
    return hashlib.sha256(data).digest()


def u32(value):
    return value.to_bytes(4, "big")


def u64(value):
    return value.to_bytes(8, "big")


def utf8(text):
    return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


def string(text):
    data = utf8(text)
    return u32(len(data)) + data


def uuid(text):
    return bytes.fromhex(text.replace("-", ""))


def opt(body, field, encode):
    return b"\1" + encode(body[field]) if field in body else b"\0"


def body_bytes(body):
    kind = bytes([KINDS.index(body["kind"])])
    if body["kind"] == "BREAK":
        kind += bytes([ALERTS[body["alertType"]]])
    return b"".join([
        b"sentinel/body/v1\0", bytes.fromhex(body["nonce"]), kind, u64(body["acceptedAt"]),
        opt(body, "reportedAt", u64), opt(body, "sequence", u64), u32(body["versionIndex"]),
        opt(body, "contentHash", bytes.fromhex), opt(body, "length", u64), opt(body, "reportHash", bytes.fromhex),
        bytes.fromhex(body["policyHash"]), opt(body, "causeNumber", u64), opt(body, "actor", uuid),
        opt(body, "noteHash", bytes.fromhex), opt(body, "child", uuid),
    ])


def policy_bytes(policy):
    flags = policy["modifiable"] | policy["rolled"] << 1 | policy["enabled"] << 2 | policy.get("watchAttributes", False) << 3
    codes = [flags, ["PROBE", "FOLLOW"].index(policy["monitoringFrequency"]), CATEGORIES.index(policy["category"])]
    texts = string(policy["path"]) + string(policy["rolledFilenameRegexp"])
    return b"sentinel/policy/v1\0" + u64(policy["configVersion"]) + bytes(codes) + texts


def link_bytes(log_id, subject_type, subject, number, previous, body_hash):
    place = log_id + bytes([SUBJECTS[subject_type]]) + uuid(subject) + u64(number)
    return b"sentinel/link/v1\0" + place + previous + body_hash


def map_key(log_id, subject_type, subject):
    return sha(b"sentinel/key/v1\0" + log_id + bytes([SUBJECTS[subject_type]]) + uuid(subject))


def leaf_hash(data):
    return sha(b"\0" + data)


def node_hash(left, right):
    return sha(b"\1" + left + right)


def split(count):
    return 1 << ((count - 1).bit_length() - 1)


def root(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else sha(b"")
    k = split(len(leaves))
    return node_hash(root(leaves[:k]), root(leaves[k:]))


def path(leaves, index):
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if index < k:
        return path(leaves[:k], index) + [root(leaves[k:])]
    return path(leaves[k:], index - k) + [root(leaves[:k])]


def subproof(leaves, size, whole):
    if size == len(leaves):
        return [] if whole else [root(leaves)]
    k = split(len(leaves))
    if size <= k:
        return subproof(leaves[:k], size, whole) + [root(leaves[k:])]
    return subproof(leaves[k:], size - k, False) + [root(leaves[:k])]


def header_bytes(h):
    def hexed(name):
        return bytes.fromhex(h[name])

    data = (b"sentinel/batch/v1\0" + hexed("logId") + u64(h["batch"]) + hexed("previousHash") + u64(h["closedAt"])
            + u32(h["leafCount"]) + hexed("leafRoot") + u64(h["mapSize"]) + hexed("mapRoot") + u64(h["totalLeaves"]))
    assert len(data) == 182
    return data


def anchor_script(log_id, batch, header_hash, log_root):
    return bytes.fromhex("006a4c6d") + b"SNTL\1" + log_id + u64(batch) + header_hash + log_root


def event_id(time_ms, kind, cause):
    digest = sha(b"sentinel/id/v1\0" + string(kind) + cause)
    number = int.from_bytes(time_ms.to_bytes(6, "big") + digest[:10], "big")
    return "".join(CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def cause_bytes(of):
    if of[0] == "report":
        return uuid(of[1]) + u64(of[2]) + u32(of[3])
    if of[0] == "registry":
        return string(of[1]) + u64(of[2]) + u32(of[3])
    return string(of[1])


def uuid_v7(now_ms, random):
    number = int.from_bytes(now_ms.to_bytes(6, "big") + random[:10], "big")
    number = number & ~(0xF << 76) & ~(0x3 << 62) | 7 << 76 | 2 << 62
    text = f"{number:032x}"
    return "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]])


def murmur2(data):
    mask, m = 0xFFFFFFFF, 0x5BD1E995
    h = 0x9747B28C ^ len(data)
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i:i + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = h * m & mask ^ k
    if len(data) > whole:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


def canonical(value):
    """Returns RFC 8785 JSON of values with ASCII keys and integer numbers."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def check_parts(v, same):
    same("empty", sha(b"").hex(), v["emptyContentHash"])
    for n in v["nonces"]:
        digest = hmac.new(bytes.fromhex(n["recordNonce"]), u32(n["index"]), hashlib.sha256).digest()
        same("nonce", digest[:16].hex(), n["nonce"])
    for p in v["policies"]:
        same("policy bytes", policy_bytes(p["policy"]).hex(), p["bytes"])
        same("policyHash", sha(policy_bytes(p["policy"])).hex(), p["policyHash"])
    for n in v["notes"]:
        same("noteHash", sha(b"sentinel/note/v1\0" + string(n["note"])).hex(), n["noteHash"])
    for r in v["reports"]:
        fields = {k: r["report"][k] for k in ("timestamp", "change", "versions", "archives", "error", "attributes") if k in r["report"]}
        same("canonical report", canonical(fields), r["canonical"])
        same("report digest", sha(utf8(canonical(fields))).hex(), r["digest"])


def check_chain(v, same):
    previous = ZERO
    for number, entry in enumerate(v["entries"]):
        body = body_bytes(entry["body"])
        link = link_bytes(bytes.fromhex(v["logId"]), v["subjectType"], v["subject"], number, previous, sha(body))
        previous = sha(link)
        same(f"body {number}", body.hex(), entry["bodyBytes"])
        same(f"bodyHash {number}", sha(body).hex(), entry["bodyHash"])
        same(f"link {number}", link.hex(), entry["linkBytes"])
        same(f"linkHash {number}", previous.hex(), entry["linkHash"])
    same("kinds covered", sorted(set(KINDS)), sorted({entry["body"]["kind"] for entry in v["entries"]}))


def check_log(v, same):
    log_id = sha(b"sentinel/log/v1\0" + bytes.fromhex(v["publicKey"]))
    same("logId", log_id.hex(), v["logId"])
    for k in v["mapKeys"]:
        same("mapKey", map_key(log_id, k["subjectType"], k["subject"]).hex(), k["mapKey"])
    headers, total, previous = [], 0, ZERO
    for number, batch in enumerate(v["batches"]):
        check_batch(batch, same)
        h = batch["header"]
        total += len(batch["leaves"])
        same("header counts", [number, len(batch["leaves"]), total], [h["batch"], h["leafCount"], h["totalLeaves"]])
        same("previousHash", previous.hex(), h["previousHash"])
        data = header_bytes(h)
        previous = sha(data)
        headers.append(leaf_hash(data))
        same("headerHash", previous.hex(), batch["headerHash"])
        same("header bytes", data.hex(), batch["headerBytes"])
        same("logRoot", root(headers).hex(), batch["logRoot"])
        same("anchor", anchor_script(log_id, number, previous, root(headers)).hex(), batch["anchorScript"])
        check_checkpoint(v["checkpoints"][number], log_id, bytes.fromhex(v["publicKey"]), number + 1, root(headers), same)
    for c in v["consistency"]:
        expected = [h.hex() for h in subproof(headers[:c["to"]], c["from"], True)]
        same(f"consistency {c['from']} to {c['to']}", expected, c["path"])


def check_batch(batch, same):
    leaves = batch["leaves"]
    order = [(leaf["mapKey"], leaf["number"]) for leaf in leaves]
    same("order of leaves", sorted(order), order)
    hashes = []
    for leaf in leaves:
        data = (b"sentinel/leaf/v1\0" + bytes.fromhex(leaf["mapKey"]) + u64(leaf["number"])
                + bytes.fromhex(leaf["linkHash"]))
        same("leaf data", data.hex(), leaf["data"])
        same("leafHash", leaf_hash(data).hex(), leaf["leafHash"])
        hashes.append(leaf_hash(data))
    same("leafRoot", root(hashes).hex(), batch["header"]["leafRoot"])
    for index, leaf in enumerate(leaves):
        same("inclusion path", [h.hex() for h in path(hashes, index)], leaf["path"])


def check_checkpoint(c, log_id, public_key, size, log_root, same):
    origin = "sentinel-node/" + log_id.hex()[:16]
    text = f"{origin}\n{size}\n{base64.b64encode(log_root).decode()}\n"
    key_id = sha(origin.encode() + b"\n\1" + public_key)[:4]
    same("checkpoint text", text, c["note"].split("\n\n")[0] + "\n")
    prefix, encoded = c["note"].split("\n\n")[1].rstrip("\n").rsplit(" ", 1)
    same("signature line", "\u2014 " + origin, prefix)
    signature = base64.b64decode(encoded)
    same("key id", [key_id.hex(), 68], [signature[:4].hex(), len(signature)])
    same("verifier key", f"{origin}+{key_id.hex()}+{base64.b64encode(bytes([1]) + public_key).decode()}", c["verifierKey"])


def check_merkle(v, same):
    leaves = [leaf_hash(bytes([i])) for i in range(len(v["roots"]) - 1)]
    for size, expected in enumerate(v["roots"]):
        same(f"root of {size}", root(leaves[:size]).hex(), expected)


def check_ids(v, same):
    for e in v["eventIds"]:
        same("cause", cause_bytes(e["of"]).hex(), e["cause"])
        same("event id", event_id(e["timeMs"], e["kind"], bytes.fromhex(e["cause"])), e["id"])
    for u in v["uuidV7"]:
        same("uuid", uuid_v7(u["nowMs"], bytes.fromhex(u["random"])), u["uuid"])


def check_partitioner(v, same):
    for p in v:
        h = murmur2(utf8(p["key"]))
        same("murmur2", h - (1 << 32) if h >> 31 else h, p["murmur2"])
        for count, partition in p["partitions"].items():
            same("partition", (h & 0x7FFFFFFF) % int(count), partition)


@functools.cache
def ed25519_ok(public_key, message, signature):
    """Verifies an Ed25519 signature (RFC 8032, section 6), without optimisation."""
    prime = 2**255 - 19
    order = 2**252 + 27742317777372353535851937790883648493
    d = -121665 * pow(121666, prime - 2, prime) % prime

    def add(a, b):
        (x1, y1), (x2, y2) = a, b
        k = d * x1 * x2 * y1 * y2
        return ((x1 * y2 + x2 * y1) * pow(1 + k, prime - 2, prime) % prime,
                (y1 * y2 + x1 * x2) * pow(1 - k, prime - 2, prime) % prime)

    def times(n, point):
        result = (0, 1)
        while n:
            if n & 1:
                result = add(result, point)
            point, n = add(point, point), n >> 1
        return result

    def decode(data):
        number = int.from_bytes(data, "little")
        y, odd = number & (1 << 255) - 1, number >> 255
        square = (y * y - 1) * pow(d * y * y + 1, prime - 2, prime) % prime
        x = pow(square, (prime + 3) // 8, prime)
        if (x * x - square) % prime:
            x = x * pow(2, (prime - 1) // 4, prime) % prime
        if y >= prime or (x * x - square) % prime or (x == 0 and odd):
            return None
        return (prime - x if x & 1 != odd else x, y)

    s = int.from_bytes(signature[32:], "little")
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    base = decode(bytes([0x58]) + bytes([0x66]) * 31)
    key, begin = decode(public_key), decode(signature[:32])
    if key is None or begin is None or s >= order or (0, 1) in (times(8, key), times(8, begin)):
        return False
    return times(s, base) == add(begin, times(int.from_bytes(digest, "little") % order, key))


def fold(leaf, index, size, path):
    """Returns the root of a tree of `size` from the path of one leaf, by the definition of RFC 6962 section 2.1."""
    if size == 1:
        assert not path
        return leaf
    k = split(size)
    if index < k:
        return node_hash(fold(leaf, index, k, path[:-1]), path[-1])
    return node_hash(path[-1], fold(leaf, index - k, size - k, path[:-1]))


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        assert self.at + count <= len(self.data)
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, count):
        return int.from_bytes(self.take(count), "little")

    def var(self):
        first = self.number(1)
        return first if first < 253 else self.number(2 << first - 253)


def double(data):
    return sha(sha(data))


def transaction_of(raw):
    """Returns inputs (hash, index, script, sequence) and outputs (satoshis, script) of a whole transaction."""
    r = Reader(raw)
    r.take(4)
    inputs = [(r.take(32), r.number(4), r.take(r.var()), r.take(4)) for _ in range(r.var())]
    outputs = [(r.number(8), r.take(r.var())) for _ in range(r.var())]
    r.take(4)
    assert r.at == len(raw) != 64
    return inputs, outputs


def outputs_of(raw):
    return transaction_of(raw)[1]


def var_bytes(data):
    assert len(data) < 253
    return bytes([len(data)]) + data


def p2pkh_ok(raw, index, satoshis, script):
    """Returns whether input `index` has a key of the hash in the script, and its signature of the whole (FORKID, ALL)."""
    inputs, outputs = transaction_of(raw)
    r = Reader(inputs[index][2])
    signature, key = r.take(r.number(1)), r.take(r.number(1))
    assert r.at == len(r.data) and signature[-1] == 0x41
    key_hash = hashlib.new("ripemd160", sha(key)).digest()
    if script != bytes.fromhex("76a914") + key_hash + bytes.fromhex("88ac"):
        return False
    message = b"".join([
        raw[:4], double(b"".join(h + n.to_bytes(4, "little") for h, n, _, _ in inputs)),
        double(b"".join(sequence for _, _, _, sequence in inputs)),
        inputs[index][0], inputs[index][1].to_bytes(4, "little"), var_bytes(script), satoshis.to_bytes(8, "little"),
        inputs[index][3], double(b"".join(s.to_bytes(8, "little") + var_bytes(one) for s, one in outputs)),
        raw[-4:], (0x41).to_bytes(4, "little")])
    return ecdsa_ok(key, double(message), signature[:-1])


@functools.cache
def ecdsa_ok(key, digest, der):
    """Verifies a secp256k1 signature (SEC 1, section 4.1.4), DER of two integers, without optimisation."""
    p = 2**256 - 2**32 - 977
    n = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    base = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
            0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)

    def add(a, b):
        if a is None or b is None:
            return a or b
        if a[0] == b[0] and (a[1] + b[1]) % p == 0:
            return None
        slope = (3 * a[0] * a[0] * pow(2 * a[1], -1, p) if a == b
                 else (b[1] - a[1]) * pow(b[0] - a[0], -1, p)) % p
        x = (slope * slope - a[0] - b[0]) % p
        return x, (slope * (a[0] - x) - a[1]) % p

    def times(k, point):
        result = None
        while k:
            if k & 1:
                result = add(result, point)
            point, k = add(point, point), k >> 1
        return result

    x = int.from_bytes(key[1:], "big")
    y = pow(x**3 + 7, (p + 1) // 4, p)
    assert len(key) == 33 and key[0] in (2, 3) and (y * y - x**3 - 7) % p == 0
    point = (x, y if y & 1 == key[0] & 1 else p - y)
    d = Reader(der)
    assert d.number(1) == 0x30 and d.number(1) == len(der) - 2 and d.number(1) == 2
    first = int.from_bytes(d.take(d.number(1)), "big")
    assert d.number(1) == 2
    second = int.from_bytes(d.take(d.number(1)), "big")
    assert d.at == len(der) and 0 < first < n and 0 < second < n
    inverse = pow(second, n - 2, n)
    found = add(times(int.from_bytes(digest, "big") * inverse % n, base), times(first * inverse % n, point))
    return found is not None and found[0] % n == first


def bump_roots(data, height):
    """Returns the roots that the marked transactions of a BUMP lead to, by transaction hash."""
    r = Reader(data)
    assert r.var() == height
    levels = []
    for _ in range(r.number(1)):
        level = {}
        for _ in range(r.var()):
            offset, flags = r.var(), r.number(1)
            level[offset] = (None if flags & 1 else r.take(32), flags & 2)
        levels.append(level)
    assert r.at == len(data)
    roots = {}
    for start in [offset for offset, leaf in levels[0].items() if leaf[1]]:
        own = levels[0][start][0]
        offset, node = start, own
        for level in levels:
            sibling = level[offset ^ 1][0] or node
            node = double(sibling + node if offset & 1 else node + sibling)
            offset >>= 1
        roots[own] = (start, node)
    return roots


def known_headers(v, same):
    """Checks the headers of the vectors and returns them by height."""
    previous, headers = bytes.fromhex(v["checkpoint"]["hash"])[::-1], {}
    data = bytes.fromhex(v["headers"])
    for number in range(len(data) // 80):
        header = data[80 * number:80 * number + 80]
        bits = int.from_bytes(header[72:76], "little")
        target = (bits & 0xFFFFFF) << 8 * ((bits >> 24) - 3)
        same("link of headers", previous.hex(), header[4:36].hex())
        same("work", True, int.from_bytes(double(header), "little") <= target)
        previous = double(header)
        headers[v["checkpoint"]["height"] + 1 + number] = header
    return headers


def check_proofs(v, same):
    headers = known_headers(v, same)
    for one in v["proofs"]:
        check_proof(one["proof"], v["trust"], headers,
                    lambda what, *pair, name=one["name"]: same(f"{name}: {what}", *pair))


def check_unsigned(v, same):
    """Checks a proof in which only a signature is missing: the transaction has one input with an empty script."""
    check_proof(v["proof"], v["trust"], known_headers(v, same), same)
    raw = bytes.fromhex(v["proof"]["transaction"]["raw"])
    same("inputs, and bytes that unlock the first", [1, 0], [raw[4], raw[41]])


def check_proof(p, trust, headers, same):
    key = bytes.fromhex(trust["publicKey"])
    log_id = sha(b"sentinel/log/v1\0" + key)
    same("log", {"logId": log_id.hex(), "origin": trust["origin"], "keyFingerprint": sha(key).hex()}, p["log"])
    parts = [p[name] is not None for name in ("batch", "transaction", "block")]
    same("state", ["PENDING", "CUT", "SENT", "MINED"][parts.count(True)], p["state"])
    entry, subject = p["entry"], p["subject"]
    link = sha(link_bytes(log_id, subject["type"], subject["id"], entry["number"], bytes.fromhex(entry["previous"]),
                          sha(body_bytes(entry))))
    same("linkHash", link.hex(), entry["linkHash"])
    if p["batch"]:
        batch = p["batch"]
        key_of_map = map_key(log_id, subject["type"], subject["id"])
        leaf = leaf_hash(b"sentinel/leaf/v1\0" + key_of_map + u64(entry["number"]) + link)
        same("leafHash", leaf.hex(), batch["leafHash"])
        header = bytes.fromhex(batch["header"])
        number, count = int.from_bytes(header[50:58], "big"), int.from_bytes(header[98:102], "big")
        same("header", [182, log_id.hex()], [len(header), header[18:50].hex()])
        same("leaf root", fold(leaf, batch["leafIndex"], count, [bytes.fromhex(h) for h in batch["leafPath"]]).hex(),
             header[102:134].hex())
        log_root = fold(leaf_hash(header), number, number + 1, [bytes.fromhex(h) for h in batch["logPath"]])
        note, signature = batch["checkpoint"].split("\n\n")
        text = f"{trust['origin']}\n{number + 1}\n{base64.b64encode(log_root).decode()}\n"
        same("checkpoint", text, note + "\n")
        signed = base64.b64decode(signature.split(" ")[-1])
        same("key id", sha(trust["origin"].encode() + b"\n\1" + key)[:4].hex(), signed[:4].hex())
        same("signature", True, ed25519_ok(key, text.encode(), signed[4:]))
    if p["transaction"]:
        raw = bytes.fromhex(p["transaction"]["raw"])
        same("txid", [trust["network"], double(raw)[::-1].hex()], [p["transaction"]["network"], p["transaction"]["txid"]])
        outputs = outputs_of(raw)
        same("anchor", [(0, anchor_script(log_id, number, sha(header), log_root).hex())],
             [(satoshis, script.hex()) for satoshis, script in outputs if len(script) == 113])
        same("anchor is output 0", 113, len(outputs[0][1]))
        same("genesis", number == 0, p["transaction"]["txid"] == trust["genesisTxid"])
    if p["block"]:
        block = p["block"]
        known = headers[block["height"]]
        same("block", double(known)[::-1].hex(), block["hash"])
        same("header of the proof", known.hex() if block["header"] else None, block["header"])
        roots = bump_roots(bytes.fromhex(block["bump"]), block["height"])
        same("in the block", [known[36:68].hex(), True], [roots[double(raw)][1].hex(), roots[double(raw)][0] > 0])
        if block["coinbase"]:
            coinbase = bytes.fromhex(block["coinbase"])
            outputs_of(coinbase)
            same("coinbase", (ZERO + b"\xff" * 4).hex(), coinbase[5:41].hex())
            same("coinbase in the block", (0, known[36:68]), roots[double(coinbase)])


def paths_of_range(leaves, first, size, nodes):
    """Returns inclusion paths of consecutive leaves from the nodes beside them; every node is used."""
    nodes, levels, known, width = list(nodes), [], dict(enumerate(leaves, first)), size
    while width > 1:
        left, right = min(known), max(known)
        if left % 2 == 1:
            known[left - 1] = nodes.pop(0)
        if right % 2 == 0 and right + 1 < width:
            known[right + 1] = nodes.pop(0)
        levels.append(known)
        known = {at // 2: node_hash(known[at], known[at + 1]) if at + 1 in known else known[at]
                 for at in sorted(known) if at % 2 == 0}
        width = (width + 1) // 2
    assert not nodes
    beside = [[(at >> height) ^ 1 for height in range(len(levels))] for at in range(first, first + len(leaves))]
    return [[levels[height][at] for height, at in enumerate(path) if at in levels[height]] for path in beside]


def check_bundles(v, same):
    headers = known_headers(v, same)
    for one in v["bundles"]:
        check_bundle(one["bundle"], v["trust"], headers,
                     lambda what, *pair, name=one["name"]: same(f"{name}: {what}", *pair))


def check_bundle(b, trust, headers, same):
    same("form of a bundle", ["sentinel/bundle/v1", "RANGE"], [b["format"], b["completeness"]])
    same("numbers", list(range(b["from"], b["to"] + 1)), [entry["number"] for entry in b["entries"]])
    entries = {entry["number"]: entry for entry in b["entries"]}
    blocks = {block["hash"]: block for block in b["blocks"]}
    named = [batch["block"]["hash"] for batch in b["batches"] if batch["block"]]
    same("blocks", sorted(set(named)), sorted(block["hash"] for block in b["blocks"]))
    log_id, subject = bytes.fromhex(b["log"]["logId"]), b["subject"]
    parts, following, before = {}, b["from"], None
    for batch in b["batches"]:
        same("batch begins", following, batch["from"])
        following = batch["to"] + 1
        header = bytes.fromhex(batch["header"])
        number = int.from_bytes(header[50:58], "big")
        same("batches rise", True, before is None or number > before[0])
        if before and number == before[0] + 1:
            same("batch follows", sha(before[1]).hex(), header[58:90].hex())
        before = number, header
        key = map_key(log_id, subject["type"], subject["id"])
        numbers = range(batch["from"], following)
        leaves = [leaf_hash(b"sentinel/leaf/v1\0" + key + u64(n) + bytes.fromhex(entries[n]["linkHash"])) for n in numbers]
        size = int.from_bytes(header[98:102], "big")
        paths = paths_of_range(leaves, batch["leafIndex"], size, [bytes.fromhex(h) for h in batch["nodes"]])
        block = batch["block"] and {**blocks[batch["block"]["hash"]], "bump": batch["block"]["bump"]}
        for at, n in enumerate(numbers):
            place = {"leafHash": leaves[at].hex(), "leafIndex": batch["leafIndex"] + at,
                     "leafPath": [h.hex() for h in paths[at]]}
            parts[n] = {"batch": {**batch, **place}, "transaction": batch["transaction"], "block": block}
    same("batches end", True, following <= b["to"] + 1)
    previous, states = b["previous"], ["PENDING", "CUT", "SENT", "MINED"]
    waiting, counts = {"batch": None, "transaction": None, "block": None}, []
    for entry in b["entries"]:
        own = parts.get(entry["number"], waiting)
        counts.append(sum(part is not None for part in own.values()))
        proof = {"log": b["log"], "subject": subject, "entry": {**entry, "previous": previous},
                 "state": states[counts[-1]], **own}
        check_proof(proof, trust, headers, lambda what, *pair, n=entry["number"]: same(f"entry {n}: {what}", *pair))
        previous = entry["linkHash"]
    same("state of the bundle", states[min(counts)], b["state"])


def check_seals(v, same):
    trust = v["trust"]
    log_id = sha(b"sentinel/log/v1\0" + bytes.fromhex(trust["publicKey"]))
    same("head of the seals", {"format": "sentinel/seals/v1", "logId": log_id.hex(), "network": trust["network"]},
         json.loads(v["lines"][0]))
    headers, previous, before = [], ZERO, None
    for number, line in enumerate(v["lines"][1:]):
        seal = json.loads(line)
        same("batch of the seal", number, seal["batch"])
        header, raw = bytes.fromhex(seal["header"]), bytes.fromhex(seal["raw"])
        same("header of the seal", [182, log_id.hex(), number, previous.hex()],
             [len(header), header[18:50].hex(), int.from_bytes(header[50:58], "big"), header[58:90].hex()])
        previous = sha(header)
        headers.append(leaf_hash(header))
        inputs, outputs = transaction_of(raw)
        same("anchor of the seal", (0, anchor_script(log_id, number, previous, root(headers)).hex()),
             (outputs[0][0], outputs[0][1].hex()))
        if number == 0:
            same("genesis", trust["genesisTxid"], double(raw)[::-1].hex())
        else:
            same("seal is spent", (before[0].hex(), 1), (inputs[0][0].hex(), inputs[0][1]))
        spends = [(one["satoshis"], bytes.fromhex(one["script"])) for one in seal["spends"]]
        spends = spends if number == 0 else [before[1]] + spends
        same("spends", [len(inputs), True],
             [len(spends), sum(s for s, _ in spends) >= sum(s for s, _ in outputs) and outputs[1][0] > 0])
        for index, (satoshis, script) in enumerate(spends):
            same("signature of the seal", True, p2pkh_ok(raw, index, satoshis, script))
        before = (double(raw), outputs[1])
    same("checkpoint of the seals", base64.b64encode(root(headers)).decode(), v["notes"][-1].split("\n")[2])


def check_receipts(v, same):
    for flush in v:
        key = bytes.fromhex(flush["publicKey"])
        log_id = sha(b"sentinel/log/v1\0" + key)
        for one in flush["receipts"]:
            kept, receipt = one["kept"], one["kept"]["receipt"]
            data = (b"sentinel/receipt/v1\0" + log_id + uuid(kept["fileId"]) + bytes.fromhex(kept["reportHash"])
                    + u64(receipt["acceptedAt"]))
            same("receipt", data.hex(), one["leafData"])
            found = fold(leaf_hash(data), receipt["index"], receipt["count"], [bytes.fromhex(h) for h in receipt["path"]])
            same("root of receipts", found.hex(), receipt["root"])
            message = b"sentinel/receipts/v1\0" + log_id + u32(receipt["count"]) + found
            same("message of receipts", message.hex(), flush["message"])
            same("signature of receipts", True, ed25519_ok(key, message, bytes.fromhex(receipt["signature"])))


CHANGES = "FIRST UNCHANGED APPENDED REPLACED TRUNCATED ROLLED ARCHIVE_CHANGED MISSING ERROR".split()
EPOCH = datetime.datetime(1970, 1, 1)


def var(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def text(value):
    data = utf8(value)
    return var(len(data)) + data


def identity(value):
    if re.fullmatch("[0-7][0-9A-HJKMNP-TV-Z]{25}", value) is None:
        return text(value)
    number = functools.reduce(lambda sum, digit: sum * 32 + CROCKFORD.index(digit), value, 0)
    return b"\0" + number.to_bytes(16, "big")


def bits_of(*given):
    return sum(1 << place for place, is_set in enumerate(given) if is_set)


def packed_report(line):
    """Packs a report. Returns None when it is not plain: its members, written again, give another text."""
    try:
        report = json.loads(line)
        names = ["fileId", "sequence", "timestamp", "change", "versions", "reread", "configVersion", "instanceId"]
        plain = {name: report[name] for name in names if name in report}
        if json.dumps(plain, separators=(",", ":")) != line:
            return None
    except (ValueError, KeyError, TypeError):
        return None
    at = datetime.datetime.strptime(report["timestamp"], "%Y-%m-%dT%H:%M:%S.%fZ") - EPOCH
    flags = bits_of("fileId" in report, "reread" in report, report.get("reread"), "configVersion" in report,
                    "instanceId" in report)
    return b"".join([
        bytes([flags, CHANGES.index(report["change"])]), var(report["sequence"]),
        var(at // datetime.timedelta(milliseconds=1)),
        *(var(one["length"] + 1) + bytes.fromhex(one["hash"]) for one in report["versions"]), var(0),
        var(report["configVersion"]) if "configVersion" in report else b"",
        text(report["instanceId"]) if "instanceId" in report else b""])


def report_body(header, line):
    policy = header["policy"]
    flags = bits_of(policy["modifiable"], policy["rolled"], policy["enabled"], policy.get("watchAttributes"))
    packed = packed_report(line)
    return b"".join([
        b"\1\0", var(header["rules"]), uuid(header["orgId"]), uuid(header["deviceId"]),
        header["acceptedAt"].to_bytes(6, "big"), bytes.fromhex(header["nonce"]), uuid(header["fileId"]),
        var(policy["configVersion"]),
        bytes([flags, ["PROBE", "FOLLOW"].index(policy["monitoringFrequency"]), CATEGORIES.index(policy["category"])]),
        text(policy["path"]), text(policy["rolledFilenameRegexp"]),
        b"\0" + line.encode() if packed is None else b"\1" + packed])


def entry_bytes(entry):
    def part(name, encode):
        return encode(entry[name]) if name in entry else b""
    bits = bits_of(*(entry.get(name, False) is not False for name in [
        "alertType", "reportedAt", "sequence", "contentHash", "length", "reportHash", "causeNumber", "actor", "noteHash",
        "child", "alertId", "firstHash", "whileDisabled"]))
    rest = b"".join([
        bytes([KINDS.index(entry["kind"])]), var(bits), identity(entry["id"]), bytes.fromhex(entry["nonce"]),
        var(entry["versionIndex"]), bytes.fromhex(entry["policyHash"]),
        part("alertType", lambda name: bytes([ALERTS[name]])), part("reportedAt", var), part("sequence", var),
        part("reportHash", bytes.fromhex), part("child", uuid), part("contentHash", bytes.fromhex), part("length", var),
        part("actor", uuid), part("noteHash", bytes.fromhex), part("causeNumber", var), part("alertId", identity)])
    return var(entry["number"]) + var(entry["acceptedAt"]) + bytes.fromhex(entry["linkHash"]) + var(len(rest)) + rest


def file_bytes(file, last):
    def same_as(name, other):
        return file[name] is not None and file[name] == last.get(other)
    same_hash, same_link = same_as("hash", "contentHash"), same_as("linkHash", "linkHash")
    same_id = same_as("lastLinkId", "id")
    has = {name: file[name] is not None for name in file}
    bits = bits_of(
        has["length"], has["hash"] and not same_hash, same_hash, file["missing"], has["number"],
        has["linkHash"] and not same_link, same_link, has["lastLinkId"] and not same_id, same_id, has["checkedAt"],
        has["contactAt"], "attributesTold" in file)

    def part(name, encode, is_same=False):
        return encode(file[name]) if has[name] and not is_same else b""
    return b"".join([
        var(bits), var(file["sequence"]), var(file["configVersion"]), var(file["activeAlerts"]), part("length", var),
        part("hash", bytes.fromhex, same_hash), part("number", var), part("linkHash", bytes.fromhex, same_link),
        part("lastLinkId", identity, same_id), part("checkedAt", var), part("contactAt", var)])


def chain_body(record):
    entries, file = record["entries"], record["file"]
    texts = {name: record[name] for name in ("alerts", "events", "parking") if name in record}
    has_texts = any(texts.values())
    told = json.dumps(texts, separators=(",", ":"), ensure_ascii=False)
    return b"".join([
        b"\1", bytes([bits_of(record["fileId"] is not None, file is not None, has_texts)]), var(record["rules"]),
        uuid(record["orgId"]), uuid(record["deviceId"]), uuid(record["fileId"]) if record["fileId"] is not None else b"",
        bytes([CATEGORIES.index(record["category"])]), var(record["rev"]), var(record["timestamp"]), var(len(entries)),
        *map(entry_bytes, entries), file_bytes(file, entries[-1] if entries else {}) if file is not None else b"",
        text(told) if has_texts else b""])


def check_records(content, same):
    for one in content["reports"]:
        same("body of a report", report_body(one["header"], one["report"]).hex(), one["body"])
        same("form of a report", packed_report(one["report"]) is not None, one["isPacked"])
    for one in content["chain"]:
        same("body of a chain record", chain_body(one["record"]).hex(), one["body"])


def check_signatures(content, same):
    message = bytes.fromhex(content["message"])
    for one in content["cases"]:
        found = ed25519_ok(bytes.fromhex(one["publicKey"]), message, bytes.fromhex(one["signature"]))
        same("signature: " + one["name"], found, one["holds"])


CHECKS = {"parts.json": check_parts, "chain.json": check_chain, "log.json": check_log, "merkle.json": check_merkle,
          "ids.json": check_ids, "partitioner.json": check_partitioner, "proof.json": check_proofs,
          "unsigned.json": check_unsigned,
          "bundle.json": check_bundles,
          "seals.json": check_seals,
          "receipts.json": check_receipts,
          "signatures.json": check_signatures,
          "records.json": check_records}


def main(folder):
    compared = 0

    def same(what, expected, found):
        nonlocal compared
        compared += 1
        if expected != found:
            sys.exit(f"{what} differs\n here:   {expected}\n vector: {found}")

    files = sorted(file.name for file in pathlib.Path(folder).glob("*.json"))
    same("vector files", sorted(CHECKS), files)
    for name in files:
        CHECKS[name](json.loads((pathlib.Path(folder) / name).read_text(encoding="utf-8")), same)
    print(compared)


if __name__ == "__main__":
    main(sys.argv[1])
