import { alert, event, EXAMPLE } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

export const dashboardOperations: Operations = {
  'GET /dashboard/:orgId': {
    summary: 'The summary of an organization',
    answer: {
      events: [event],
      stripeIdSet: true,
      performance: {
        numberOfDevicesDefined: 1,
        numberOfFilesDefined: 1,
        numberOfDevicesActive: 1,
        performance: 100,
        numberOfFilesMonitored: 1,
        numberOfFilesWaiting: 0,
        numberOfFilesWithoutContact: 0,
        noContactFiles: [],
        noContactDevices: [],
      },
      health: { percent: 0, devices: 1, devicesWithActiveAlert: 1 },
      devices: [],
      alerts: [alert],
      activeAlerts: 1,
      setAside: { planned: 0, expected: 0 },
      windowsToReview: 0,
      nextWindowEnd: '2026-11-22T04:00:00.000Z',
      notMonitored: { devices: 0, files: 0 },
      activity: [{ start: '2026-11-21T10:00:00.000Z', events: 5, alerts: 1 }],
      contact: [{ start: '2026-11-21T10:00:00.000Z', inContact: 1, waiting: 0, lost: 0, looks: 4 }],
    },
  },
  'GET /dashboard/:orgId/activity': {
    summary: 'Events, alerts and contact of the last 7 or 30 days, and the time until alerts were handled',
    query: { period: '7d', timeZone: 'Europe/Zurich' },
    answer: {
      parts: [{ start: '2026-11-20T23:00:00.000Z', events: 120, alerts: 3 }],
      until: '2026-11-21T05:00:00.000Z',
      contact: [{ start: '2026-11-20T23:00:00.000Z', inContact: 38, waiting: 1, lost: 2, looks: 24 }],
      handling: { alerts: 3, handled: 2, medianSeconds: 5_400 },
    },
  },
  'GET /dashboard/:orgId/devices': {
    summary: 'Counts of each device that has an active alert, or a file without contact',
    answer: { devices: [{ id: EXAMPLE.deviceId, activeAlerts: 1, filesWithoutContact: 0 }] },
  },
};
