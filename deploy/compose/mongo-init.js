// Run by mongosh against the only member: makes it a replica set of one, which majority writes and sessions need.
const SET = { _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] };
const DEADLINE_MS = 60_000;
const LOOK_AGAIN_MS = 500;

try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate(SET);
}
const deadline = Date.now() + DEADLINE_MS;
while (!db.hello().isWritablePrimary) {
  if (Date.now() > deadline) throw new Error('the replica set has no primary');
  sleep(LOOK_AGAIN_MS);
}
