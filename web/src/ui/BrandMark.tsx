export function BrandMark({ size = 28 }: { size?: number }) {
  return (
    <svg className="brand-mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <g fill="none" strokeWidth="2.6" strokeLinecap="round">
        <rect x="11.5" y="5.5" width="9" height="12" rx="4.5" />
        <rect x="11.5" y="14.5" width="9" height="12" rx="4.5" />
      </g>
    </svg>
  );
}
