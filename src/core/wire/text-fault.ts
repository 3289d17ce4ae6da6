/** What is wrong with a text, and where: lines and columns are counted from 1, columns in characters. */
export interface TextFault {
  what: string;
  line: number;
  column: number;
}

/** Ends the reading of a text from deep inside; a reader turns it into what it hands back. */
export class Unreadable extends Error {
  readonly at: number;

  constructor(what: string, at: number) {
    super(what);
    this.at = at;
  }
}

/** Reads a text as a whole, or tells why that cannot be. */
export function readWhole(text: string, read: () => unknown): { value: unknown } | { fault: TextFault } {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { fault: { what: error.message, ...placeOf(text, error.at) } };
  }
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split(/\r\n|\n|\r/);
  return { line: lines.length, column: Array.from(lines.at(-1) as string).length + 1 };
}

/** Sets a member as it is named, `__proto__` too. */
export function setMember(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}
