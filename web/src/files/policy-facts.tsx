import type { File } from '../answers.ts';
import { capitalised } from '../format.ts';
import type { Description } from '../ui/DescriptionList.tsx';
import { frequencyWord } from './frequency-word.ts';

/** Returns whether attributes are watched: an older agent does not report them even when the setting is on. */
function watchWord({ attributesTold, watchAttributes }: File): string {
  if (watchAttributes !== true) return 'Not watched';
  return attributesTold === true
    ? 'Watched, any change raises an alert'
    : 'To be watched; the agent has told none yet';
}

/** Returns the settings by which a file is judged. */
export function policyFacts(file: File): Description[] {
  const pattern = <span className="mono break">{file.rolledFilenameRegexp}</span>;
  return [
    ['Path', <span className="mono break">{file.path}</span>],
    ['Description', file.description],
    ['Type', capitalised(file.type)],
    ['Monitoring', frequencyWord(file)],
    ['Editable', file.modifiable ? 'Yes' : 'No, any change raises an alert'],
    ...(file.modifiable ? [] : [['Permissions and owner', watchWord(file)] satisfies Description]),
    ...(file.labels === undefined ? [] : [['Labels', file.labels.join(', ')] satisfies Description]),
    ['Rolled', file.rolled ? pattern : 'No'],
  ];
}
