import { useAtomValue } from 'jotai';
import { Fragment, Suspense, useEffect, useLayoutEffect, type ComponentType, type ReactNode } from 'react';
import { Redirect, Route, Switch, useLocation, useParams } from 'wouter';
import { AlertsPage } from './alerts/AlertsPage.tsx';
import { AuthenticationPage } from './signin/AuthenticationPage.tsx';
import { ConfirmUserPage } from './people/ConfirmUserPage.tsx';
import { DashboardPage } from './dashboard/DashboardPage.tsx';
import { DevicePage } from './devices/DevicePage.tsx';
import { DevicesPage } from './devices/DevicesPage.tsx';
import { LoginErrorPage } from './signin/LoginErrorPage.tsx';
import { LoginInfoPage } from './signin/LoginInfoPage.tsx';
import { LoginPage } from './signin/LoginPage.tsx';
import { NotFoundPage } from './frame/NotFoundPage.tsx';
import type * as seldomPages from './seldom.ts';
import { paths } from './paths.ts';
import { clearReturnPath, saveReturnPath, readReturnPath } from './state/return-place.ts';
import { sessionAtom, userAtom } from './state/session.ts';
import { lazyPart } from './ui/lazy-part.ts';
import { Skeleton } from './ui/States.tsx';

// The public pages with the checker: members do not need them.
const SharedAlertPage = lazyPart(
  () => import('./alerts/SharedAlertPage.tsx'),
  (module) => module.SharedAlertPage,
);
const VerifyPage = lazyPart(
  () => import('./verify/VerifyPage.tsx'),
  (module) => module.VerifyPage,
);
// The charts of the file page need a library as large as the rest of the console.
const FilePage = lazyPart(
  () => import('./files/FilePage.tsx'),
  (module) => module.FilePage,
);
/** A rarely opened page; these share one chunk. */
const later = <P,>(pick: (pages: typeof seldomPages) => ComponentType<P>) =>
  lazyPart(() => import('./seldom.ts'), pick);

const strangers: [string, ComponentType][] = [
  [paths.sharedAlert, SharedAlertPage],
  [paths.verify, VerifyPage],
];

const loggedOut: [string, ComponentType][] = [
  [paths.login, LoginPage],
  [paths.loginError, LoginErrorPage],
  [paths.authentication, AuthenticationPage],
];
const withoutOrganization: [string, ComponentType][] = [
  [paths.loginInfo, LoginInfoPage],
  [paths.defineOrganization, later((pages) => pages.DefineOrganizationPage)],
  [paths.organizationSuccess, later((pages) => pages.OrganizationSuccessPage)],
  [paths.organizationError, later((pages) => pages.OrganizationErrorPage)],
];
const withOrganization: [string, ComponentType<{ orgId: string }>][] = [
  [paths.dashboard, DashboardPage],
  [paths.alerts, AlertsPage],
  [paths.devices, DevicesPage],
  [paths.devicesItem, DevicePage],
  [paths.devicePattern, DevicePage],
  [paths.addDevice, later((pages) => pages.AddDevicePage)],
  [paths.editDevicePattern, later((pages) => pages.EditDevicePage)],
  [paths.filePagePattern, FilePage],
  [paths.addFilesPattern, later((pages) => pages.FilesPage)],
  [paths.editFilePattern, later((pages) => pages.FilesPage)],
  [paths.enrolments, later((pages) => pages.EnrolmentsPage)],
  [paths.defineEnrolment, later((pages) => pages.DefineEnrolmentPage)],
  [paths.serviceTokens, later((pages) => pages.ServiceTokensPage)],
  [paths.defineServiceToken, later((pages) => pages.DefineServiceTokenPage)],
  [paths.webhooks, later((pages) => pages.WebhooksPage)],
  [paths.webhookPattern, later((pages) => pages.WebhookPage)],
  [paths.defineWebhook, later((pages) => pages.DefineWebhookPage)],
  [paths.notifications, later((pages) => pages.NotificationsPage)],
  [paths.defineNotificationRule, later((pages) => pages.NotificationRulePage)],
  [paths.editNotificationRulePattern, later((pages) => pages.NotificationRulePage)],
  [paths.maintenance, later((pages) => pages.MaintenancePage)],
  [paths.maintenancePattern, later((pages) => pages.MaintenanceWindowPage)],
  [paths.defineMaintenance, later((pages) => pages.DefineMaintenancePage)],
  [paths.expected, later((pages) => pages.ExpectedPage)],
  [paths.expectedPattern, later((pages) => pages.ExpectedListPage)],
  [paths.defineExpected, later((pages) => pages.DefineExpectedPage)],
  [paths.users, later((pages) => pages.UsersPage)],
  [paths.defineUser, later((pages) => pages.DefineUserPage)],
];

/** Routes the pages by session; redirects everybody else to their start page. */
export function Routes() {
  const user = useAtomValue(userAtom);
  const orgId = user?.orgId ?? null;
  const home = user === null ? paths.login : orgId === null ? paths.loginInfo : paths.dashboard;
  useScrollToTop();
  usePlaceDropped(orgId !== null);
  return (
    <Switch>
      <Route path={paths.home}>
        <Redirect to={paths.login} replace />
      </Route>
      <Route path={paths.confirmUser}>
        <OfAddress>
          <ConfirmUserPage />
        </OfAddress>
      </Route>
      {strangers.map(([path, Page]) => (
        <Route key={path} path={path}>
          <Suspense fallback={<Skeleton lines={8} label="Loading the page" />}>
            <OfAddress>
              <Page />
            </OfAddress>
          </Suspense>
        </Route>
      ))}
      {loggedOut.map(([path, Page]) => (
        <Route key={path} path={path}>
          {user === null ? (
            <Page />
          ) : (
            <Redirect to={orgId === null ? home : (readReturnPath(user.email) ?? home)} replace />
          )}
        </Route>
      ))}
      {withoutOrganization.map(([path, Page]) => (
        <Route key={path} path={path}>
          {user !== null && orgId === null ? <Page /> : <Redirect to={home} replace />}
        </Route>
      ))}
      {withOrganization.map(([path, Page]) => (
        <Route key={path} path={path}>
          {orgId === null ? (
            <Away to={home} />
          ) : (
            <Suspense fallback={<Skeleton lines={8} label="Loading the page" />}>
              <OfAddress>
                <Page orgId={orgId} />
              </OfAddress>
            </Suspense>
          )}
        </Route>
      ))}
      <Route component={NotFoundPage} />
    </Switch>
  );
}

/** A page, made anew for another object: nothing of one, such as a secret that is shown, may stand on the page of another. */
function OfAddress({ children }: { children: ReactNode }) {
  const params = useParams();
  return <Fragment key={Object.values(params).join('/')}>{children}</Fragment>;
}

/** Scrolls a new page to its top; the browser restores the position after Back. */
function useScrollToTop(): void {
  const [location] = useLocation();
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [location]);
}

/** Redirects to sign-in or to the page for people without an organisation; keeps the address for the return. */
function Away({ to }: { to: string }) {
  return (
    <>
      <PlaceKept />
      <Redirect to={to} replace />
    </>
  );
}

/** Saves the address; rendered before the redirect, which changes the address. */
function PlaceKept() {
  const session = useAtomValue(sessionAtom);
  useLayoutEffect(() => {
    if (session.status !== 'out') return;
    if (session.deliberate) clearReturnPath();
    else saveReturnPath(session.person);
  }, [session]);
  return null;
}

/** Drops the saved address once a page of the person's organisation is open. */
function usePlaceDropped(isMember: boolean): void {
  const [location] = useLocation();
  const isArrived = isMember && !loggedOut.some(([path]) => path === location);
  useEffect(() => {
    if (isArrived) clearReturnPath();
  }, [isArrived]);
}
