import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';

const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: 26 letters and digits that sort by time, to the millisecond, and are never given twice. */
export function newTraceId(milliseconds: number): string {
  let time = '';
  for (let rest = Math.floor(milliseconds), at = 0; at < 10; at++, rest = Math.floor(rest / 32)) {
    time = `${letters[rest % 32]}${time}`;
  }
  return time + Array.from(randomBytes(16), (byte) => letters[byte % 32]).join('');
}

export const isTraceId = (text: string): boolean => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);

/** The id in the name of a file that is named as the store names them: such a file has that id. */
export function idInName(path: string | undefined): string | undefined {
  const name = path === undefined ? '' : basename(path, '.jsonl');
  return isTraceId(name) ? name : undefined;
}
