import { visible } from '@sentinel-node/contracts';

/** Returns the text on one line of a mail, `visible`: each run of blanks, line breaks and control characters becomes one blank. */
export const mailLine = (text: string): string => visible(text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim());
