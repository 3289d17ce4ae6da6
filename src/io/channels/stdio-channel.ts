import type { Outgoing } from '../../core/peer/client.ts';
import { LineFramer } from '../../core/wire/line-framer.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { startClock } from '../clock.ts';
import { StdioConnection } from '../stdio-connection.ts';
import { beginStdioRecording, type StdioRecording, type StdioRecordingOptions } from '../stdio-recording.ts';
import type { Channel, ChannelEvents } from './channel.ts';
import { InnerSource, innerSink } from './inner-ends.ts';
import { type ServerExit, type ServerProcess, startServer } from './server-process.ts';

export interface StdioChannelOptions extends StdioRecordingOptions {
  /** The server, where it has been started already. */
  server?: ServerProcess | undefined;
  /** How long the server may be silent after its input has ended. Milliseconds. */
  grace: number;
  /** What the server prints on stderr, as it comes. */
  stderr: (bytes: Uint8Array) => void;
  /** Says something to the user. */
  tell: (text: string) => void;
}

/** How long the last records are waited for. Milliseconds. */
const storePatience = 2000;
const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Starts a server, and speaks with it over stdio, a message a line (specification: basic/transports, stdio).
 *
 * @throws WireproofError `server-not-started`
 */
export async function openStdio(options: StdioChannelOptions, events: ChannelEvents): Promise<Channel> {
  const server = options.server ?? (await startServer(options.command, options));
  const clock = startClock();
  const recorded = beginStdioRecording(options, { clock, pid: server.child.pid, tell: options.tell });
  if (server.child.pid === undefined) return notStarted(server, recorded);
  return new StdioChannel({ options, events, server, recorded, clock });
}

class StdioChannel implements Channel {
  readonly cancelsByDropping = false;
  readonly isProcess = true;
  private readonly events: ChannelEvents;
  private readonly recorded: StdioRecording;
  private readonly input = new InnerSource();
  private readonly framer = new LineFramer();
  private readonly connection: StdioConnection;
  private readonly over: Promise<ServerExit & { why?: string }>;
  private isClosing = false;

  constructor(parts: {
    options: StdioChannelOptions;
    events: ChannelEvents;
    server: ServerProcess;
    recorded: StdioRecording;
    clock: ReturnType<typeof startClock>;
  }) {
    const { options, events, server, recorded, clock } = parts;
    const { recording } = recorded;
    this.events = events;
    this.recorded = recorded;
    const host = {
      input: this.input,
      output: () => innerSink((bytes) => this.heard(bytes)),
      errors: () => innerSink(options.stderr),
    };
    const times = { grace: options.grace, drain: options.grace };
    this.connection = new StdioConnection({ server, recording, clock, times, host });
    this.over = this.connection.run();
    void this.over.then((exit) => this.ended(exit));
  }

  get trace(): string {
    return this.recorded.trace.name;
  }

  send(message: Outgoing): void {
    const line = new Uint8Array(message.body.length + 1);
    line.set(message.body);
    line[message.body.length] = newline;
    this.input.push(line);
  }

  drop(): void {
    // Over stdio, only a notification tells the server.
  }

  agreed(): void {
    // Lines carry messages of both eras alike.
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.input.end();
    const { code, signal, why } = await this.over;
    this.recorded.stopKeeping();
    await this.recorded.recording.close(
      {
        ...(code === null ? {} : { exit: code }),
        ...(signal === null ? {} : { signal }),
        ...(why === undefined ? {} : { why }),
      },
      storePatience,
    );
  }

  private heard(bytes: Uint8Array): void {
    for (const line of this.framer.feed(bytes)) this.body(line);
  }

  private body(line: Uint8Array): void {
    let end = line.length;
    if (line[end - 1] === newline) end--;
    if (line[end - 1] === carriageReturn) end--;
    if (end > 0) this.events.body(line.subarray(0, end));
  }

  private ended({ code, signal }: ServerExit): void {
    for (const rest of this.framer.end()) this.body(rest);
    if (this.isClosing) return;
    this.events.ended(
      signal === null ? `the server ended with exit code ${code}` : `the server was ended by ${signal}`,
    );
  }
}

async function notStarted(server: ServerProcess, { recording, stopKeeping }: StdioRecording): Promise<never> {
  const error: unknown = await server.exited.catch((reason: unknown) => reason);
  stopKeeping();
  await recording.close({ error: error instanceof WireproofError ? error.message : String(error) }, storePatience);
  throw error;
}
