import { Hash } from '../ui/Hash.tsx';
import { Icon } from '../ui/Icon.tsx';

/** The SHA-256 of the saved page, lower-case hex; empty in development, where there is no saved page. Vite inserts it. */
declare const SAVED_PAGE_SHA256: string;

export const SAVED_PAGE_PATH = '/verify.html';
export const SAVED_PAGE_NAME = 'sentinel-verify.html';

export function SavePage() {
  if (SAVED_PAGE_SHA256 === '') return <p className="muted">Only the built console has a page to save.</p>;
  return (
    <div className="stack">
      <p>
        One file with everything inside. It opens from your disk without a network, and no connection is
        allowed to it.
      </p>
      <a className="button" href={SAVED_PAGE_PATH} download={SAVED_PAGE_NAME}>
        <Icon name="download" size={17} />
        Save this page
      </a>
      <p>
        Its SHA-256: <Hash value={SAVED_PAGE_SHA256} label="SHA-256 of the saved page" full />
      </p>
      <p className="muted">
        Compute it yourself with <code>sha256sum {SAVED_PAGE_NAME}</code>, on macOS <code>shasum -a 256</code>
        , on Windows <code>certutil -hashfile {SAVED_PAGE_NAME} SHA256</code>. Compare it with the hash of the
        software’s publisher or of your own build: who could change the file could change the hash shown here
        too.
      </p>
    </div>
  );
}
