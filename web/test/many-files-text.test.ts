/** What becomes of pasted paths and CSV, line by line. */
import type { TemplateFile } from '@sentinel-node/contracts';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { fileRequest, newFile } from '../src/forms/file-values.ts';
import { required } from '../src/forms/rules.ts';
import { MOST_CHARACTERS, readManyFiles, templateText } from '../src/forms/many-files.ts';

const common = {
  ...newFile,
  fileType: 'TEXT',
  monitoringFrequency: 'PROBE',
  fileInterval: '5',
  isFileModifiable: 'yes',
  isFileRolled: 'no',
};
const place = { workingDirectory: '/srv', taken: ['logs/app.log'], room: 100 };
const read = (text: string, at = place) => readManyFiles(text, common, at);

t.test('paths, one a line, take the common settings and the name of the file', (t) => {
  const { rows, problem } = read('\ufeff/etc/hosts\r\n\n  /etc/a, b.conf \n/var/журнал 🗒.log\n');
  t.equal(problem, null);
  t.same(
    rows.map(({ line, values, errors }) => [line, values.fileName, values.filePath, errors]),
    [
      [1, 'hosts', '/etc/hosts', []],
      [3, 'a, b.conf', '/etc/a, b.conf', []],
      [4, 'журнал 🗒.log', '/var/журнал 🗒.log', []],
    ],
  );
  t.match(rows[0]?.values, { fileType: 'TEXT', fileInterval: '5', isFileModifiable: 'yes' });
  t.end();
});

t.test('the same path twice, also of the device and in another spelling, is an error of its line', (t) => {
  const { rows } = read('/etc/hosts\n/srv/logs/../logs/app.log\n/etc//./hosts\n');
  t.same(
    rows.map(({ errors }) => errors),
    [[], ['The device has this path already'], ['The same path as line 1']],
  );
  const onWindows = { workingDirectory: 'C:\\app', taken: ['a.log'], room: 9 };
  t.strictSame(read('c:\\APP\\A.log', onWindows).rows[0]?.errors, ['The device has this path already']);
  t.end();
});

t.test('CSV names its columns, and a cell overrules what is common', (t) => {
  const text = [
    'path;name;type;frequency;interval;editable;rolled;regexp;monitoring;description',
    '/a.log;"One; ""quoted""";binary;continuous;;no;yes;a\\.log\\.\\d+;off;"two',
    'lines"',
    '/b.conf;;;;60;;;;;',
    '',
    '/c;;;;0;perhaps;;;;',
  ].join('\n');
  const { rows, problem } = read(text);
  t.equal(problem, null);
  matchWhole(t, rows[0], {
    line: 2,
    lastLine: 3,
    errors: [],
    values: {
      fileName: 'One; "quoted"',
      fileType: 'BINARY',
      monitoringFrequency: 'FOLLOW',
      isFileModifiable: 'no',
      isFileRolled: 'yes',
      rolledFilenameRegexp: 'a\\.log\\.\\d+',
      monitoringEnabled: false,
      fileDescription: 'two\nlines',
    },
  });
  matchWhole(t, rows[1], { line: 4, errors: [], values: { fileName: 'b.conf', fileInterval: '60' } });
  matchWhole(t, rows[2], {
    line: 6,
    errors: ['“perhaps” is no value of editable', 'Positive interval number is required'],
  });
  t.end();
});

t.test('a text of which nothing can be made says why', (t) => {
  t.match(read('path;colour\n/a;red').problem, /column that is not known: colour/);
  t.match(read('path;name;path\n/a;b;c').problem, /path twice/);
  t.match(read('path,name\n/a,"b\n/c,d').problem, /begins in line 2 does not end/);
  t.match(read('x'.repeat(MOST_CHARACTERS + 1)).problem, /at most 2,000,000 characters/);
  t.same(read('path;constructor\n/a;b').rows, [], 'a name of every object is no column');
  t.end();
});

t.test('what is missing, too long or too many is an error of its line', (t) => {
  const { rows } = read(`path;name\n;x\n/${'p'.repeat(5_000)};y\n/ok;${'n'.repeat(201)}\n/fine;z;more`);
  t.same(
    rows.map(({ errors }) => errors),
    [
      ['File path is required'],
      ['The path is longer than 4,096 characters'],
      ['The name is longer than 200 characters'],
      ['More cells than the first line has columns'],
    ],
  );
  const full = read('/a\n/b\n/c', { ...place, room: 2 });
  t.same(
    full.rows.map(({ errors }) => errors.length),
    [0, 0, 1],
  );
  t.strictSame(full.rows[2]?.errors, ['A device has at most 10,000 files']);
  t.end();
});

t.test('the files of a template come out as they went in, whatever the common settings are', (t) => {
  const files: TemplateFile[] = [
    {
      name: 'Log; of "Anna"',
      description: 'first line\nsecond, line',
      path: '/var/log/a;b.log',
      labels: ['env:prod', 'site:graz'],
      type: 'BINARY',
      monitoringFrequency: 'PROBE',
      interval: 60,
      rolled: true,
      rolledFilenameRegexp: '^a"b;.*$',
      modifiable: true,
      enabled: false,
    },
    {
      name: 'hosts',
      description: '',
      path: 'etc/hosts',
      type: 'TEXT',
      monitoringFrequency: 'FOLLOW',
      rolled: false,
      modifiable: false,
      watchAttributes: false,
      enabled: true,
    },
  ];
  const others = {
    ...common,
    fileType: 'BINARY',
    isFileModifiable: 'no',
    isFileRolled: 'yes',
    fileLabels: '',
  };
  const { rows, problem } = readManyFiles(templateText(files), others, place);
  t.equal(problem, null);
  t.same(
    rows.map(({ errors }) => errors),
    [[], []],
  );
  t.strictSame(
    rows.map(({ values }) => fileRequest(values, null)),
    files,
  );
  t.end();
});

t.test('a text of signs that nobody sees counts as empty, as at the server', (t) => {
  for (const text of ['', ' ', '\u200b', '\u2060\u00ad', '\u2800']) t.equal(required(text, 'Name?'), 'Name?');
  t.equal(required('\u200bx', 'Name?'), undefined);
  t.strictSame(read('/srv/\u200b\n').rows[0]?.errors, ['File name is required']);
  t.end();
});
