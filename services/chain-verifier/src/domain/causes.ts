import { commandCause, malformedCause, reportCause } from '@sentinel-node/contracts';
import type { Source } from './source.ts';

/**
 * Ordinals for events about the sequence itself, above those of any report: a repeated sequence already gave ids, and two such
 * events of one sequence must stay two.
 */
const SEQUENCE_FAULT_INDEX = { SEQUENCE_BACK: 0xffff_ffff, SEQUENCE_REUSED: 0xffff_fffe } as const;

export type SequenceFaultCode = keyof typeof SEQUENCE_FAULT_INDEX;

/**
 * Cause from which the id of an entry, event or alert is made. `index` counts the entries of the record, then its events;
 * an alert has the index of its BREAK. Claims and policies give each kind at most once. One commit of a device changes several
 * files under one command id, so a policy's cause names the file.
 */
export function causeOf(source: Source, index: number): Uint8Array {
  switch (source.kind) {
    case 'report':
      return reportCause(source.header.fileId, source.report.sequence, index);
    case 'claim':
      return commandCause(source.header.claimId);
    case 'policy':
      return commandCause(`${source.header.commandId}/${source.header.fileId}`);
    case 'notice':
      return malformedCause(source.header.noticeId);
  }
}

export function sequenceFaultCause(source: Source, code: SequenceFaultCode): Uint8Array {
  return causeOf(source, SEQUENCE_FAULT_INDEX[code]);
}
