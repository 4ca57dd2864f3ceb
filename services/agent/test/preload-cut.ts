/**
 * Crashes the process, as libsql can, at reading the state file that SENTINEL_TEST_SPOILED names, while the file
 * exists.
 */
import { existsSync } from 'node:fs';
import Database from 'libsql';

const spoiled = process.env['SENTINEL_TEST_SPOILED'] ?? '';
const { prepare } = Database.prototype;

Object.defineProperty(Database.prototype, 'prepare', {
  value(this: Database.Database, sql: string) {
    if (sql.includes('FROM kept') && existsSync(spoiled)) process.kill(process.pid, 'SIGKILL');
    return prepare.call(this, sql);
  },
});
