import { useAtomValue } from 'jotai';
import { configAtom } from '../state/config.ts';
import { walletLoginUrl } from './wallet.ts';
import { Button } from '../ui/Button.tsx';

export function WalletButton() {
  const config = useAtomValue(configAtom);
  return (
    <Button
      tone="primary"
      disabled={config === null}
      onClick={() => config !== null && location.assign(walletLoginUrl(config, location.search))}
    >
      Log in with e2wallet
    </Button>
  );
}
