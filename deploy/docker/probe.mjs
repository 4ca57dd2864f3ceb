// Asks the service of this container: node probe.mjs [/readyz]; exits with 0 when it answers 200.
const WAIT_MS = 4_000;

const path = process.argv[2] ?? '/readyz';
const port = process.env.SENTINEL_PORT ?? '8080';
try {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(WAIT_MS) });
  if (!answer.ok) process.stderr.write(`${path}: ${answer.status} ${await answer.text()}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`${path}: ${error.message}\n`);
  process.exitCode = 1;
}
