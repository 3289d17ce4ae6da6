import type { Outgoing } from '../../core/peer/client.ts';
import type { Agreement } from '../../core/peer/opening.ts';
import { headerText, standardHeaders } from '../../core/peer/param-headers.ts';
import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { metaKeys } from '../../core/protocol/revision.ts';
import type { HeaderLine } from '../../core/trace/format.ts';
import { lowerName } from '../../core/wire/http-headers.ts';
import { checkLines } from '../http/recorded-client.ts';

export interface HttpLinesOptions {
  /** The user's own lines: they stand in place of ours of the same name. */
  lines: readonly HeaderLine[];
  /** The name and version of who asks: `wireproof 1.0.0`. */
  by: string;
  /** What a tool wants said in headers of the call of it. */
  paramHeaders?: ((message: Outgoing) => readonly HeaderLine[]) | undefined;
}

/** Requests carry the revision in a header from this one on (2025-06-18: basic/transports, protocol version header). */
const firstToSayRevision = '2025-06-18';

/** Makes the header lines of requests: of what they carry, and of what was agreed on. */
export class HttpLines {
  agreement: Agreement | undefined;
  /** The session that the server opened (up to 2025-11-25: basic/transports, session management). */
  session: string | undefined;
  /** The value of `Authorization`, once somebody has signed in. */
  authorization: string | undefined;
  private readonly own: readonly HeaderLine[];
  private readonly userAgent: string;
  private readonly paramHeaders: (message: Outgoing) => readonly HeaderLine[];

  /** @throws WireproofError `bad-usage` where a line of the user's cannot be sent */
  constructor({ lines, by, paramHeaders }: HttpLinesOptions) {
    checkLines(lines);
    // A character of a line is one byte of it.
    this.own = lines.map(([name, value]) => [name, Buffer.from(value).toString('latin1')]);
    this.userAgent = by.replace(' ', '/');
    this.paramHeaders = paramHeaders ?? (() => []);
  }

  post(message: Outgoing): HeaderLine[] {
    const revision = claimedIn(message.json);
    const accepted: HeaderLine[] = [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
    ];
    const mirrored = revision === undefined ? [] : [...standardHeaders(message.json), ...this.paramHeaders(message)];
    return this.with([
      ...accepted,
      ...(revision === undefined ? this.agreedLines : versionLines(revision)),
      ...mirrored,
    ]);
  }

  /** Of the request for an event stream. @param lastId the event behind which it is to go on */
  get(lastId?: string): HeaderLine[] {
    const resumed: HeaderLine[] = lastId === undefined ? [] : [['Last-Event-ID', bytesOf(lastId)]];
    return this.with([['Accept', 'text/event-stream'], ...this.agreedLines, ...resumed]);
  }

  delete(): HeaderLine[] {
    return this.with(this.agreedLines);
  }

  private get agreedLines(): HeaderLine[] {
    const { agreement, session } = this;
    if (agreement?.era === 'modern') return versionLines(agreement.revision);
    return [
      ...(agreement && agreement.revision >= firstToSayRevision ? versionLines(agreement.revision) : []),
      ...(session === undefined ? [] : [['Mcp-Session-Id', session] as const]),
    ];
  }

  private with(lines: readonly HeaderLine[]): HeaderLine[] {
    const { own, userAgent, authorization } = this;
    const named = new Set(own.map(([name]) => lowerName(name)));
    const ours: HeaderLine[] = [
      ['User-Agent', userAgent],
      ...lines,
      ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
    ];
    return [...ours.filter(([name]) => !named.has(lowerName(name))), ...own];
  }
}

/** The revision that a message says it is of, as requests of the modern era do. */
export function claimedIn({ params }: JsonObject): string | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined;
  const revision = isObject(meta) ? meta[metaKeys.protocolVersion] : undefined;
  return typeof revision === 'string' ? revision : undefined;
}

const versionLines = (revision: string): HeaderLine[] => [['MCP-Protocol-Version', headerText(revision)]];

/** What came as UTF-8 goes back as it came. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');
