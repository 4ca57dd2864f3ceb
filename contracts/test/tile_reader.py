"""Reads a published log as an outsider, by docs/formats.md alone: no code in common with src/.

Usage: python3 tile_reader.py <root of the public address> <vkey>. Takes the checkpoint, every tile and every entry, checks
them against one another and against the key, and prints the number of entries. Ends with status 1 and what is wrong.
"""

import base64
import sys
import urllib.error
import urllib.request

from second_implementation import ZERO, ed25519_ok, fold, leaf_hash, root, sha

WIDTH = 256
TIMEOUT_SECONDS = 30


def get(address):
    with urllib.request.urlopen(address, timeout=TIMEOUT_SECONDS) as answer:
        return answer.read()


def same(what, expected, got):
    if expected != got:
        raise SystemExit(f"{what}: {expected!r} is expected, it is {got!r}")


def key_of(vkey):
    name, key_id, encoded = vkey.split("+", 2)
    key = base64.b64decode(encoded, validate=True)
    same("kind of the key", (1, 33), (key[0], len(key)))
    same("key id", sha(name.encode() + b"\n" + key)[:4].hex(), key_id)
    return name, bytes.fromhex(key_id), key[1:]


def checkpoint(note, vkey):
    """Returns the number of entries and the root that the key has signed."""
    name, key_id, key = key_of(vkey)
    text, signatures = note.rsplit("\n\n", 1)
    text += "\n"
    signed = []
    for line in signatures.removesuffix("\n").split("\n"):
        dash, signer, encoded = line.split(" ")
        same("signature line", "\u2014", dash)
        signature = base64.b64decode(encoded, validate=True)
        if (signer, signature[:4]) == (name, key_id):
            signed.append(ed25519_ok(key, text.encode(), signature[4:]))
    same("signatures of the key", [True], signed)
    origin, size, tree_root = text.split("\n")[:3]
    same("origin", name, origin)
    same("size", size, str(int(size)))
    return int(size), base64.b64decode(tree_root, validate=True)


def paths(kind, count):
    """Yields path and width of every tile for this many hashes or entries."""
    for index in range(-(-count // WIDTH)):
        width = min(WIDTH, count - index * WIDTH)
        digits = str(index).zfill(-(-len(str(index)) // 3) * 3)
        groups = [digits[at:at + 3] for at in range(0, len(digits), 3)]
        path = "/".join(["x" + group for group in groups[:-1]] + groups[-1:])
        yield f"/tile/{kind}/{path}" + ("" if width == WIDTH else f".p/{width}"), width


def hashes(url, level, count):
    found = []
    for path, width in paths(level, count):
        tile = get(url + path)
        same(f"bytes of {path}", 32 * width, len(tile))
        found += [tile[at:at + 32] for at in range(0, len(tile), 32)]
    return found


def entries(url, count):
    found = []
    for path, width in paths("entries", count):
        bundle = get(url + path)
        same(f"bytes of {path}", 184 * width, len(bundle))
        for at in range(0, len(bundle), 184):
            same(f"length in {path}", 182, int.from_bytes(bundle[at:at + 2], "big"))
            found.append(bundle[at + 2:at + 184])
    return found


def check_headers(headers, log_id):
    previous = ZERO
    for number, header in enumerate(headers):
        same(f"beginning of entry {number}", b"sentinel/batch/v1\0" + log_id, header[:50])
        same(f"number of entry {number}", number, int.from_bytes(header[50:58], "big"))
        same(f"entry before {number}", previous.hex(), header[58:90].hex())
        previous = sha(header)


def check_levels(url, leaves):
    """Checks that each level above the leaves has the roots of the full tiles below."""
    level, below = 0, leaves
    while len(below) >= WIDTH:
        level += 1
        full = len(below) // WIDTH
        expected = [root(below[at * WIDTH:(at + 1) * WIDTH]) for at in range(full)]
        below = hashes(url, level, full)
        same(f"level {level}", expected, below)


def check_proof(url, vkey, number, header):
    """Checks the proof of one batch, which may be of a later log than the one read here."""
    proof, note = get(f"{url}/batches/{number}/proof").decode().split("\n\n", 1)
    version, extra, index, *path = proof.split("\n")
    same("version", "c2sp.org/tlog-proof@v1", version)
    same("extra", b"extra " + base64.b64encode(header), extra.encode())
    same("index", f"index {number}", index)
    size, tree_root = checkpoint(note, vkey)
    hashes_of_path = [base64.b64decode(line, validate=True) for line in path]
    same(f"inclusion of {number}", tree_root, fold(leaf_hash(header), number, size, hashes_of_path))


def main(url, vkey):
    size, tree_root = checkpoint(get(url + "/checkpoint").decode(), vkey)
    headers = entries(url, size)
    leaves = hashes(url, 0, size)
    same("leaf hashes", [leaf_hash(header) for header in headers], leaves)
    same("root of the checkpoint", tree_root, root(leaves))
    check_levels(url, leaves)
    check_headers(headers, sha(b"sentinel/log/v1\0" + key_of(vkey)[2]))
    for number in {0, size // 2, size - 1} if size else ():
        check_proof(url, vkey, number, headers[number])
    print(size)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (ValueError, urllib.error.URLError) as error:
        raise SystemExit(f"the log cannot be read: {error}")
