/** Kills the process at once when a row with the text SENTINEL_TEST_LAST is durable. */
import Database from 'libsql';

const last = process.env['SENTINEL_TEST_LAST'] ?? '';
const { exec, prepare } = Database.prototype;
let isWritten = false;

Object.defineProperty(Database.prototype, 'prepare', {
  value(this: Database.Database, sql: string) {
    const statement = prepare.call(this, sql);
    if (!sql.startsWith('INSERT')) return statement;
    const run = statement.run.bind(statement) as (...row: unknown[]) => unknown;
    return Object.assign(statement, {
      run: (...row: unknown[]) => {
        isWritten ||= row.flat().some((one) => typeof one === 'string' && one.includes(last));
        return run(...row);
      },
    });
  },
});
Object.defineProperty(Database.prototype, 'exec', {
  value(this: Database.Database, sql: string) {
    exec.call(this, sql);
    if (sql === 'COMMIT' && isWritten) process.kill(process.pid, 'SIGKILL');
    return this;
  },
});
