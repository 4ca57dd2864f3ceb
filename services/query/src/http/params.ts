import { Type } from 'typebox';
import { LIMITS } from '@sentinel-node/contracts';

/** Accepts any text, so that an id of a wrong form answers 404 as an unknown id does, not 422. */
const Key = Type.String({ maxLength: LIMITS.nameCharacters });

export const orgParams = Type.Object({ orgId: Key });
export const orgItemParams = Type.Object({ orgId: Key, id: Key });
export const deviceParams = Type.Object({ orgId: Key, deviceId: Key });
export const fileParams = Type.Object({ orgId: Key, deviceId: Key, fileId: Key });
export const activationParams = Type.Object({ activateId: Key });
export const itemParams = Type.Object({ id: Key });
export const deviceItemParams = Type.Object({ orgId: Key, deviceId: Key, id: Key });
export const linkParams = Type.Object({ orgId: Key, deviceId: Key, fileId: Key, linkId: Key });
export const fileItemParams = Type.Object({ orgId: Key, deviceId: Key, fileId: Key, id: Key });
