import { useAtom, useAtomValue } from 'jotai';
import { shownKeys } from '../keys/keys.ts';
import { singleKeysAtom } from '../keys/single-keys.ts';
import { shortcutGroups, type Shortcut } from '../keys/table.ts';
import { isMac } from '../keys/use-keys.ts';
import { isAdminAtom } from '../state/session.ts';
import { Modal } from '../ui/Modal.tsx';
import { Toggle } from '../ui/Toggle.tsx';

/** Lists all shortcuts from `table.ts`. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const [singleKeys, setSingleKeys] = useAtom(singleKeysAtom);
  const isAdmin = useAtomValue(isAdminAtom);
  const isOn = singleKeys === 'on';
  return (
    <Modal title="Keyboard shortcuts" onClose={onClose} wide>
      <div className="single-keys">
        <div className="grow">
          <strong>Single-key shortcuts</strong>
          <p className="muted">Switch them off when you dictate, or press keys by chance.</p>
        </div>
        <Toggle
          label="Single-key shortcuts"
          checked={isOn}
          words={{ on: 'On', off: 'Off' }}
          onChange={(on) => setSingleKeys(on ? 'on' : 'off')}
        />
      </div>
      <div className="shortcut-groups">
        {shortcutGroups.map(({ title, shortcuts }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl className="shortcut-list">
              {shortcuts
                .filter((shortcut: Shortcut) => isAdmin || shortcut.admin !== true)
                .map((shortcut) => (
                  <Line key={shortcut.id} shortcut={shortcut} />
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}

function Line({ shortcut }: { shortcut: Shortcut }) {
  return (
    <div>
      <dt>{shortcut.text}</dt>
      <dd className="keys">
        {shownKeys(shortcut, isMac).map((key, index) => (
          <kbd key={index}>{key}</kbd>
        ))}
      </dd>
    </div>
  );
}
