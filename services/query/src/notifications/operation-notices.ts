/**
 * Makes notices for an organisation from records of the operator's services that concern its evidence.
 * Amounts, keys and addresses stay with the operator. Pure.
 */
import type { OperationRecord } from '@sentinel-node/contracts';
import { iso } from '../views/index.ts';
import { causeId } from './notice-id.ts';
import type { Notice, NoticeType, Severity } from './notice.ts';

interface NoticeDraft {
  readonly type: NoticeType;
  readonly severity: Severity;
  readonly text: string;
}

/** Returns undefined when the record is for no organisation. */
export function operationNotice(record: OperationRecord, orgId: string): Notice | undefined {
  const told = describe(record);
  if (told === undefined) return undefined;
  const { at, kind, rev } = record;
  return {
    id: causeId(at, told.type, kind, String(rev), orgId),
    orgId,
    at: iso(at),
    orderKey: orgId,
    ...told,
  };
}

function describe({ kind, state, why, batch }: OperationRecord): NoticeDraft | undefined {
  const isWrong = state === 'wrong';
  switch (kind) {
    case 'anchoring':
      return isWrong
        ? {
            type: 'anchoring.stopped',
            severity: 'critical',
            text: `Anchoring stopped: ${why}. Reports are still taken, judged and kept.`,
          }
        : { type: 'anchoring.resumed', severity: 'info', text: 'Anchoring goes on.' };
    case 'funds':
      return isWrong
        ? { type: 'funds.low', severity: 'warning', text: `Funds for anchoring are low: ${why}.` }
        : { type: 'funds.restored', severity: 'info', text: 'There are funds for anchoring again.' };
    case 'evidence': {
      const where = batch === null ? '' : ` (batch ${batch})`;
      return isWrong
        ? { type: 'evidence.failed', severity: 'critical', text: `Evidence failed: ${why}${where}.` }
        : undefined;
    }
  }
}
