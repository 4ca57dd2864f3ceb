import { useAtomValue } from 'jotai';
import { Router } from 'wouter';
import { useBrowserLocation } from 'wouter/use-browser-location';
import { ClockBanner } from './frame/ClockBanner.tsx';
import { DevelopmentBanner } from './frame/DevelopmentBanner.tsx';
import { ErrorBoundary } from './frame/ErrorBoundary.tsx';
import { Header } from './frame/Header.tsx';
import { LiveConnection } from './frame/LiveConnection.tsx';
import { Notices } from './frame/Notices.tsx';
import { PrintHead } from './frame/PrintHead.tsx';
import { ZoneFoot } from './frame/ZoneMark.tsx';
import { StaleBanner } from './components/StaleBanner.tsx';
import { Routes } from './Routes.tsx';
import { Shortcuts } from './shortcuts/Shortcuts.tsx';
import { navigate } from './state/guard.ts';
import { orgIdAtom, userAtom } from './state/session.ts';
import { zoneAtom } from './state/zone.ts';
import { useRouteFocus } from './ui/use-route-focus.ts';

/** Location hook whose `navigate` asks the guard of unsaved changes first. */
const useGuardedLocation = (): [string, typeof navigate] => {
  const [path] = useBrowserLocation();
  return [path, navigate];
};

export function App() {
  const [path] = useBrowserLocation();
  // Render the page again when the time zone changes, so that all times follow.
  useAtomValue(zoneAtom);
  useRouteFocus(path);
  const orgId = useAtomValue(orgIdAtom);
  const token = useAtomValue(userAtom)?.token ?? null;
  return (
    <Router hook={useGuardedLocation}>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <DevelopmentBanner />
      <Header />
      {orgId !== null && <StaleBanner />}
      <ClockBanner />
      <main id="main" className="page" tabIndex={-1}>
        <ErrorBoundary place={path}>
          <Routes />
        </ErrorBoundary>
      </main>
      {orgId !== null && <ZoneFoot />}
      <Notices />
      <PrintHead />
      {orgId !== null && <Shortcuts orgId={orgId} />}
      {orgId !== null && token !== null && <LiveConnection orgId={orgId} token={token} />}
    </Router>
  );
}
