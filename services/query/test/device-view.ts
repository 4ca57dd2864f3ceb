import type { DeviceView } from '../src/views/index.ts';

/** A device of the organisation `o` without files, as the views have it. */
export const DEVICE: DeviceView = {
  ...{ id: 'd', rev: 1, orgId: 'o', name: 'Web 1', description: '', path: '/', healthInterval: 60 },
  ...{ enabled: true, category: 'STANDARD', disabledNote: null, disabledDate: null, disabledBy: null },
  ...{ creationDate: 0, configVersion: 1, keyVersion: 1, filesCount: 0, deleted: false },
};
