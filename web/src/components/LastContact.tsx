import { Age, PhoneZone, useMoment } from './Moment.tsx';

interface LastContactProps {
  /** Null before the first contact. */
  at: string | null;
  /** Whether the device gives no signal, or contact with the file is lost. */
  silent: boolean;
}

/** Shows the last contact; of what is silent the exact time, because 'just now' would contradict the warning. */
export function LastContact({ at, silent }: LastContactProps) {
  if (at === null) return 'None yet';
  return silent ? <Since at={at} /> : <Age at={at} />;
}

function Since({ at }: { at: string }) {
  const { full, zone } = useMoment(at);
  return (
    <time dateTime={at} title={`${full} ${zone}`}>
      {full}
      <PhoneZone zone={zone} />
    </time>
  );
}
