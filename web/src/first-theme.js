// Read before the page is painted, so that it does not begin in another theme than the one that was chosen. A file of its
// own, because the content security policy allows no script inside the page. state/theme.ts writes what stands there.
try {
  const theme = globalThis.localStorage.getItem('sentinel.theme');
  if (theme === 'light' || theme === 'dark') globalThis.document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the system's theme.
}
