// Replaces `tap` while a test file is loaded: records the file's calls, so that they can be repeated.
let calls = [];

/** Returns the calls that `load` made on `t`, in order: { method, args }. */
export async function recordCalls(load) {
  calls = [];
  await load();
  return calls;
}

const t = new Proxy(
  {},
  {
    get: (_, method) => {
      if (method === 'then' || typeof method === 'symbol') return undefined;
      return (...args) => {
        calls.push({ method, args });
      };
    },
  },
);

export default t;
