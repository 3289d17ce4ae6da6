import { readLatin1 } from '../../wire/latin1.ts';
import { readUtf8 } from '../../wire/utf8.ts';
import { decodePercent } from './parameters.ts';

/** No head of a part is read further. Bytes. */
const longestHead = 4096;
const longestBoundary = 200;

/** One part of a body of `multipart/form-data` (RFC 7578), and where it stands: its head, and what it holds. */
export interface Part {
  name: string;
  type: string;
  headFrom: number;
  from: number;
  to: number;
}

/**
 * Cuts a multipart body at its boundary: the one that its `Content-Type` says or, where that is not in it, the one that
 * it begins with. One that is cut off ends with its last part.
 */
export function multipartParts(body: Uint8Array, type: string): Part[] {
  const text = readLatin1(body);
  const places = delimiters(text, declaredBoundary(type));
  const found = places.length > 0 ? places : delimiters(text, firstBoundary(text));
  return found.flatMap(({ to, isLast }, index) => {
    const next = found[index + 1];
    if (isLast) return [];
    return [partIn(body, text, to, next ? beforeLineEnd(text, next.from, to) : text.length)];
  });
}

interface Delimiter {
  from: number;
  to: number;
  isLast: boolean;
}

function delimiters(text: string, boundary: string): Delimiter[] {
  const found: Delimiter[] = [];
  if (boundary === '') return found;
  const dashed = `--${boundary}`;
  for (let from = text.indexOf(dashed); from >= 0; from = text.indexOf(dashed, from + dashed.length)) {
    if (from > 0 && text[from - 1] !== '\n' && !(from === 3 && text.startsWith('\xef\xbb\xbf'))) continue;
    const behind = from + dashed.length;
    const isLast = text.startsWith('--', behind);
    const [line] = /^[ \t]{0,100}(?:\r?\n|$)/.exec(text.slice(behind, behind + 102)) ?? [];
    if (isLast || line !== undefined) found.push({ from, to: behind + (line?.length ?? 2), isLast });
  }
  return found;
}

function declaredBoundary(type: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(type.slice(0, longestHead)) ?? [];
  return quoted ?? plain ?? '';
}

function firstBoundary(text: string): string {
  const [, line = ''] = /^(?:\xef\xbb\xbf)?\s{0,100}--([^\r\n]+)\r?\n/.exec(text.slice(0, longestBoundary + 200)) ?? [];
  return line.trimEnd();
}

function partIn(body: Uint8Array, text: string, headFrom: number, to: number): Part {
  const start = text.slice(headFrom, Math.min(to, headFrom + longestHead));
  const blank = /^\r?\n|\r?\n\r?\n/.exec(start);
  const from = blank ? headFrom + blank.index + blank[0].length : blankBehind(text, headFrom, to);
  const bytes = body.subarray(headFrom, Math.min(from, headFrom + longestHead));
  const head = (readUtf8(bytes) ?? readLatin1(bytes)).replaceAll(/\r?\n[ \t]+/g, ' ');
  return { name: nameIn(head), type: /^content-type:[ \t]*(.*)$/im.exec(head)?.[1] ?? '', headFrom, from, to };
}

/** Where what stands behind a very long head begins. */
function blankBehind(text: string, from: number, to: number): number {
  if (to - from <= longestHead) return to;
  const blank = /\n\r?\n/.exec(text.slice(from, to));
  return blank ? from + blank.index + blank[0].length : to;
}

function beforeLineEnd(text: string, at: number, least: number): number {
  const end = text[at - 2] === '\r' ? at - 2 : at - 1;
  return Math.max(least, end);
}

function nameIn(head: string): string {
  const [, disposition = ''] = /^content-disposition:(.*)$/im.exec(head) ?? [];
  for (const [, name, value = ''] of disposition.matchAll(/;\s*([\w*-]+)\s*=\s*("(?:[^"\\]|\\.)*(?:"|$)|[^;\s]*)/g)) {
    if (name?.toLowerCase() !== 'name') continue;
    const inside = value.startsWith('"') ? value.slice(1).replace(/"$/, '').replaceAll(/\\(.)/g, '$1') : value;
    return decodePercent(inside);
  }
  return '';
}
