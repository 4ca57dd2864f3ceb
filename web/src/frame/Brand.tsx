import { Link } from 'wouter';
import { paths } from '../paths.ts';
import { BrandMark } from '../ui/BrandMark.tsx';

export function Brand() {
  return (
    <Link href={paths.home} className="brand">
      <BrandMark />
      <span>Sentinel Node</span>
    </Link>
  );
}
