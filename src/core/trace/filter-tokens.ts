import { WireproofError } from '../wireproof-error.ts';

const names = ['tool', 'method', 'id', 'from', 'kind', 'status', 's', 'c', 'path', 'http'] as const;

/** One word of a filter: `name:value`, or plain text. */
export interface FilterToken {
  name: (typeof names)[number] | undefined;
  value: string;
  /** The value stood in quotes. */
  isQuoted: boolean;
}

/**
 * The words of a filter: separated by spaces, which `"` keeps together (`\"` and `\\` inside). What stands in
 * quotes as a whole is plain text.
 *
 * @throws WireproofError `bad-usage`
 */
export function readTokens(words: string): FilterToken[] {
  const tokens: FilterToken[] = [];
  let at = 0;
  while (at < words.length) {
    if (/\s/.test(words[at] as string)) {
      at++;
      continue;
    }
    const { token, to } = readToken(words, at);
    tokens.push(token);
    at = to;
  }
  return tokens;
}

function readToken(words: string, from: number): { token: FilterToken; to: number } {
  const prefix = /^([a-z]+):(?!\/\/)/i.exec(words.slice(from, from + 32))?.[1];
  const name = names.find((known) => known === prefix && mayBe(known, words.slice(from + known.length + 1)));
  if (prefix !== undefined && name === undefined) refuseMisspelt(prefix);
  const start = name === undefined ? from : from + name.length + 1;
  const { value, to, isQuoted } = readValue(words, start);
  if (name !== undefined && value === '' && !isQuoted) {
    throw new WireproofError('bad-usage', `${name}: wants a value right behind the colon, such as ${examples[name]}.`);
  }
  return { token: { name, value, isQuoted }, to };
}

/** `c:` is also the beginning of a path. */
const mayBe = (name: (typeof names)[number], value: string): boolean =>
  (name !== 's' && name !== 'c') || /^(?:\d+)?(?:\s|$)/.test(value);

const examples: Readonly<Record<(typeof names)[number], string>> = {
  tool: 'tool:add or tool:"get sum"',
  method: 'method:tools/call or method:resources/*',
  id: 'id:7 or id:"7"',
  from: 'from:client or from:server',
  kind: 'kind:req, kind:resp, kind:notify, kind:stderr, kind:stray or kind:http',
  status: 'status:ok, status:error, status:pending, status:cancelled or status:late',
  s: 's:3',
  c: 'c:2',
  path: 'path:/mcp or path:/.well-known/*',
  http: 'http:404, http:4xx or http:GET',
};

function readValue(words: string, from: number): { value: string; to: number; isQuoted: boolean } {
  if (words[from] !== '"') {
    const [value] = /^\S*/.exec(words.slice(from)) as unknown as [string];
    return { value, to: from + value.length, isQuoted: false };
  }
  let value = '';
  for (let at = from + 1; at < words.length; at++) {
    const letter = words[at] as string;
    if (letter === '"') return { value, to: at + 1, isQuoted: true };
    value += letter === '\\' && at + 1 < words.length ? words[++at] : letter;
  }
  throw new WireproofError('bad-usage', `The filter has a quote without its end: ${words.slice(from)}`);
}

/** A word before a colon that is nearly one of ours is taken for it, so that a slip is not looked for as text. */
function refuseMisspelt(prefix: string): void {
  const near = names.find((name) => name.length > 1 && isNear(prefix.toLowerCase(), name));
  if (near === undefined) return;
  throw new WireproofError(
    'bad-usage',
    `"${prefix}:" is no filter; did you mean "${near}:"? There are ${names.map((name) => `${name}:`).join(' ')}. ` +
      `To look for it as text, put it in quotes: "\\"${prefix}:…\\"".`,
  );
}

/** One letter wrong, missing, too many, or two changed places; in a short word none. */
function isNear(word: string, name: string): boolean {
  if (word === name) return true;
  if (name.length < 4 || Math.abs(word.length - name.length) > 1) return false;
  let start = 0;
  while (start < name.length && word[start] === name[start]) start++;
  const rest = (text: string, from: number): string => text.slice(from);
  return (
    rest(word, start + 1) === rest(name, start + 1) ||
    rest(word, start) === rest(name, start + 1) ||
    rest(word, start + 1) === rest(name, start) ||
    (word[start] === name[start + 1] &&
      word[start + 1] === name[start] &&
      rest(word, start + 2) === rest(name, start + 2))
  );
}
