import type { Side } from '../protocol/message.ts';
import type { Head, HeadEvent, HeaderLine, HttpEnd, Leg } from './format.ts';
import { headerValue } from '../wire/http-headers.ts';
import type { HttpHeads } from './unit.ts';

/** The heads of one HTTP stream as they come. */
export class StreamHeads implements HttpHeads {
  made = false;
  private readonly byPlace = new Map<string, Head>();
  private changed: boolean | undefined;

  add({ from, leg, head, made }: HeadEvent): void {
    if (made) this.made = true;
    if (isInterim(head)) return;
    this.byPlace.set(placeKey(from, leg), head);
    this.changed = undefined;
  }

  get request(): Head | undefined {
    return this.of('client', 'client');
  }

  get response(): Head | undefined {
    return this.of('server', 'client');
  }

  /** What was said on this leg, or else on the other. */
  of(from: Side, leg: Leg | undefined): Head | undefined {
    for (const one of [leg, undefined, 'client', 'server'] as const) {
      const head = this.byPlace.get(placeKey(from, one));
      if (head) return head;
    }
    return undefined;
  }

  /** The legs of a head say different things, beyond what every proxy has to change. */
  get areMapped(): boolean {
    this.changed ??= (['client', 'server'] as const).some((from) => {
      const [one, other] = (['client', 'server'] as const).map((leg) => this.byPlace.get(placeKey(from, leg)));
      return one !== undefined && other !== undefined && said(one) !== said(other);
    });
    return this.changed;
  }
}

const placeKey = (from: Side, leg: Leg | undefined): string => `${from} ${leg ?? ''}`;

/** Lines that a proxy makes anew, or that say how a message is framed. */
const ownLines: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'content-length',
]);

const said = ({ target, status, lines }: Head): string =>
  JSON.stringify([target, status, lines.filter(([name]) => !ownLines.has(name.toLowerCase()))]);

/** A response that another one follows (RFC 9110, section 15.2). */
export const isInterim = ({ status }: Head): boolean => status !== undefined && status < 200 && status !== 101;

export const isSuccess = (head: Head | undefined): boolean =>
  head?.status !== undefined && head.status >= 200 && head.status < 300;

/** The request on which it came was refused, or sent elsewhere. */
export const isRefusal = (head: Head | undefined): boolean => head?.status !== undefined && head.status >= 300;

export const isEventStream = (head: Head | undefined): boolean =>
  head !== undefined && /^[ \t]*text\/event-stream[ \t]*(?:;|$)/i.test(headerValue(head.lines, 'content-type') ?? '');

/** What `Content-Encoding` says, where that is anything. */
export function encodingOf(head: Head | undefined): string | undefined {
  const names = valuesOf(head?.lines ?? [], 'content-encoding').join(',');
  return /^(?:[ \t,]|identity)*$/i.test(names) ? undefined : names;
}

/**
 * Why a body is not whole; nothing where all has come that its head tells of, whatever happened then.
 *
 * @param asked for a response, the head of its request
 */
export function brokenOff(head: Head | undefined, { why, sum, passed }: HttpEnd, asked?: Head): string | undefined {
  if (why === undefined || !head) return why;
  return (passed?.bytes ?? sum.bytes) >= bodyLength(head, asked) ? undefined : why;
}

/** How long a body is to be (RFC 9112, section 6.3); infinite where only its end tells. */
function bodyLength({ status, lines }: Head, asked: Head | undefined): number {
  if (status !== undefined && (status === 204 || status === 304 || asked?.method === 'HEAD')) return 0;
  if (headerValue(lines, 'transfer-encoding') !== undefined) return Infinity;
  const length = headerValue(lines, 'content-length')?.trim();
  if (length !== undefined) return /^\d{1,15}$/.test(length) ? Number(length) : Infinity;
  return status === undefined ? 0 : Infinity;
}

/** The values of all lines of this name, which is given in lower case. */
export const valuesOf = (lines: readonly HeaderLine[], name: string): string[] =>
  lines.flatMap(([spelled, value]) => (spelled.toLowerCase() === name ? [value] : []));

/** The path in a request target, without its query. */
export function pathOf(target: string): string {
  const path = /^https?:\/\/[^/?#]*/i.exec(target) ? target.replace(/^https?:\/\/[^/?#]*/i, '') : target;
  const [end] = path.split(/[?#]/, 1) as [string];
  return end;
}
