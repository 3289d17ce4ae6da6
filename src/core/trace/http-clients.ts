import { headerValue } from '../wire/http-headers.ts';
import type { HeaderLine } from './format.ts';

/** What of a request tells whose it is. */
export interface RequestSigns {
  /** Path and query. */
  target: string;
  lines: readonly HeaderLine[];
  /** The address it came from. */
  address: string;
  /** It opens a session: whoever looks the same and came before is another client. */
  opens?: boolean;
}

/** So many clients are told apart by session; the oldest are forgotten. */
const mostRemembered = 10_000;

/**
 * Tells the clients of a reverse proxy apart: by their session (`Mcp-Session-Id`, or the endpoint that an HTTP+SSE
 * server gave), else by how they call themselves. A client that gets a session keeps the number that it had before.
 */
export class HttpClients {
  private readonly bySession = new Map<string, number>();
  private readonly byEndpoint = new Map<string, number>();
  /** Clients without a session, by their looks. */
  private readonly byLooks = new Map<string, number>();
  private last = 0;

  /** The connection that a request belongs to. */
  of({ target, lines, address, opens = false }: RequestSigns): number {
    const session = headerValue(lines, 'mcp-session-id');
    const known = (session && this.bySession.get(session)) ?? this.byEndpoint.get(target);
    if (known) return known;
    const agent = [address, headerValue(lines, 'user-agent')].join('\n');
    const looks = [agent, headerValue(lines, 'authorization')].join('\n');
    // Who comes with a token may have come without before, and was sent to get one.
    let c = opens ? undefined : (this.byLooks.get(looks) ?? this.byLooks.get(`${agent}\n`));
    if (c !== undefined) remember(this.byLooks, looks, c);
    if (c === undefined) remember(this.byLooks, looks, (c = ++this.last));
    if (session !== undefined) remember(this.bySession, session, c);
    return c;
  }

  /** A response gave the client of connection `c` a session. Who looks like it and has none is another one from now on. */
  gaveSession(c: number, session: string): void {
    if (this.bySession.has(session)) return;
    remember(this.bySession, session, c);
    this.leaveLooks(c);
  }

  /** An HTTP+SSE server told the client of connection `c` where to post (specification 2024-11-05: basic/transports). */
  gaveEndpoint(c: number, target: string): void {
    if (this.byEndpoint.has(target)) return;
    remember(this.byEndpoint, target, c);
    this.leaveLooks(c);
  }

  private leaveLooks(c: number): void {
    for (const [looks, known] of this.byLooks) if (known === c) this.byLooks.delete(looks);
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  if (map.size > mostRemembered) map.delete(map.keys().next().value as string);
}
