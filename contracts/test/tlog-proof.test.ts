import t from 'tap';
import { encodeTlogProof } from '../src/log/tlog-proof.ts';

t.test('the lines of C2SP tlog-proof, then the note', (t) => {
  const checkpoint = 'example.com/log\n9\nroot\n\n— example.com/log c2ln\n';
  const path = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  t.equal(
    encodeTlogProof({ extra: Uint8Array.of(0xff), index: 8, path, checkpoint }),
    [
      'c2sp.org/tlog-proof@v1',
      'extra /w==',
      'index 8',
      'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=',
      'AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=',
      '',
      checkpoint,
    ].join('\n'),
  );
  const first = encodeTlogProof({ extra: Uint8Array.of(1), index: 0, path: [], checkpoint });
  t.equal(first, `c2sp.org/tlog-proof@v1\nextra AQ==\nindex 0\n\n${checkpoint}`, 'of a log of one entry');
  t.end();
});
