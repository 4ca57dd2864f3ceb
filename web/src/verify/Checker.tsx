import { VerifyInputError, visible } from '@sentinel-node/contracts';
import { useEffect, useId, useRef, useState } from 'react';
import '../styles/verify.css';
import { bytes, exactDuration, isTypedSeconds } from '../format.ts';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { TextInput } from '../ui/Field.tsx';
import { Icon } from '../ui/Icon.tsx';
import { FIELD_TEXTS } from './field-texts.ts';
import { FileField } from './FileField.tsx';
import { NO_INPUTS, withFiles, withoutFile, type CheckInputs, type FileKind } from './inputs.ts';
import type { Progress } from './read-inputs.ts';
import { recogniseFile } from './recognise.ts';
import { useSpendPart, type PartState } from './spend-part.ts';
import { useCheck, type CheckState } from './use-check.ts';
import { VerdictView } from './VerdictView.tsx';

type Change = (next: (inputs: CheckInputs) => CheckInputs) => void;

/** Checks proofs in this browser. @param proof a proof that the page already has; a newer one takes its place */
export function Checker({ proof }: { proof?: File }) {
  const first = proof === undefined ? NO_INPUTS : withFiles(NO_INPUTS, 'proofs', [proof]);
  const { inputs, change, state, start, stop } = useCheck(first);
  const part = useSpendPart();
  const given = useRef(proof);
  useEffect(() => {
    const before = given.current;
    if (before === proof) return;
    given.current = proof;
    change((old) => {
      const others = before === undefined ? old : withoutFile(old, 'proofs', before);
      return proof === undefined ? others : withFiles(others, 'proofs', [proof]);
    });
  }, [proof, change]);
  return (
    <form
      className="checker"
      noValidate
      aria-label="Check a proof"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <DropArea change={change} />
      <div className="checker-cards">
        <Card title="What is checked">
          <Fields kinds={['proofs', 'trust', 'receipt']} inputs={inputs} change={change} />
        </Card>
        <Card title="What shows block and log">
          <Fields kinds={['headers', 'seals', 'checkpoint']} inputs={inputs} change={change} />
        </Card>
        <Card title="The file itself">
          <Fields kinds={['watched']} inputs={inputs} change={change} />
        </Card>
      </div>
      <MoreInputs inputs={inputs} change={change} />
      <div className="checker-foot">
        <Button type="submit" tone="primary" icon="shield" busy={state.status === 'running'}>
          Check
        </Button>
        {state.status === 'running' && <Button onClick={stop}>Stop</Button>}
        <PartNote state={part} />
      </div>
      <Outcome state={state} />
    </form>
  );
}

interface InputsProps {
  inputs: CheckInputs;
  change: Change;
}

function Fields({ kinds, inputs, change }: InputsProps & { kinds: readonly FileKind[] }) {
  return kinds.map((kind) => (
    <FileField
      key={kind}
      kind={kind}
      files={inputs.files[kind]}
      required={isRequired(kind, inputs)}
      onAdd={(to, files) => change((old) => withFiles(old, to, files))}
      onRemove={(from, file) => change((old) => withoutFile(old, from, file))}
    />
  ));
}

/** Returns whether a kind of file is required; with a receipt, a proof is not. */
const isRequired = (kind: FileKind, { files }: CheckInputs): boolean =>
  kind === 'trust' || (kind === 'proofs' && files.receipt.length === 0);

/** Takes several files and sorts each by its kind. */
function DropArea({ change }: { change: Change }) {
  const id = useId();
  const [over, setOver] = useState(false);
  const [said, setSaid] = useState<readonly string[]>([]);
  const sort = async (files: readonly File[]): Promise<void> => {
    const words: string[] = [];
    const sorted = new Map<FileKind, File[]>();
    for (const file of files) {
      try {
        const kind = await recogniseFile(file);
        if (kind !== undefined) sorted.set(kind, [...(sorted.get(kind) ?? []), file]);
        words.push(
          kind === undefined
            ? `${file.name} is none of the files that this page knows. If it is the watched file, choose it below.`
            : `${file.name}: ${FIELD_TEXTS[kind].label}`,
        );
      } catch (error) {
        words.push(error instanceof VerifyInputError ? error.message : `${file.name} cannot be read.`);
      }
    }
    for (const [kind, own] of sorted) change((old) => withFiles(old, kind, own));
    setSaid(words.map(visible));
  };
  return (
    <div
      className="drop-area"
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void sort([...event.dataTransfer.files]);
      }}
    >
      <Icon name="inbox" size={22} />
      <p id={id}>
        <strong>Drop files here, all at once</strong>
        <span className="muted"> – each goes where it belongs. They stay in this browser.</span>
      </p>
      <label className="button file-choose">
        <input
          type="file"
          multiple
          className="visually-hidden"
          aria-label="Choose files of any kind"
          aria-describedby={id}
          onChange={({ currentTarget }) => {
            void sort([...(currentTarget.files ?? [])]);
            currentTarget.value = '';
          }}
        />
        Choose files
      </label>
      <div className="sorted-files" role="status" aria-label="Sorted files">
        {said.length > 0 && (
          <ul>
            {said.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

const waitWord = (seconds: string): string =>
  isTypedSeconds(seconds) ? `: now ${exactDuration(Number(seconds))}` : '';

/** Shows inputs that few checks need. */
function MoreInputs({ inputs, change }: InputsProps) {
  return (
    <details className="disclosure card">
      <summary>
        More: known block, network, consistency proof, policy of witnesses, report of a receipt, interval
      </summary>
      <div className="checker-cards">
        <div className="stack">
          <TextInput
            label="Known block"
            optional
            mono
            value={inputs.knownBlock}
            placeholder="HEIGHT:HASH:BITS"
            hint="The block that the headers follow, or begin with (then without BITS). Without one: block 800000 of main, which this page knows."
            onChange={({ target }) => change((old) => ({ ...old, knownBlock: target.value.trim() }))}
          />
          <TextInput
            label="Network"
            optional
            mono
            value={inputs.network}
            hint="Which the trust file has to be of. One that this page knows no rules of (not main or test) counts as not public unless you name it here: name none that you have from the trust file alone."
            onChange={({ target }) => change((old) => ({ ...old, network: target.value.trim() }))}
          />
          <TextInput
            label="Interval of the category, in seconds"
            inputMode="numeric"
            value={inputs.intervalSeconds}
            hint={`How long an entry of its category may wait for a transaction${waitWord(inputs.intervalSeconds)}. 3600 is that of STANDARD.`}
            onChange={({ target }) => change((old) => ({ ...old, intervalSeconds: target.value.trim() }))}
          />
        </div>
        <Fields kinds={['consistency', 'policy', 'report']} inputs={inputs} change={change} />
      </div>
    </details>
  );
}

const PART_NOTES: Readonly<Record<PartState, string>> = {
  loading: 'The part for seals is still loading …',
  ready: 'Everything is loaded: checking makes no request, and works without a network.',
  failed: 'The part for seals could not be loaded: without it seals cannot be checked. Reload to try again.',
};

function PartNote({ state }: { state: PartState }) {
  return (
    <p className="muted" role="status" data-part={state}>
      {PART_NOTES[state]}
    </p>
  );
}

/** The live region exists before the verdict, so that screen readers announce the verdict. */
function Outcome({ state }: { state: CheckState }) {
  const ref = useRef<HTMLElement>(null);
  const isTold = state.status === 'done' || state.status === 'refused';
  useEffect(() => {
    if (isTold) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isTold]);
  return (
    <>
      {state.status === 'running' && <ProgressView state={state} />}
      <section ref={ref} className="checker-outcome" aria-live="polite" aria-label="Verdict">
        {state.status === 'none' && (
          <p className="muted">No verdict yet: nothing was checked with the files above.</p>
        )}
        {state.status === 'running' && <p className="visually-hidden">Checking</p>}
        {state.status === 'refused' && (
          <div className="verdict tone-danger" data-end="REFUSED">
            <Icon name="alert" size={28} />
            <div>
              <h2>NOT CHECKED</h2>
              <p>{state.message}</p>
            </div>
          </div>
        )}
        {state.status === 'done' && (
          <div className="card">
            <VerdictView report={state.report} />
          </div>
        )}
      </section>
    </>
  );
}

function ProgressView({ state: { progress } }: { state: Extract<CheckState, { status: 'running' }> }) {
  const label = progress === null ? 'Checking' : progress.what;
  return (
    <div className="check-progress">
      <progress aria-label={label} max={progress?.total ?? 1} value={progress?.done} />
      <p className="muted num">
        {label}
        {progress !== null && `: ${amounts(progress)}`}
      </p>
    </div>
  );
}

const amounts = ({ done, total, unit }: Progress): string =>
  unit === 'bytes' ? `${bytes(done)} of ${bytes(total)}` : `${done} of ${total}`;
