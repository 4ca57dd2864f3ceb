// Stands for `tap` while a test file is loaded: notes the calls of the file, so that they can be made again and again.
let calls = [];

/** The calls that `load` made on `t`, in order: { method, args }. */
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
