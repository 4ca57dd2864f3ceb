/** Returns a key that is equal for names that differ only in form (NFKC), case or white space. */
export function organizationNameKey(name: string): string {
  // Convert to upper case first, so that ß and SS, and the three sigmas, become equal.
  const folded = name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  return folded.trim().replaceAll(/\s+/g, ' ');
}

/** Returns a key for comparing e-mail addresses regardless of case. */
export const emailKey = (email: string): string => email.toLowerCase();
