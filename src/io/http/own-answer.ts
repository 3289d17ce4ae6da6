import { type ServerResponse, STATUS_CODES } from 'node:http';
import { isObject } from '../../core/protocol/message.ts';
import type { Head, HeaderLine } from '../../core/trace/format.ts';
import { rawOf } from '../../core/wire/http-headers.ts';
import type { Failure } from './failure.ts';

/** So much of a request's body is kept to find its id, should wireproof have to answer it. Bytes. */
export const keptForId = 64 * 1024;

/** What wireproof answers in the server's place: a JSON-RPC error under the id of the request, where that is known. */
export class OwnAnswer {
  readonly head: Head;
  readonly body: Buffer;

  /** @param options `failure` is what the server did, `begun` the beginning of the request's body */
  constructor(options: { status: number; message: string; failure?: Failure | undefined; begun: readonly Buffer[] }) {
    const { status, message, failure } = options;
    const id = failure ? idIn(options.begun) : undefined;
    // A code of JSON-RPC's reserved range would say that the server itself had answered.
    const error = { code: status, message, ...(failure ? { data: { wireproof: failure.what } } : {}) };
    this.body = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error })}\n`);
    const lines: HeaderLine[] = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(this.body.length)],
      ['Connection', 'close'],
    ];
    this.head = { version: '1.1', status, reason: STATUS_CODES[status] ?? '', lines };
  }

  send(response: ServerResponse): void {
    const { status, reason, lines } = this.head;
    if (response.headersSent) response.destroy();
    else response.writeHead(status as number, reason, rawOf(lines)).end(this.body);
  }
}

/** The id of the request in a body, as far as that is here. */
function idIn(begun: readonly Buffer[]): unknown {
  try {
    const json: unknown = JSON.parse(Buffer.concat(begun).toString());
    return isObject(json) ? json['id'] : undefined;
  } catch {
    return undefined;
  }
}
