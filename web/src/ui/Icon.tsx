import type { ReactNode } from 'react';

const drawings = {
  dashboard: <path d="M4 4h7v7H4zM13 4h7v4h-7zM13 11h7v9h-7zM4 14h7v6H4z" />,
  alert: <path d="M12 4 2.8 19.5h18.4zM12 10v4.5M12 17.2v.1" />,
  device: <path d="M4 5h16v11H4zM9 20h6M12 16v4" />,
  users: (
    <path d="M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20c.4-3.6 3-5.5 6.5-5.5s6.1 1.9 6.5 5.5M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.9c2 .7 3.2 2.4 3.5 5.1" />
  ),
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  close: <path d="m6 6 12 12M18 6 6 18" />,
  check: <path d="m5 12.5 4.5 4.5L19 7.5" />,
  checkCircle: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm-4-8.8 2.7 2.7L16 9.5" />,
  info: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-10v5M12 7.9v.1" />,
  search: <path d="M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM20 20l-4.7-4.7" />,
  copy: <path d="M9 9h11v11H9zM5 15H4V4h11v1" />,
  external: <path d="M14 4h6v6M20 4l-9 9M18 14v6H4V6h6" />,
  download: <path d="M12 4v11m-4.5-4 4.5 4.5 4.5-4.5M4 20h16" />,
  share: (
    <path d="M18 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM6 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM18 21a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8.2 10.8l7.6-4.1M8.2 13.2l7.6 4.1" />
  ),
  reset: <path d="M4 12a8 8 0 1 0 2.6-5.9M4 4v4.5h4.5" />,
  link: (
    <path d="M10 14a4 4 0 0 0 5.7 0l3.5-3.5a4 4 0 1 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.5 3.5a4 4 0 1 0 5.7 5.7l1.5-1.5" />
  ),
  broken: (
    <path d="M8.3 10 4.8 13.5a4 4 0 1 0 5.7 5.7l3-3M15.7 14l3.5-3.5a4 4 0 1 0-5.7-5.7l-3 3M4 4l16 16" />
  ),
  anchor: (
    <path d="M12 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm0 0v13m-8-8c0 5 3.5 8 8 8s8-3 8-8M4 13H2.5M20 13h1.5M8.5 11.5h7" />
  ),
  flag: <path d="M5 21V4h13l-2.5 4.5L18 13H5" />,
  plus: <path d="M12 5v14M5 12h14" />,
  minus: <path d="M5 12h14" />,
  trash: <path d="M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5.5M14 11v5.5" />,
  edit: <path d="m4 20 1-4.5L16 4.5 19.5 8 8.5 19zM13.5 7l3.5 3.5" />,
  more: <path strokeWidth={2.75} d="M12 5.5v.1M12 12v.1M12 18.5v.1" />,
  star: <path d="m12 3.5 2.6 5.4 5.9.800-4.3 4.1 1 5.9L12 16.9l-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z" />,
  file: <path d="M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6" />,
  back: <path d="M20 12H5m6-6.5L4.5 12l6.5 6.5" />,
  chevronDown: <path d="m6 9.5 6 6 6-6" />,
  chevronUp: <path d="m6 14.5 6-6 6 6" />,
  chevronLeft: <path d="m14.5 6-6 6 6 6" />,
  chevronRight: <path d="m9.5 6 6 6-6 6" />,
  calendar: <path d="M4 6h16v14H4zM4 10.5h16M8.5 3.5V8M15.5 3.5V8" />,
  logout: <path d="M14 4H5v16h9M10 12h10.5M17 8.5l3.5 3.5-3.5 3.5" />,
  bell: <path d="M6 16V10.5a6 6 0 0 1 12 0V16l1.5 2h-15zM10 20.5h4" />,
  pulse: <path d="M3 12h4.5l2.5-6.5 4 13 2.5-6.5H21" />,
  shield: <path d="M12 3.5 4.5 6.5V12c0 4.5 3 7.5 7.5 9 4.5-1.5 7.5-4.5 7.5-9V6.5zM8.5 12l2.5 2.5 4.5-4.5" />,
  unplugged: (
    <path d="M4 4l16 16M5 9.5A12 12 0 0 1 9 7.2M19 9.5a12 12 0 0 0-6-2.9M8 13a7.5 7.5 0 0 1 4-1.9M12 18.5v.1" />
  ),
  theme: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 3v18M12 7.5a4.5 4.5 0 0 1 0 9" />,
  print: <path d="M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z" />,
  clock: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5.5l3.5 2" />,
  keyboard: <path d="M3 6.5h18v11H3zM7 10v.1M11 10v.1M15 10v.1M18 10v.1M8 14h8" />,
  inbox: <path d="M4 13 6.5 5h11L20 13v6H4zM4 13h5l1 2.5h4l1-2.5h5" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof drawings;

interface IconProps {
  name: IconName;
  size?: number;
  /** A name makes the icon an image for assistive technology; without one it is decoration. */
  label?: string;
  filled?: boolean;
}

export function Icon({ name, size = 18, label, filled = false }: IconProps) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={filled ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {drawings[name]}
    </svg>
  );
}
