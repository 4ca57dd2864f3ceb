import { Icon } from './Icon.tsx';

interface SearchInputProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  placeholder?: string;
}

export function SearchInput({ value, onChange, label, placeholder = 'Search' }: SearchInputProps) {
  return (
    <span className="search">
      <Icon name="search" size={16} />
      <input
        type="search"
        className="input"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        maxLength={200}
        onChange={(event) => onChange(event.target.value)}
      />
    </span>
  );
}
