/** Returns whether only this machine reaches `host` (RFC 1122 3.2.1.3, RFC 4291 2.5.3). */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}
