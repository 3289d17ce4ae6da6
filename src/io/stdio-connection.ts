import { Shutdown, type ShutdownInput, type ShutdownStep, type ShutdownTimes } from '../core/peer/shutdown.ts';
import type { StreamName } from '../core/trace/format.ts';
import { ProcessFamily } from './channels/process-family.ts';
import type { ServerExit, ServerProcess } from './channels/server-process.ts';
import { childSink, type Sink, type SinkEvents, stderrSink, stdoutSink } from './channels/sink.ts';
import { childSource, type Source, stdinSource } from './channels/source.ts';
import type { Clock } from './clock.ts';
import type { Recording } from './recording.ts';
import { Tee } from './tee.ts';

/** How long a host that does not read is waited for when it has said stop. Milliseconds. */
const hostPatience = 2000;

/** How a connection ended, and by whose doing where it was not the server's. */
export interface ConnectionEnd extends ServerExit {
  why?: string;
}

/** The host's end of a connection. */
export interface HostEnd {
  /** What the host says. */
  input: Source;
  /** Where what the server says goes, and what it prints on stderr. */
  output: (events: SinkEvents) => Sink;
  errors: (events: SinkEvents) => Sink;
}

/** The host is whoever started us. */
const ownStreams = (): HostEnd => ({ input: stdinSource(), output: stdoutSink, errors: stderrSink });

/** A host on one side, a server process on the other, every byte passed and shown to a recording. */
export class StdioConnection {
  private readonly server: ServerProcess;
  private readonly family: ProcessFamily;
  private readonly recording: Recording;
  private readonly clock: Clock;
  private readonly shutdown: Shutdown;
  private readonly tees: Record<StreamName, Tee>;
  private readonly open = new Set<StreamName>(['server', 'stderr']);
  private lastByteAt = 0;
  private inputWasRefused = false;
  private isOver = false;
  private exit: ServerExit | undefined;
  private readonly reasons: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private finish: () => void = () => undefined;
  private stopped: () => void = () => undefined;
  private readonly wasStopped = new Promise<void>((resolve) => (this.stopped = resolve));

  /** @param parts `host` is our own standard streams where it is left out */
  constructor(parts: {
    server: ServerProcess;
    recording: Recording;
    clock: Clock;
    times: ShutdownTimes;
    host?: HostEnd;
  }) {
    const { child } = parts.server;
    const { recording, host = ownStreams() } = parts;
    this.server = parts.server;
    this.family = new ProcessFamily(child.pid as number);
    this.recording = recording;
    this.clock = parts.clock;
    this.shutdown = new Shutdown(parts.times);
    const serverActed = (at = this.clock.now()): void => void (this.lastByteAt = at);
    this.tees = {
      client: new Tee(
        host.input,
        ({ drained, broken }) => childSink(child.stdin, { drained: () => (serverActed(), drained()), broken }),
        recording.onlooker('client', () => undefined),
        () => this.inputRefused(),
      ),
      server: new Tee(childSource(child.stdout), host.output, recording.onlooker('server', serverActed), () =>
        this.stop('the host closed its end of our output'),
      ),
      stderr: new Tee(childSource(child.stderr), host.errors, recording.onlooker('stderr', serverActed), () =>
        recording.note('stderr-closed', 'the host closed its end of our stderr'),
      ),
    };
  }

  /** Passes bytes until both sides are over. */
  async run(): Promise<ConnectionEnd> {
    const finished = new Promise<void>((resolve) => (this.finish = resolve));
    this.tees.client.start(() => this.clientEnded());
    for (const from of ['server', 'stderr'] as const) this.tees[from].start(() => this.serverStreamEnded(from));
    void this.server.exited.then((exit) => {
      this.exit = exit;
      this.saw('server-exited');
    });
    await finished;
    this.isOver = true;
    this.family.letGo();
    clearTimeout(this.timer);
    this.tees.client.close();
    await this.hostHasRead();
    const exit = this.exit ?? { code: null, signal: 'SIGKILL' as const };
    const [why] = this.reasons;
    return why === undefined ? exit : { ...exit, why };
  }

  /** Ends the server now: a signal to us, or a host that has gone. Said twice in the same words, it is killed. */
  stop(why: string): void {
    const isRepeated = this.reasons.includes(why);
    this.reasons.push(why);
    this.stopped();
    this.recording.note('stop', why);
    this.saw(isRepeated ? 'kill' : 'stop');
  }

  /** Says something of our own on stderr, where the server's lines pass too. */
  tell(lines: Uint8Array): void {
    this.tees.stderr.insert(lines);
  }

  /** Settles when the host has read what was told, or after `patience` milliseconds. */
  async hasTold(patience: number): Promise<void> {
    await Promise.race([this.tees.stderr.whenPassed(), pause(patience)]);
  }

  private clientEnded(): void {
    if (this.isOver) return;
    this.recording.ended('client');
    if (!this.inputWasRefused) this.saw('input-ended');
  }

  private serverStreamEnded(from: 'server' | 'stderr'): void {
    if (this.isOver) return;
    this.recording.ended(from);
    this.open.delete(from);
    if (this.open.size === 0) this.saw('pipes-closed');
  }

  /** The server reads no more: without us, the host would find its pipe broken, and so it does. */
  private inputRefused(): void {
    this.inputWasRefused = true;
    this.recording.note('input-refused', 'the server closed its input; what the host still wrote did not reach it');
    this.tees.client.close();
  }

  private saw(saw: ShutdownInput['saw']): void {
    const { client, server, stderr } = this.tees;
    const input = {
      at: this.clock.now(),
      saw,
      isBusy: this.recording.openRequests > 0 || client.sink.isFull,
      lastByteAt: this.lastByteAt,
      // A host that does not read stderr holds up what is left to be read, and no server that should end.
      hostIsBehind: server.sink.isFull || (this.exit !== undefined && stderr.sink.isFull),
    };
    for (const step of this.shutdown.feed(input)) this.take(step);
  }

  private take(step: ShutdownStep): void {
    if ('signal' in step) {
      this.recording.note('signal', `${step.signal} sent to the server, its process group and its descendants`);
      this.family.holdOn();
      this.family.signal(step.signal);
      this.server.child.stdin.destroy();
    } else if ('wakeAfter' in step) {
      clearTimeout(this.timer);
      // What can already be read is read first.
      this.timer = setTimeout(() => setImmediate(() => this.saw('woke')), step.wakeAfter);
    } else if ('lookForOthers' in step) this.saw(this.family.running().length > 0 ? 'others-run' : 'others-gone');
    else if ('closePipes' in step) {
      const still = [...this.open].map((from) => (from === 'server' ? 'stdout' : from)).join(' and ');
      this.recording.note(
        'pipes-closed',
        `${still} of the server had not ended: a process that it left behind holds it open, or the host did not read on`,
      );
      for (const from of this.open) this.tees[from].close();
    } else this.finish();
  }

  /** What the server said last must reach a host that is merely slow. */
  private async hostHasRead(): Promise<void> {
    const hasRead = Promise.all([this.tees.server.whenPassed(), this.tees.stderr.whenPassed()]);
    await Promise.race([hasRead, this.wasStopped.then(() => pause(hostPatience))]);
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
