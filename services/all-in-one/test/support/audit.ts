import type { Test } from 'tap';
import type { AuditResult } from '../../src/audit/audit.ts';
import { runChild } from './child.ts';
import { SENTINEL } from './node.ts';

type Variables = Readonly<Record<string, string>>;

export interface Audited {
  readonly code: number | null;
  readonly result: AuditResult;
  /** Reported findings, each as `check: what`. */
  readonly findings: readonly string[];
}

/** Runs `sentinel audit` on a stopped system's folder. */
export async function audit(t: Test, dataDir: string, env: Variables = {}): Promise<Audited> {
  const { code, stdout, stderr } = await runChild(t, [SENTINEL, 'audit', '--data', dataDir, '--json'], env);
  if (!stdout.startsWith('{')) throw new Error(`the audit did not work: ${code} ${stdout}${stderr}`);
  // Omit the total, whose duration differs every time.
  const { total: _total, ...result } = JSON.parse(stdout) as AuditResult & { total?: unknown };
  return { code, result, findings: result.findings.map(({ check, what }) => `${check}: ${what}`) };
}

/** Checks that the audit finds no difference. @returns its result */
export async function auditIsClean(t: Test, dataDir: string, env: Variables = {}): Promise<AuditResult> {
  const { code, result, findings } = await audit(t, dataDir, env);
  t.same(findings, [], 'the audit finds nothing');
  t.equal(code, 0);
  return result;
}
