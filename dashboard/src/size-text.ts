// Sizes as text.

const KIBIBYTE = 1_024;
const MEBIBYTE = 1_048_576;

/** Formats a size in KiB, or in MiB from 1 MiB on, to one decimal place. @param bytes at least 0 */
export function sizeText(bytes: number): string {
  return bytes < MEBIBYTE ? `${(bytes / KIBIBYTE).toFixed(1)} KiB` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}
