import { MongoBulkWriteError } from 'mongodb';
import t from 'tap';
import { isLostConnection, portError } from '../src/mongodb/mongo-errors.ts';

t.test('what node says of a socket that the server ended is a lost connection', (t) => {
  for (const code of ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']) {
    const ended = Object.assign(new Error('This socket has been ended by the other party'), { code });
    const inBulk = new MongoBulkWriteError(ended, {} as never);
    for (const error of [ended, inBulk]) {
      t.ok(isLostConnection(error), code);
      t.match(portError(error, 'files', true), { code: 'NOT_DURABLE', cause: ended });
    }
  }
  t.end();
});

t.test('a fault of the program stays a surprise', (t) => {
  const fault = Object.assign(new TypeError('not a function'), { code: 'ERR_INVALID_ARG_TYPE' });
  const inBulk = new MongoBulkWriteError(fault, {} as never);
  for (const error of [fault, inBulk]) {
    t.notOk(isLostConnection(error));
    t.notOk((portError(error, 'files', true) as { code?: string }).code === 'NOT_DURABLE');
  }
  t.end();
});
