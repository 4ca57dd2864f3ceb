/** Preload of a service that sets its clock wrong by `SENTINEL_TEST_CLOCK_OFFSET_MS`. */
const offsetMs = Number(process.env['SENTINEL_TEST_CLOCK_OFFSET_MS'] ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now() + offsetMs] : args, newTarget) as Date,
  get: (target, name) =>
    name === 'now' ? () => target.now() + offsetMs : (Reflect.get(target, name) as unknown),
});
