/** Converts other spellings in answers that the specification's section 3 allows. Other values stay unchanged. */
import { isRecord } from '../narrow.ts';

/** Sets a missing `active` to false. */
export const readUser = (user: unknown): unknown => (isRecord(user) ? { active: false, ...user } : user);

/** Replaces the status NONACTIVE by NON_ACTIVE. */
export const readDevice = (device: unknown): unknown =>
  isRecord(device) && device['status'] === 'NONACTIVE' ? { ...device, status: 'NON_ACTIVE' } : device;

/** Returns a function that applies `read` to each item of an answer's list `name`. */
export const readEach =
  (name: string, read: (item: unknown) => unknown) =>
  (body: unknown): unknown => {
    if (!isRecord(body)) return body;
    const list = body[name];
    return Array.isArray(list) ? { ...body, [name]: list.map(read) } : body;
  };
