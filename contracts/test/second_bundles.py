"""The check of a bundle by docs/formats.md alone ("Bundle document"), one log apart. No code in common with src/."""

from second_checker import (ENTRY_OPTIONAL, ENTRY_REQUIRED, PROOF_MEMBERS, HASH, check_read, hexed, many, members, need,
                            note, number, one_of, or_null, read)
from second_implementation import leaf_hash, map_key, node_hash, paths_of_range, sha, u64

STATES = ["PENDING", "CUT", "SENT", "MINED"]
ENTRY = members({name: form for name, form in ENTRY_REQUIRED.items() if name != "previous"}, ENTRY_OPTIONAL)
BATCH = members({
    "from": number(), "to": number(), "leafIndex": number(), "header": hexed(182, 182), "logPath": many(53, HASH),
    "checkpoint": note(16_384), "nodes": many(64, HASH), "transaction": PROOF_MEMBERS["transaction"],
    "block": or_null(members({"hash": HASH, "bump": hexed(16_384)}))})
BLOCK = members({"height": number(), "hash": HASH, "header": or_null(hexed(80, 80)), "coinbase": or_null(hexed(100_000)),
                 "confirmations": number()})
BUNDLE = members({
    "format": one_of("sentinel/bundle/v1"), "state": one_of(*STATES), "completeness": one_of("RANGE"),
    "log": PROOF_MEMBERS["log"], "subject": PROOF_MEMBERS["subject"], "from": number(), "to": number(), "previous": HASH,
    "entries": many(1_000, ENTRY, 1), "batches": many(1_000, BATCH), "blocks": many(1_000, BLOCK)})


def check_bundle(document, trust, headers):
    b = read(document, BUNDLE, 8_388_608)
    need([entry["number"] for entry in b["entries"]] == list(range(b["from"], b["from"] + len(b["entries"])))
         and b["entries"][-1]["number"] == b["to"], "an entry is missing")
    named = {batch["block"]["hash"] for batch in b["batches"] if batch["block"] is not None}
    need(sorted(named) == sorted(block["hash"] for block in b["blocks"]), "the blocks")
    parts = parts_of(b, {block["hash"]: block for block in b["blocks"]})
    previous, states = b["previous"], []
    for entry in b["entries"]:
        own = parts.get(entry["number"], {"batch": None, "transaction": None, "block": None})
        states.append(sum(part is not None for part in own.values()))
        check_read({"log": b["log"], "subject": b["subject"], "entry": {**entry, "previous": previous},
                    "state": STATES[states[-1]], **own}, trust, headers)
        previous = entry["linkHash"]
    need(b["state"] == STATES[min(states)], "the state")


def parts_of(b, blocks):
    """Returns batch, transaction and block of each entry in a batch, as in a standalone proof."""
    links = {entry["number"]: bytes.fromhex(entry["linkHash"]) for entry in b["entries"]}
    key = map_key(bytes.fromhex(b["log"]["logId"]), b["subject"]["type"], b["subject"]["id"])
    parts, following, before, known = {}, b["from"], None, {}
    for batch in b["batches"]:
        need(batch["from"] == following and following <= batch["to"] <= b["to"], "the numbers of a batch")
        following = batch["to"] + 1
        header = bytes.fromhex(batch["header"])
        at, size = int.from_bytes(header[50:58], "big"), int.from_bytes(header[98:102], "big")
        need(before is None or at > before[0], "the order of batches")
        need(before is None or at > before[0] + 1 or header[58:90] == sha(before[1]), "the header before")
        before = at, header
        for place, one in subtrees(header, at, batch["logPath"]):
            need(known.setdefault(place, one) == one, "another log")
        numbers = range(batch["from"], following)
        need(batch["leafIndex"] + len(numbers) <= size, "the leaves")
        leaves = [leaf_hash(b"sentinel/leaf/v1\0" + key + u64(n) + links[n]) for n in numbers]
        paths = paths_of_range(leaves, batch["leafIndex"], size, [bytes.fromhex(one) for one in batch["nodes"]])
        block = batch["block"] and {**blocks[batch["block"]["hash"]], "bump": batch["block"]["bump"]}
        for index, n in enumerate(numbers):
            place = {"leafHash": leaves[index].hex(), "leafIndex": batch["leafIndex"] + index,
                     "leafPath": [one.hex() for one in paths[index]]}
            parts[n] = {"batch": {**batch, **place}, "transaction": batch["transaction"], "block": block}
    return parts


def subtrees(header, at, log_path):
    """Yields ((first leaf, leaves), root) of the largest full subtrees of the log before a batch, and of the log with it."""
    first, stack = 0, []
    larger = [bytes.fromhex(one) for one in reversed(log_path)]
    need(len(larger) == bin(at).count("1"), "the path of the log")
    for power in range(at.bit_length() - 1, -1, -1):
        if at >> power & 1:
            stack.append(((first, 1 << power), larger[len(stack)]))
            first += 1 << power
    yield from stack
    stack.append(((at, 1), leaf_hash(header)))
    yield stack[-1]
    while len(stack) > 1 and stack[-2][0][1] == stack[-1][0][1]:
        ((first, leaves), left), (_, right) = stack[-2:]
        stack[-2:] = [((first, 2 * leaves), node_hash(left, right))]
        yield stack[-1]
