import { isObject } from '../protocol/message.ts';

/** The names that a JSON pointer (RFC 6901) is made of, or nothing where it is none. `''` is the whole document. */
export function pointerNames(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A JSON pointer to a member of what another one points to. */
export const memberPointer = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** What stands at a place of a JSON document; nothing where there is no such place. Only own members count. */
export function valueAt(root: unknown, names: readonly string[]): unknown {
  let value = root;
  for (const name of names) {
    if (!(isObject(value) || Array.isArray(value)) || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The pointer in the fragment of a reference such as `#/$defs/a%20b`; nothing where it is none. */
export function fragmentPointer(fragment: string): string | undefined {
  if (fragment !== '' && !fragment.startsWith('/')) return undefined;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
