/** Returns the text on one line of a mail: each run of blanks, line breaks and control characters becomes one blank. */
export const mailLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
