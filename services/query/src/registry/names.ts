/** Two names of organisations are the same when they differ only in form (NFKC), case or blanks. */
export function organizationNameKey(name: string): string {
  // Upper case first, so that ß and SS, or the three sigmas, fold to one.
  const folded = name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  return folded.trim().replaceAll(/\s+/g, ' ');
}

/** E-mails are compared after lower-casing. */
export const emailKey = (email: string): string => email.toLowerCase();
