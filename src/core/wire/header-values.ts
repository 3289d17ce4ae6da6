import { bare, formText, quotedString, readSpelled, type Spelled } from './origin-spelling.ts';

/**
 * Where the values of `resource_metadata` stand in a `WWW-Authenticate` line (RFC 9728, section 5.1), in whichever
 * of its challenges. A quoted value is told without its quotes. A value without them is taken up to the next
 * comma or space: no URL is a token (RFC 9110, section 11.2), and yet some servers write it so.
 */
export function* resourceMetadataValues(line: string): Generator<Spelled> {
  for (const found of line.matchAll(quotedOrWanted)) {
    const { quoted, unquoted } = found.indices?.groups ?? {};
    if (quoted) yield { from: quoted[0], to: quoted[1], spelling: quotedString };
    if (unquoted) yield { from: unquoted[0], to: unquoted[1], spelling: bare };
  }
}

// Other quoted strings are matched to be stepped over, one that has no end up to the end of the line.
const quotedOrWanted =
  /"(?:[^"\\]|\\[^])*\\?(?:"|$)|(?<=^|[ \t,])resource_metadata[ \t]*=[ \t]*(?:"(?<quoted>(?:[^"\\]|\\[^])*)"|(?<unquoted>[^ \t,"]+))/dgi;

/** A parameter of a query or a form body: its name as it reads, and where its value stands. */
export interface Parameter extends Spelled {
  name: string;
}

/** The parameters of `application/x-www-form-urlencoded` text between two places of a text, in order. */
export function* formParameters(text: string, from = 0, to = text.length): Generator<Parameter> {
  let start = from;
  while (start < to) {
    const end = placeOf('&', text, start, to);
    // Cut out first: a search in the whole text would run to its end for each parameter without a value.
    const parameter = text.slice(start, end);
    const nameLength = placeOf('=', parameter, 0, parameter.length);
    const name = readSpelled(parameter.slice(0, nameLength), formText);
    yield { name, from: Math.min(start + nameLength + 1, end), to: end, spelling: formText };
    start = end + 1;
  }
}

/** The parameters in the query of a URL or a request target. */
export function queryParameters(url: string): Iterable<Parameter> {
  const end = placeOf('#', url, 0, url.length);
  return formParameters(url, placeOf('?', url, 0, end) + 1, end);
}

/** Where the mark stands, or else where the search ends. */
function placeOf(mark: string, text: string, from: number, to: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 || at > to ? to : at;
}
