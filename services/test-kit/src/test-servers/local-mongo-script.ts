/**
 * Starts the stand-in for MongoDB with four changes.
 *
 * Its rename is not atomic: a simultaneous write leaves two documents with one `_id`, or a server that does not
 * answer any more. MongoDB locks both collections; here the whole server is locked, so that the rename runs alone.
 *
 * Before and after each write, the stand-in searches all writes of the last half hour for old ones, which was half of
 * its work in a test of minutes. Here it searches once a second.
 *
 * It flushes each commit to the disk, and dropping a database is a commit for each key, under a lock that every read
 * waits for: minutes on a busy disk. Here a commit ends in the system's page cache, which outlives the killed
 * process; no test cuts the power.
 *
 * It reads all documents that meet the filter and sorts them, even if an index has their order: a page of the events
 * of an organisation with 20,000 of them read them all, and a page of an index over documents with `{$exists: true}`
 * read the whole collection. MongoDB reads the documents of the page; so does `first_in_order`.
 */
export const MONGO_START_SCRIPT = `
import sys, threading, time
from secantus import server, storage
from secantus.cli import main
from secantus.transactions import TransactionRegistry

turn = threading.Condition()
running = renaming = 0
dispatch = server.dispatch

def one_step_rename(doc, ctx):
    global running, renaming
    name = next(iter(doc), "")
    if name in ("hello", "isMaster", "ismaster"):  # waits for news of the topology, and touches no collection
        return dispatch(doc, ctx)
    alone = name == "renameCollection"
    with turn:
        turn.wait_for(lambda: not renaming)
        renaming += alone
        running += 1
        turn.wait_for(lambda: not alone or running == 1)
    try:
        return dispatch(doc, ctx)
    finally:
        with turn:
            renaming -= alone
            running -= 1
            turn.notify_all()

server.dispatch = one_step_rename

prune = TransactionRegistry._prune_retryable_locked
pruned_at = 0

def prune_once_a_second(self):
    global pruned_at
    if time.monotonic() - pruned_at >= 1:
        pruned_at = time.monotonic()
        prune(self)

TransactionRegistry._prune_retryable_locked = prune_once_a_second

open_engine = storage.wt.wiredtiger_open
commit = storage._commit_batch_transaction

def open_without_flush(home, config):
    flushed = "transaction_sync=(enabled=true,method=fsync)"
    assert flushed in config
    return open_engine(home, config.replace(flushed, "transaction_sync=(enabled=true,method=none)"))

storage.wt.wiredtiger_open = open_without_flush
storage._commit_batch_transaction = lambda session, sync: commit(session, False)

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

def first_in_order(self, db, coll, filter, sort, most):
    if any(field.startswith("$") for field in filter):
        return None
    self._refresh_read_snapshot()
    with self._lock:
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
        highs = [edge + b"\\xff\\xff" for op, edge in edges.items() if op in ("$lt", "$lte")]
        high = min([prefix + b"\\xff\\xff", *highs])
        rows, documents, found = self._cursor(storage._IDX_ENTRIES_TABLE), None, []
        rows.set_key(db, coll, name, low if direction == 1 else high)
        at = rows.search_near()
        if at == storage.wt.WT_NOTFOUND:
            return []
        step = rows.next if direction == 1 else rows.prev
        if (at < 0 and direction == 1) or (at > 0 and direction == -1):
            if step() != 0:
                return []
        documents = self._cursor_optional(storage._doc_table_for(db, coll))
        while documents is not None and len(found) < most:
            row = rows.get_key()
            entry = bytes(row[3])
            if (row[0], row[1], row[2]) != (db, coll, name) or not low <= entry <= high:
                break
            _, record = storage._unpack_entry(entry)
            documents.set_key(db, coll, record)
            if documents.search() == 0:
                document = storage.bson.decode(storage._unframe_doc_value(bytes(documents.get_value()))[1])
                if storage.matches(document, filter):
                    found.append(document)
            if step() != 0:
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
sys.exit(main())
`;
