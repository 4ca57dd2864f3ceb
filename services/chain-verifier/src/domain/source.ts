import type {
  Archive,
  Attributes,
  Change,
  ClaimRecord,
  NoticeRecord,
  PolicyRecord,
  ReportHeader,
  Version,
} from '@sentinel-node/contracts';

/** The judged fields of a report; the others are only kept in `text`. */
export interface JudgedReport {
  readonly sequence: number;
  /** ISO 8601, UTC, milliseconds: texts compare as times do. */
  readonly timestamp: string;
  readonly change: Change;
  readonly versions: readonly Version[];
  readonly archives?: readonly Archive[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly attributes?: Attributes;
  readonly configVersion?: number;
}

export interface ReportSource {
  readonly kind: 'report';
  readonly header: ReportHeader;
  readonly report: JudgedReport;
  /** As received. */
  readonly text: string;
  /** SHA-256, hex, of the bytes as received. */
  readonly reportHash: string;
}
export interface ClaimSource {
  readonly kind: 'claim';
  readonly header: ClaimRecord;
}
export interface PolicySource {
  readonly kind: 'policy';
  readonly header: PolicyRecord;
}
export interface NoticeSource {
  readonly kind: 'notice';
  readonly header: NoticeRecord;
}

/** A record of file-events, parsed and checked. */
export type Source = ReportSource | ClaimSource | PolicySource | NoticeSource;
