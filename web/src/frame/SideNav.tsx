import { Link, useLocation } from 'wouter';
import { isCurrent, navigation } from '../paths.ts';
import { BrandMark } from '../ui/BrandMark.tsx';
import { IconButton } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { useDialog } from '../ui/use-dialog.ts';

/** Navigation for narrow screens; choosing a link or clicking outside closes it. */
export function SideNav({ onClose }: { onClose: () => void }) {
  const [location] = useLocation();
  const { dialogProps, close } = useDialog(onClose);
  return (
    <dialog {...dialogProps} className="side-nav" aria-label="Navigation">
      <div className="side-nav-body">
        <div className="row">
          <BrandMark />
          <strong className="grow">Sentinel Node</strong>
          <IconButton icon="close" label="Close navigation" onClick={close} />
        </div>
        <nav aria-label="Side">
          {navigation.map((item) => (
            <Link
              key={item.path}
              href={item.path}
              className="side-nav-link"
              aria-current={isCurrent(item.path, location) ? 'page' : undefined}
              onClick={close}
            >
              <Icon name={item.icon} />
              {item.label}
            </Link>
          ))}
        </nav>
      </div>
    </dialog>
  );
}
