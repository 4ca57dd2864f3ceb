"""Starts the stand-in for MongoDB (SecantusDB) with the changes that are numbered below. A version of the stand-in without a
part that is replaced ends at the start.

Arguments are those of the stand-in.
"""

import contextlib
import math
import sys
import threading
import time

from secantus import query, server, storage
from secantus.cli import main
from secantus.transactions import TransactionRegistry


# 1. Options of collections, settings of the profiler, and lists of indexes are kept.
#
# The stand-in looks up the options of the collection before each command, and the profiler's settings after it, under the lock that
# reads hold. Of 230,000 samples of a busy server, 160,000 waited there. Here options are kept until a command comes that may change
# them, and the profiler stays off: no test turns it on. The list of a collection's indexes is read and decoded several times in each
# command, a fifth of the work of a busy server; it is kept too, and read again after a document that puts a list into a field of an index.

KEEPS_OPTIONS = {
    "aggregate", "count", "delete", "distinct", "endSessions", "explain", "find", "findAndModify", "findandmodify", "getMore",
    "insert", "killCursors", "listCollections", "listDatabases", "listIndexes", "ping", "update",
}
options_of = storage.Storage.get_collection_options
indexes_of = storage.Storage._iter_indexes
kept_options = {}
kept_indexes = {}
changes = 0


def forget():
    global changes
    changes += 1
    kept_options.clear()
    kept_indexes.clear()
    kept_inner_options.clear()


@contextlib.contextmanager
def forgetting_options():
    forget()
    try:
        yield
    finally:
        forget()


def get_kept_options(self, db, coll):
    kept = kept_options.get((db, coll))
    if kept is None:
        before = changes
        kept = options_of(self, db, coll)
        # A collection without options may be made by the next insert.
        if kept and before == changes:
            kept_options[(db, coll)] = kept
    return dict(kept)


def iter_kept_indexes(self, db, coll):
    kept = kept_indexes.get((db, coll))
    if kept is None:
        before = changes
        kept = list(indexes_of(self, db, coll))
        # The first index may be made by any command that makes the collection.
        if kept and before == changes:
            kept_indexes[(db, coll)] = kept
    return iter(kept)

here = threading.local()


def forget_now_and_after():
    # Others see the change after the commit, before the end of the command.
    here.has_changed = True
    forget()

mark_multikey = storage.Storage._maybe_mark_multikey


def mark_and_forget(self, db, coll, doc, indexes, already):
    before = len(already)
    marked = mark_multikey(self, db, coll, doc, indexes, already)
    if len(marked) > before:
        forget_now_and_after()
    return marked

inner_options_of = storage.Storage._coll_options
write_options = storage.Storage._write_coll_options
kept_inner_options = {}


def get_kept_inner_options(self, db, coll):
    kept = kept_inner_options.get((db, coll))
    if kept is None:
        before = changes
        kept = inner_options_of(self, db, coll)
        # A collection without options may be one whose first insert is undone.
        if not kept or before != changes:
            return kept
        kept_inner_options[(db, coll)] = kept
    return dict(kept)


def write_and_forget(self, db, coll, opts):
    write_options(self, db, coll, opts)
    forget_now_and_after()


storage.Storage._write_coll_options = write_and_forget
storage.Storage._coll_options = get_kept_inner_options
storage.Storage._iter_indexes = iter_kept_indexes
storage.Storage._maybe_mark_multikey = mark_and_forget
storage.Storage.get_collection_options = get_kept_options
storage.Storage.get_profile = lambda self, db: {"level": 0, "slowms": 100, "sampleRate": 1.0}


# 2. A rename is one step.
#
# The stand-in's rename is not atomic: a simultaneous write leaves two documents with one `_id`, or a server that does not answer any
# more. MongoDB locks both collections; here the whole server is locked, so that the rename runs alone.

turn = threading.Condition()
running = renaming = 0
dispatch = server.dispatch


def one_step_rename(doc, ctx):
    name = next(iter(doc), "")
    if name in ("hello", "isMaster", "ismaster"):  # waits for news of the topology, and touches no collection
        return dispatch(doc, ctx)
    if name not in KEEPS_OPTIONS:
        with forgetting_options():
            return alone_or_not(doc, ctx, name == "renameCollection")
    return alone_or_not(doc, ctx, False)


def alone_or_not(doc, ctx, alone):
    global running, renaming
    with turn:
        turn.wait_for(lambda: not renaming)
        renaming += alone
        running += 1
        turn.wait_for(lambda: not alone or running == 1)
    try:
        return (counted(doc, ctx) if "aggregate" in doc else None) or dispatch(doc, ctx)
    finally:
        if getattr(here, "has_changed", False):
            here.has_changed = False
            forget()
        with turn:
            renaming -= alone
            running -= 1
            turn.notify_all()


server.dispatch = one_step_rename


# 3. Old writes are searched once a second.
#
# Before and after each write, the stand-in searches all writes of the last half hour for old ones, which was half of its work in a test
# of minutes.

prune = TransactionRegistry._prune_retryable_locked
pruned_at = 0


def prune_once_a_second(self):
    global pruned_at
    if time.monotonic() - pruned_at >= 1:
        pruned_at = time.monotonic()
        prune(self)


TransactionRegistry._prune_retryable_locked = prune_once_a_second


# 4. A commit ends in the page cache.
#
# The stand-in flushes each commit to the disk, and dropping a database is a commit for each key, under a lock that every read waits for:
# minutes on a busy disk. The page cache outlives the killed process; no test cuts the power.

open_engine = storage.wt.wiredtiger_open
commit = storage._commit_batch_transaction


def open_without_flush(home, config):
    flushed = "transaction_sync=(enabled=true,method=fsync)"
    assert flushed in config
    return open_engine(home, config.replace(flushed, "transaction_sync=(enabled=true,method=none)"))


storage.wt.wiredtiger_open = open_without_flush
storage._commit_batch_transaction = lambda session, sync: commit(session, False)


# 5. A page of an index reads the documents of the page.
#
# The stand-in reads all documents that meet the filter and sorts them, even if an index has their order: a page of the events of an
# organisation with 20,000 of them read them all, and a page of an index over documents with `{$exists: true}` read the whole collection.
# MongoDB reads the documents of the page; so does `first_in_order`. It takes no lock: each thread has a session and cursors of its own,
# and writes take no lock that reads hold.

find_matching = storage.Storage.find_matching
SCALARS = (str, int, float, bool)
BOUNDS = {"$gt", "$gte", "$lt", "$lte"}


def without_eq(clause):
    if isinstance(clause, dict) and set(clause) == {"$eq"} and isinstance(clause["$eq"], SCALARS):
        return clause["$eq"]
    return clause


def bounds_of(clause):
    if not isinstance(clause, dict) or not clause or not set(clause) <= BOUNDS:
        return {}
    return clause if all(isinstance(bound, SCALARS) for bound in clause.values()) else {}


def needs_field(clause):
    if isinstance(clause, SCALARS):
        return True
    if isinstance(clause, dict) and isinstance(clause.get("$in"), list):
        return all(isinstance(value, SCALARS) for value in clause["$in"])
    return bool(bounds_of(clause))


def meets(filter, partial):
    return all(clause == {"$exists": True} and needs_field(filter.get(field)) for field, clause in partial.items())


def index_for(self, db, coll, filter, sort):
    # An ascending index: fields that the filter fixes, then the fields of the sort.
    sorted_by = list(sort)
    if len(set(sort.values())) > 1 or set(sort.values()) - {1, -1}:
        return None
    for name, key, options in list(self._iter_indexes(db, coll)):
        fields = list(key)
        fixed = len(fields) - len(sorted_by)
        if fixed < 0 or fields[fixed:] != sorted_by or set(key.values()) != {1}:
            continue
        if not all(isinstance(filter.get(field), SCALARS) for field in fields[:fixed]):
            continue
        partial = options.get("partialFilterExpression")
        if partial and not meets(filter, partial):
            continue
        if options.get("sparse") or options.get("multikey") or options.get("collation"):
            continue
        return name, fields[:fixed]
    return None


def entries_in_order(self, db, coll, filter, sort):
    # Record ids in the order of an index; None when no index has this order.
    index = index_for(self, db, coll, filter, sort)
    if index is None:
        return None
    name, fixed = index
    escape, encode = storage._escape_kb, storage.encode_value_directed
    prefix = b"".join(encode(filter[field]) + storage.COMPOUND_SEP for field in fixed)
    first, direction = next(iter(sort.items()))
    bounds = bounds_of(filter.get(first))
    edges = {op: escape(prefix + encode(bound)) for op, bound in bounds.items()}
    prefix = escape(prefix)
    low = max([prefix, *(edge for op, edge in edges.items() if op in ("$gt", "$gte"))])
    # Above every entry that begins with the edge: no encoded value begins with 0xff twice.
    highs = [edge + b"\xff\xff" for op, edge in edges.items() if op in ("$lt", "$lte")]
    high = min([prefix + b"\xff\xff", *highs])

    def walk():
        rows = self._cursor(storage._IDX_ENTRIES_TABLE)
        rows.set_key(db, coll, name, low if direction == 1 else high)
        at = rows.search_near()
        if at == storage.wt.WT_NOTFOUND:
            return
        step = rows.next if direction == 1 else rows.prev
        if (at < 0 and direction == 1) or (at > 0 and direction == -1):
            if step() != 0:
                return
        while True:
            row = rows.get_key()
            entry = bytes(row[3])
            if (row[0], row[1], row[2]) != (db, coll, name) or not low <= entry <= high:
                return
            yield storage._unpack_entry(entry)[1]
            if step() != 0:
                return

    return walk()


def first_in_order(self, db, coll, filter, sort, most):
    if any(field.startswith("$") for field in filter):
        return None
    self._refresh_read_snapshot()
    entries = entries_in_order(self, db, coll, filter, sort)
    if entries is None:
        return None
    documents, found = self._cursor_optional(storage._doc_table_for(db, coll)), []
    for record in entries if documents is not None else ():
        documents.set_key(db, coll, record)
        if documents.search() == 0:
            document = storage.bson.decode(storage._unframe_doc_value(bytes(documents.get_value()))[1])
            if storage.matches(document, filter):
                found.append(document)
                if len(found) == most:
                    break
    return found


def find_in_order(self, db, coll, filter=None, *, skip=0, limit=0, sort=None, **rest):
    is_plain = not any(value for name, value in rest.items() if name != "let")
    if limit > 0 and sort and is_plain:
        wanted = {field: without_eq(clause) for field, clause in (filter or {}).items()}
        found = first_in_order(self, db, coll, wanted, sort, skip + limit)
        if found is not None:
            return found[skip:]
    return find_matching(self, db, coll, filter, skip=skip, limit=limit, sort=sort, **rest)


storage.Storage.find_matching = find_in_order


# 6. A count counts the entries of an index.
#
# The stand-in reads all documents of the collection, under a lock that all other reads wait for: half of the time of that lock in a test
# with 10,000 waiting notices. MongoDB counts entries of an index; so does `count_entries`.


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def counted_part(fields, filter):
    # The filter and the order whose entries are the documents to count; None when entries alone cannot tell.
    first = fields[: len(filter)]
    if set(first) != set(filter) or not all(isinstance(filter[field], SCALARS) for field in first[:-1]):
        return None
    last = filter[first[-1]]
    if isinstance(last, SCALARS) and len(fields) > len(first):
        return filter, fields[len(first):]
    bounds = {"$gte": last, "$lte": last} if isinstance(last, SCALARS) else bounds_of(last)
    if not bounds or not set(bounds) <= {"$gte", "$lte"} or not all(is_number(bound) for bound in bounds.values()):
        return None
    # A number is compared with numbers only.
    numbers = {"$gte": -math.inf, "$lte": math.inf, **bounds}
    return {**filter, first[-1]: numbers}, fields[len(first) - 1:]


def count_entries(self, db, coll, filter):
    self._refresh_read_snapshot()
    for _, key, _ in list(self._iter_indexes(db, coll)):
        part = counted_part(list(key), filter)
        if part is None:
            continue
        bounded, fields = part
        entries = entries_in_order(self, db, coll, bounded, {field: 1 for field in fields})
        if entries is not None:
            return sum(1 for _ in entries)
    return None


def counted(doc, ctx):
    # The reply to what drivers send for countDocuments; None for every other command.
    stages = doc.get("pipeline")
    if not isinstance(stages, list) or len(stages) != 2 or stages[1] != {"$group": {"_id": 1, "n": {"$sum": 1}}}:
        return None
    filter = stages[0].get("$match") or {}
    if not filter or any(field.startswith("$") for field in filter):
        return None
    wanted = {field: without_eq(clause) for field, clause in filter.items()}
    count = count_entries(ctx.storage, ctx.db_name, doc["aggregate"], wanted)
    if count is None:
        return None
    batch = [{"_id": 1, "n": count}] if count else []
    return {"cursor": {"firstBatch": batch, "id": storage.bson.Int64(0), "ns": f"{ctx.db_name}.{doc['aggregate']}"}, "ok": 1.0}


# 7. A string is looked up in the set of the strings of an `$in`.
#
# The stand-in compares each document with each value of the list, a third of the work where a read asks for a thousand names.

equal = query._eq_numeric_aware
op_matches = query._op_matches


def equal_strings_first(a, b, collation=None):
    if type(a) is str and type(b) is str and collation is None:
        return a == b
    return equal(a, b, collation)


def strings_of(wanted):
    # The strings of the list as a set, kept for the next document of the same command; None when others are among them.
    if getattr(here, "wanted", None) is not wanted:
        here.wanted = wanted
        here.strings = frozenset(wanted) if all(type(value) is str for value in wanted) else None
    return here.strings


def op_matches_in_set(values, op, arg, collation=None, **rest):
    if op == "$in" and collation is None and type(arg) is list and all(type(value) is str for value in values):
        strings = strings_of(arg)
        if strings is not None:
            return any(value in strings for value in values)
    return op_matches(values, op, arg, collation, **rest)


query._eq_numeric_aware = equal_strings_first
query._op_matches = op_matches_in_set
sys.exit(main())
