/** Preload of `sentinel restore` that kills the process (kill -9) before the views are made. */
const write = process.stderr.write.bind(process.stderr);

process.stderr.write = (text: string | Uint8Array): boolean => {
  if (String(text).includes('verdicts and views')) process.kill(process.pid, 'SIGKILL');
  return write(text);
};
