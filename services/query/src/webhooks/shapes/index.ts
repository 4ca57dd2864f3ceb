/**
 * Makes the body of a message in the receiver's shape. Pure: the same notice gives the same bytes at every
 * attempt.
 */
import type { TSchema } from 'typebox';
import type { WebhookShape } from '@sentinel-node/contracts';
import type { Notice } from '../../notifications/index.ts';
import { cloudEvent, CloudEventSchema } from './cloudevents.ts';
import type { ShapeOptions } from './facts.ts';
import { OcsfSchema, ocsfEvent } from './ocsf.ts';
import { pagerDutyEvent, PagerDutySchema } from './pagerduty.ts';
import { slackMessage, SlackSchema } from './slack.ts';
import { teamsMessage, TeamsSchema } from './teams.ts';

export type { ShapeOptions } from './facts.ts';

export interface Shape {
  readonly contentType: string;
  readonly schema: TSchema;
  readonly format: (notice: Notice, options: ShapeOptions) => object;
}

const JSON_TYPE = 'application/json';

export const SHAPES: Readonly<Record<WebhookShape, Shape>> = {
  cloudevents: { contentType: 'application/cloudevents+json', schema: CloudEventSchema, format: cloudEvent },
  slack: { contentType: JSON_TYPE, schema: SlackSchema, format: slackMessage },
  teams: { contentType: JSON_TYPE, schema: TeamsSchema, format: teamsMessage },
  pagerduty: { contentType: JSON_TYPE, schema: PagerDutySchema, format: pagerDutyEvent },
  ocsf: { contentType: JSON_TYPE, schema: OcsfSchema, format: ocsfEvent },
};

/** Shapes of receivers that keep an incident, or a finding, open until a notice ends it. */
const WITH_INCIDENTS: ReadonlySet<WebhookShape> = new Set(['pagerduty', 'ocsf']);

/** Returns the notices that a receiver of this shape gets. */
export const noticesFor = (shape: WebhookShape, notices: readonly Notice[]): readonly Notice[] =>
  WITH_INCIDENTS.has(shape) ? notices : notices.filter(({ ends }) => ends !== true);
