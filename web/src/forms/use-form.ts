import { keysOf } from '@sentinel-node/contracts';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { isRecord } from '../narrow.ts';
import { isLike } from '../state/kept-forms.ts';
import { useKeep, useKept } from '../state/use-kept.ts';
import { mergedValue, type ListText } from './merged-values.ts';

export type Errors<V> = Partial<Record<keyof V, string | undefined>>;

/** Names of fields for free text. */
type TextName<V> = { [K in keyof V]-?: string extends V[K] ? K : never }[keyof V];

/** Props of a text input. */
interface TextField {
  value: string;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
  onBlur: () => void;
}

export interface Form<V> {
  values: V;
  /** Errors of touched or changed fields; of all fields after submitting an invalid form. */
  errors: Errors<V>;
  valid: boolean;
  dirty: boolean;
  set: <K extends keyof V>(name: K, value: V[K]) => void;
  touch: (name: keyof V) => void;
  text: (name: TextName<V>) => TextField;
  /** Runs `send` when all values are valid; otherwise shows all errors. */
  submit: (send: (values: V) => void) => (event: React.FormEvent) => void;
  reset: (values: V) => void;
  /** The values that changes are counted from. */
  base: V;
  /** Takes the values of a newer state, apart from those that the person changed. */
  rebase: (fresh: V) => void;
}

/** Values of a form, and those that it began with. */
export interface Typed<V> {
  values: V;
  base: V;
}

/** Text fields that hold a list. */
export type ListTexts<V> = Partial<Record<keyof V, ListText>>;

/** Returns the values of a newer state with what the person changed; a list has what others changed in it too. */
export function rebased<V extends object>({ values, base }: Typed<V>, fresh: V, lists: ListTexts<V> = {}): V {
  const merged = keysOf(values).map((name) => {
    const three = { base: base[name], mine: values[name], theirs: fresh[name] };
    return [name, mergedValue(three, lists[name])] as const;
  });
  return { ...fresh, ...Object.fromEntries(merged) };
}

const keptIn = <V extends object>(found: unknown, model: V): found is Typed<V> =>
  isRecord(found) && isLike(found['values'], model) && isLike(found['base'], model);

/**
 * @param keptAs name under which unsaved values outlive the session's end; without one they are lost
 * @param lists text fields that hold a list, of a form that takes newer states
 */
export function useForm<V extends object>(
  initial: V,
  validate: (values: V) => Errors<V>,
  keptAs: string | null = null,
  lists?: ListTexts<V>,
): Form<V> {
  const kept = useKept(keptAs, (found) => (keptIn(found, initial) ? rebased(found, initial, lists) : null));
  const [values, setValues] = useState(kept ?? initial);
  const [base, setBase] = useState(initial);
  const [touched, setTouched] = useState<ReadonlySet<keyof V>>(new Set());
  const all = validate(values);
  const names = keysOf(values);
  const valid = names.every((name) => all[name] === undefined);
  const dirty = names.some((name) => values[name] !== base[name]);
  useKeep(keptAs, { values, base }, dirty);
  const errors: Errors<V> = {};
  for (const name of names) if (touched.has(name)) errors[name] = all[name];
  const touch = (name: keyof V): void => setTouched((old) => new Set(old).add(name));
  const put = (name: keyof V, value: unknown): void => {
    setValues((old) => ({ ...old, [name]: value }));
    touch(name);
  };
  return {
    values,
    errors,
    valid,
    dirty,
    set: put,
    touch,
    text: (name) => ({
      value: String(values[name]),
      error: errors[name],
      onChange: ({ target }) => put(name, target.value),
      onBlur: () => touch(name),
    }),
    submit: (send) => (event) => {
      event.preventDefault();
      const form = event.currentTarget;
      // At once, so that the errors are there to be looked for.
      flushSync(() => setTouched(new Set(names)));
      if (valid) send(values);
      else focusFirstError(form);
    },
    reset: (fresh) => {
      setValues(fresh);
      setBase(fresh);
      setTouched(new Set());
    },
    base,
    rebase: (fresh) => {
      setValues(rebased({ values, base }, fresh, lists));
      setBase(fresh);
    },
  };
}

/** Moves the focus to the first field with an error, which may be far above the button. */
export function focusFirstError(form: Element): void {
  const error = form.querySelector('[aria-invalid="true"], .field-error');
  const place = error?.matches('.field-error') === true ? error.closest('fieldset, .field') : error;
  const field = place?.matches('input, select, textarea, button')
    ? place
    : place?.querySelector('input, select, textarea, button');
  if (field instanceof HTMLElement) field.focus();
}
