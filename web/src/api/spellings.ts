/** Other spellings that the specification's section 3 allows in what is read. What is no such object stays as it is. */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `active` is false when it is not given. */
export const readUser = (user: unknown): unknown => (isObject(user) ? { active: false, ...user } : user);

/** NONACTIVE is NON_ACTIVE. */
export const readDevice = (device: unknown): unknown =>
  isObject(device) && device['status'] === 'NONACTIVE' ? { ...device, status: 'NON_ACTIVE' } : device;

/** The same for each item of a list that is a member of an answer. */
export const readEach =
  (name: string, read: (item: unknown) => unknown) =>
  (body: unknown): unknown => {
    if (!isObject(body)) return body;
    const list = body[name];
    return Array.isArray(list) ? { ...body, [name]: list.map(read) } : body;
  };
