/** A choice of dates as URL parameters. */
import { DATE_OPTIONS, isMoment, type DateChoice } from '../date-range.ts';
import type { UrlChange } from './url.ts';

export function dateOf(params: URLSearchParams): DateChoice {
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? ''];
  if (params.get('date') === 'CUSTOM' && isMoment(from) && isMoment(to))
    return { option: 'CUSTOM', from, to };
  const known = DATE_OPTIONS.find(({ value }) => value === params.get('date'));
  return { option: known?.value ?? 'ALL' };
}

export function dateParams(choice: DateChoice): UrlChange {
  if (choice.option === 'CUSTOM') return { date: 'CUSTOM', from: choice.from, to: choice.to };
  return { date: choice.option === 'ALL' ? null : choice.option, from: null, to: null };
}
