const sizes = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in the unit that suits them, three digits or so: `512 B`, `1.2 kB`, `340 MB`. */
export function sizeText(bytes: number): string {
  let unit = 0;
  let value = bytes;
  for (; value >= 999.5 && unit < sizes.length - 1; unit++) value /= 1000;
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${sizes[unit]}`;
}

/** A length of time in at most two units: `250 ms`, `9.8 s`, `12m 05s`, `3h 20m`, `2d 04h`. */
export function lengthText(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const minutes = Math.floor(Math.round(milliseconds / 1000) / 60);
  if (minutes < 60) return `${minutes}m ${two(Math.round(milliseconds / 1000) % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

/** A moment in local time to the minute: `2026-11-30 10:48`. Nothing where it is none. */
export function momentText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

const two = (value: number): string => String(value).padStart(2, '0');
