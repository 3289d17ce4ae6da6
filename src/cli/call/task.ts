import { requestToEnd } from '../../commands/call.ts';
import type { Connection } from '../../commands/connect.ts';
import type { Host } from '../../commands/host.ts';
import type { JsonObject } from '../../core/protocol/message.ts';
import type { Outcome } from '../../io/session.ts';
import type { Terminal } from '../terminal.ts';
import type { Given } from '../verbs.ts';
import { showProgress } from './notices.ts';

/** What is to be done with a server that is connected. */
export interface Task {
  connection: Connection;
  host: Host;
  words: readonly string[];
  options: Given['options'];
  terminal: Terminal;
  signal: AbortSignal;
  /** The input schemas of tools, by their names. */
  schemas: Map<string, unknown>;
}

/** Makes a request to its end; progress is shown meanwhile. */
export function request({ connection, host, signal }: Task, method: string, params: JsonObject): Promise<Outcome> {
  return requestToEnd(connection, host, { method, params, options: { signal, progress: showProgress } });
}
