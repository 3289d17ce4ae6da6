import type { HeaderLine } from '../../core/trace/format.ts';
import { headerValue } from '../../core/wire/http-headers.ts';
import { Connection } from './connection.ts';
import { Exchange, headText, type ResponseListener } from './exchange.ts';
import { Route, type RouteOptions } from './route.ts';

/** So many connections are kept while nothing is asked. */
const mostIdle = 256;

/** Makes requests to the server, over connections that are kept and used again. */
export class Upstream {
  /** Told of bytes that the server sent and nobody had asked for. */
  onStray: (bytes: Uint8Array) => void = () => undefined;
  private readonly route: Route;
  private readonly idle: Connection[] = [];
  private readonly open = new Set<Connection>();
  private isClosed = false;

  /** @throws WireproofError `bad-usage` where the certificates cannot be read */
  constructor(options: RouteOptions) {
    this.route = new Route(options);
  }

  /** @param lines the header lines as they are to be sent, `Host` and what frames the body among them */
  request(method: string, path: string, lines: readonly HeaderLine[], listener: ResponseListener): Exchange {
    const { prefix, lines: more } = this.route;
    const head = `${method} ${prefix}${path} HTTP/1.1\r\n${headText(more.length > 0 ? [...lines, ...more] : lines)}`;
    const isChunked = headerValue(lines, 'transfer-encoding') !== undefined;
    const exchange = new Exchange({ method, head, isChunked, listener });
    const kept = this.takeIdle();
    if (kept) {
      exchange.isReused = true;
      kept.begin(exchange);
    } else this.connect(exchange);
    return exchange;
  }

  close(): void {
    this.isClosed = true;
    for (const connection of this.open) connection.destroy();
  }

  private connect(exchange: Exchange): void {
    const connection = new Connection({
      free: (free) => this.keep(free),
      gone: (gone) => this.forget(gone),
      stray: (bytes) => this.onStray(bytes),
    });
    const take = (bytes: Buffer): void => connection.take(bytes);
    const giveUp = this.route.connect(take, (error, socket) => {
      if (error || !socket) exchange.failed(error ?? new Error('no connection'));
      else {
        this.open.add(connection);
        connection.opened(socket);
        connection.begin(exchange);
      }
    });
    exchange.connecting(giveUp);
  }

  /** The one that was used last: the others may become too old. */
  private takeIdle(): Connection | undefined {
    for (let kept = this.idle.pop(); kept; kept = this.idle.pop()) {
      if (kept.keptUntil > performance.now()) return kept;
      kept.destroy();
    }
    return undefined;
  }

  private keep(connection: Connection): void {
    if (this.isClosed || this.idle.length >= mostIdle) connection.destroy();
    else this.idle.push(connection);
  }

  private forget(connection: Connection): void {
    this.open.delete(connection);
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
  }
}
