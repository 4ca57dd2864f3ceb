import type { Dashboard } from '../answers.ts';
import { plural } from '../format.ts';

/** Returns the number of files that are not judged: `2 files`, or `At least 2 files` when there can be more. */
export function filesNotJudged({ files, atLeast }: NonNullable<Dashboard['notJudged']>): string {
  if (!atLeast) return plural(files, 'file');
  return files === 0 ? 'Some files' : `At least ${plural(files, 'file')}`;
}

/** Says how many files have reports that are not judged: health is of the rest. Nothing when there are none. */
export function NotJudged({ notJudged }: { notJudged: Dashboard['notJudged'] }) {
  if (notJudged === undefined) return null;
  const { files, atLeast } = notJudged;
  const isOne = files === 1 && !atLeast;
  const verb = files === 0 ? 'may not be' : isOne ? 'is not' : 'are not';
  return (
    <span>
      {filesNotJudged(notJudged)} {verb} judged, so an alert could be among {isOne ? 'its' : 'their'} reports
    </span>
  );
}
