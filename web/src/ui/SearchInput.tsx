import { Keys } from '../keys/Keys.tsx';
import { useKeys } from '../keys/use-keys.ts';
import { Icon } from './Icon.tsx';

interface SearchInputProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  placeholder?: string;
}

export function SearchInput({ value, onChange, label, placeholder = 'Search' }: SearchInputProps) {
  const keys = useKeys('search');
  return (
    <span className="search">
      <Icon name="search" size={16} />
      <input
        type="search"
        className="input"
        aria-label={label}
        aria-keyshortcuts={keys?.aria}
        title={keys?.title(label)}
        placeholder={placeholder}
        value={value}
        maxLength={200}
        onChange={(event) => onChange(event.target.value)}
      />
      {keys && value === '' && <Keys keys={keys.keys} />}
    </span>
  );
}
