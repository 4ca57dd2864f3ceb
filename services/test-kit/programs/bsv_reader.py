"""Reads anchoring transactions, Merkle paths and the chain of seals with Python's bsv-sdk: no code in common with the
services, nor with the TypeScript library that they use. The library parses and serialises transactions and paths,
calculates ids and roots, and runs the scripts; the layout of headers and anchors is that of docs/formats.md.

Usage: bsv_reader.py <seals file> <headers file> <height of the first header> [<proof or bundle> ...]. Prints, as JSON, how
many anchors, inputs and blocks were checked. Ends with status 1 and what is wrong.
"""

import asyncio
import hashlib
import json
import sys

from bsv.chaintracker import ChainTracker
from bsv.hash import hash256
from bsv.merkle_path import MerklePath
from bsv.script.script import Script
from bsv.script.spend import Spend
from bsv.transaction import Transaction
from bsv.transaction_output import TransactionOutput

BLOCK_HEADER_BYTES = 80
OP_FALSE, OP_RETURN = b"\x00", b"\x6a"


class Wrong(Exception):
    pass


def same(what, expected, got):
    if expected != got:
        raise Wrong(f"{what}: {expected!r} is expected, it is {got!r}")


def sha256(data):
    return hashlib.sha256(data).digest()


def log_root(leaves):
    """RFC 6962."""
    if len(leaves) == 1:
        return leaves[0]
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01" + log_root(leaves[:left]) + log_root(leaves[left:]))


class GivenHeaders(ChainTracker):
    """Merkle roots by the headers that the caller has from elsewhere."""

    def __init__(self, data, first_height):
        same("bytes of headers", 0, len(data) % BLOCK_HEADER_BYTES)
        self.first_height = first_height
        self.headers = [data[at:at + BLOCK_HEADER_BYTES] for at in range(0, len(data), BLOCK_HEADER_BYTES)]

    def at(self, height):
        if not 0 <= height - self.first_height < len(self.headers):
            raise Wrong(f"block {height}: its header was not given")
        return self.headers[height - self.first_height]

    async def is_valid_root_for_height(self, root, height):
        return self.at(height)[36:68][::-1].hex() == root

    async def current_height(self):
        return self.first_height + len(self.headers) - 1


def parsed(raw, what):
    transaction = Transaction.from_hex(raw)
    if transaction is None:
        raise Wrong(f"{what}: the transaction cannot be parsed")
    same(f"{what}: the transaction, serialised again", raw, transaction.hex())
    same(f"{what}: txid", hash256(bytes.fromhex(raw))[::-1].hex(), transaction.txid())
    return transaction


def anchored(transaction, what):
    """The 109 bytes that output 0 holds."""
    same(f"{what}: satoshis of output 0", 0, transaction.outputs[0].satoshis)
    script = transaction.outputs[0].locking_script.serialize()
    same(f"{what}: beginning of output 0", OP_FALSE + OP_RETURN, script[:2])
    [push] = Script(script[2:]).chunks
    return push.data


def check_scripts(transaction, spent, what):
    """Each input unlocks the output that it spends. `spent`: outputs in the order of the inputs."""
    same(f"{what}: outputs that are spent", len(transaction.inputs), len(spent))
    for index, (spending, output) in enumerate(zip(transaction.inputs, spent)):
        try:
            valid = Spend({
                "sourceTXID": spending.source_txid,
                "sourceOutputIndex": spending.source_output_index,
                "sourceSatoshis": output.satoshis,
                "lockingScript": output.locking_script,
                "transactionVersion": transaction.version,
                "otherInputs": transaction.inputs[:index] + transaction.inputs[index + 1:],
                "inputIndex": index,
                "unlockingScript": spending.unlocking_script,
                "outputs": transaction.outputs,
                "inputSequence": spending.sequence,
                "lockTime": transaction.locktime,
            }).validate()
        except RuntimeError as error:
            raise Wrong(f"{what}: input {index} does not unlock what it spends: {error}") from error
        same(f"{what}: input {index} unlocks what it spends", True, valid)
    paid = sum(output.satoshis for output in transaction.outputs)
    if paid > sum(output.satoshis for output in spent):
        raise Wrong(f"{what}: pays more than it spends")


def check_seals(lines):
    """Transactions of the batches in their order, each spending output 1 of the one before."""
    first, *batches = [json.loads(line) for line in lines]
    same("format of the seals", "sentinel/seals/v1", first["format"])
    transactions, leaves = [], []
    for number, line in enumerate(batches):
        what = f"batch {number}"
        same(f"{what}: number", number, line["batch"])
        header = bytes.fromhex(line["header"])
        leaves.append(sha256(b"\x00" + header))
        transaction = parsed(line["raw"], what)
        anchor = b"SNTL\x01" + bytes.fromhex(first["logId"]) + number.to_bytes(8, "big")
        same(f"{what}: anchor", (anchor + sha256(header) + log_root(leaves)).hex(), anchored(transaction, what).hex())
        spent = [
            TransactionOutput(satoshis=output["satoshis"], locking_script=Script(bytes.fromhex(output["script"])))
            for output in line["spends"]
        ]
        if transactions:
            before = transactions[-1]
            seal = (transaction.inputs[0].source_txid, transaction.inputs[0].source_output_index)
            same(f"{what}: spends", (before.txid(), 1), seal)
            transaction.inputs[0].source_transaction = before
            spent = [before.outputs[1]] + spent
        check_scripts(transaction, spent, what)
        transactions.append(transaction)
    return transactions


def blocks_of(document):
    """(batch number or None, transaction, block) of a proof, or of each batch of a bundle."""
    if document["format"] == "sentinel/proof/v1":
        if document["block"] is not None:
            yield document["batch"], document["transaction"], document["block"]
        return
    same("format", "sentinel/bundle/v1", document["format"])
    by_hash = {block["hash"]: block for block in document["blocks"]}
    for batch in document["batches"]:
        if batch["block"] is not None:
            yield batch, batch["transaction"], {**by_hash[batch["block"]["hash"]], "bump": batch["block"]["bump"]}


async def check_block(batch, transaction, block, seals, headers):
    """The transaction is the seal of its batch, and its path leads to the given header."""
    number = int.from_bytes(bytes.fromhex(batch["header"])[50:58], "big")
    what = f"proof of batch {number}"
    anchor = parsed(transaction["raw"], what)
    same(f"{what}: txid", transaction["txid"], anchor.txid())
    same(f"{what}: transaction of the seals", seals[number].txid(), anchor.txid())
    path = MerklePath.from_hex(block["bump"])
    same(f"{what}: path, serialised again", block["bump"], path.to_hex())
    same(f"{what}: height", block["height"], path.block_height)
    header = headers.at(path.block_height)
    same(f"{what}: block", block["hash"], hash256(header)[::-1].hex())
    same(f"{what}: root of the path", header[36:68][::-1].hex(), path.compute_root(anchor.txid()))
    same(f"{what}: path", True, await path.verify(anchor.txid(), headers))
    if block["coinbase"] is not None:
        coinbase = parsed(block["coinbase"], f"{what}, coinbase")
        same(f"{what}: root of the coinbase", header[36:68][::-1].hex(), path.compute_root(coinbase.txid()))
    seals[number].merkle_path = path


def leads_to_block(seals, number):
    """Whether an anchor before this one is in a block, and those from it on spend nothing but seals."""
    while number > 0 and len(seals[number].inputs) == 1:
        number -= 1
        if seals[number].merkle_path is not None:
            return True
    return False


async def check_back_to_blocks(seals, headers):
    """From each anchor back to a block, by the library's own verification: scripts, then a path. Counts anchors."""
    checked = 0
    for number, transaction in enumerate(seals):
        if not leads_to_block(seals, number):
            continue
        path, transaction.merkle_path = transaction.merkle_path, None
        same(f"batch {number}: verified", True, await transaction.verify(headers))
        transaction.merkle_path = path
        checked += 1
    return checked


async def main(seals_file, headers_file, first_height, *proofs):
    with open(headers_file, "rb") as file:
        headers = GivenHeaders(file.read(), int(first_height))
    with open(seals_file, encoding="utf-8") as file:
        seals = check_seals(file.read().splitlines())
    blocks = 0
    for name in proofs:
        with open(name, encoding="utf-8") as file:
            for found in blocks_of(json.load(file)):
                await check_block(*found, seals, headers)
                blocks += 1
    inputs = sum(len(transaction.inputs) for transaction in seals)
    verified = await check_back_to_blocks(seals, headers)
    print(json.dumps({"anchors": len(seals), "inputs": inputs, "blocks": blocks, "verified": verified}))


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except (Wrong, ValueError) as error:
        raise SystemExit(f"{error}") from error
