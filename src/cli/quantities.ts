import { WireproofError } from '../core/wireproof-error.ts';

const milliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const bytes: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
};

const durationShape = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)?$/;

/** Milliseconds. A bare number is milliseconds too. */
export function readDuration(text: string, option: string): number {
  const parts = durationShape.exec(text);
  if (parts) return inMilliseconds(parts);
  throw new WireproofError(
    'bad-usage',
    `${option} "${text}" is no time. Write for example 500ms, 30s, 5m or 2h; a bare number is milliseconds.`,
  );
}

/** Milliseconds. A bare number is refused: where ages are meant, somebody who writes 30 means days. */
export function readAge(text: string, option: string): number {
  const parts = durationShape.exec(text);
  if (parts?.[2] !== undefined) return inMilliseconds(parts);
  const what = parts ? `${text} what? A unit is missing` : `"${text}" is no time`;
  throw new WireproofError('bad-usage', `${option} ${what}. Write for example 12h, 30d or 4w.`);
}

const inMilliseconds = ([, count, unit = 'ms']: RegExpExecArray): number =>
  Math.round(Number(count) * (milliseconds[unit] as number));

/** Bytes; not 0, which says in some tools that there is no limit and in others that nothing is kept. */
export function readSize(text: string, option: string): number {
  const parts = /^(\d+(?:\.\d+)?)\s*([a-z]+)?$/i.exec(text);
  const unit = bytes[(parts?.[2] ?? 'B').toUpperCase()];
  if (!parts || unit === undefined) {
    throw new WireproofError('bad-usage', `${option} "${text}" is no size. Write for example 500MB, 2GB or 1GiB.`);
  }
  const size = Math.round(Number(parts[1]) * unit);
  if (size === 0)
    throw new WireproofError(
      'bad-usage',
      `${option} "${text}" leaves no room for anything. Write for example 500MB, 2GB or 1GiB.`,
    );
  return size;
}
