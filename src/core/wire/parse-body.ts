import { readUtf8 } from './utf8.ts';

/** The bytes of a line read as JSON; nothing where they are not. */
export function parseBody(bytes: Uint8Array): unknown {
  const text = readUtf8(bytes);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
