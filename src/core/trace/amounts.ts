/** `1 tool`, `2 tools`, `1,024 bytes`. */
export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${grouped(count)} ${count === 1 ? thing : things}`;

/** A whole number with a comma between its thousands. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `512 bytes`, `2.5 MB`: in steps of a thousand. */
export function byteCount(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  let size = bytes;
  let unit = 0;
  for (; size >= 999.95 && unit < units.length - 1; unit++) size /= 1000;
  return `${size.toFixed(1)} ${units[unit]}`;
}
