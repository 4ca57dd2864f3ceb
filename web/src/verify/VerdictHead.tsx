import { Icon } from '../ui/Icon.tsx';
import { sentence, type VerdictTone } from './verdict-words.ts';

const TONE_ICONS = { success: 'checkCircle', warning: 'alert', danger: 'broken' } as const;

interface VerdictHeadProps {
  end: string;
  tone: VerdictTone;
  title: string;
  text: string;
  /** Next step for the person. */
  next: string;
}

export function VerdictHead({ end, next, text, title, tone }: VerdictHeadProps) {
  return (
    <div className={`verdict tone-${tone}`} data-end={end} data-tone={tone}>
      <Icon name={TONE_ICONS[tone]} size={28} />
      <div>
        <h2>{title}</h2>
        <p>{sentence(text)}</p>
        <p className="verdict-next">{next}</p>
      </div>
    </div>
  );
}
