import { Shutdown, type ShutdownInput, type ShutdownStep, type ShutdownTimes } from '../core/peer/shutdown.ts';
import type { StreamName } from '../core/trace/format.ts';
import type { ServerExit, ServerProcess } from './channels/server-process.ts';
import { childSink, ownSink } from './channels/sink.ts';
import { childSource, stdinSource } from './channels/source.ts';
import type { Clock } from './clock.ts';
import type { Recording } from './recording.ts';
import { Tee } from './tee.ts';

/** How long a host that does not read is waited for when everything else is over. Milliseconds. */
const hostPatience = 2000;

/** How a connection ended, and by whose doing where it was not the server's. */
export interface ConnectionEnd extends ServerExit {
  why?: string;
}

/** Our own standard streams on one side, a server process on the other, every byte passed and shown to a recording. */
export class StdioConnection {
  private readonly server: ServerProcess;
  private readonly recording: Recording;
  private readonly clock: Clock;
  private readonly shutdown: Shutdown;
  private readonly tees: Record<StreamName, Tee>;
  private readonly open = new Set<StreamName>(['server', 'stderr']);
  private lastByteAt = 0;
  private exit: ServerExit | undefined;
  private why: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private finish: () => void = () => undefined;

  constructor(parts: { server: ServerProcess; recording: Recording; clock: Clock; times: ShutdownTimes }) {
    const { child } = parts.server;
    const { recording } = parts;
    this.server = parts.server;
    this.recording = recording;
    this.clock = parts.clock;
    this.shutdown = new Shutdown(parts.times);
    const serverWrote = (at: number): void => void (this.lastByteAt = at);
    this.tees = {
      client: new Tee(
        stdinSource(),
        (events) => childSink(child.stdin, events),
        recording.onlooker('client', () => undefined),
        () => this.inputRefused(),
      ),
      server: new Tee(
        childSource(child.stdout),
        (events) => ownSink(1, events),
        recording.onlooker('server', serverWrote),
        () => this.stop('the host closed its end of our output'),
      ),
      stderr: new Tee(
        childSource(child.stderr),
        (events) => ownSink(2, events),
        recording.onlooker('stderr', serverWrote),
        () => recording.note('stderr-closed', 'the host closed its end of our stderr'),
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
      if (this.open.size === 0) this.saw('pipes-closed');
    });
    await finished;
    clearTimeout(this.timer);
    this.tees.client.close();
    await this.hostHasRead();
    const exit = this.exit ?? { code: null, signal: 'SIGKILL' as const };
    return this.why === undefined ? exit : { ...exit, why: this.why };
  }

  /** Ends the server now: a signal to us, or a host that has gone. Said twice, it is killed. */
  stop(why: string): void {
    this.why ??= why;
    this.recording.note('stop', why);
    this.saw('stop');
  }

  private clientEnded(): void {
    this.recording.ended('client');
    this.saw('input-ended');
  }

  private serverStreamEnded(from: 'server' | 'stderr'): void {
    this.recording.ended(from);
    this.open.delete(from);
    if (this.open.size === 0) this.saw('pipes-closed');
  }

  /** The server reads no more: without us, the host would find its pipe broken, and so it does. */
  private inputRefused(): void {
    this.recording.note('input-refused', 'the server closed its input; what the host still wrote did not reach it');
    this.tees.client.close();
  }

  private saw(saw: ShutdownInput['saw']): void {
    const at = this.clock.now();
    const unanswered = this.recording.recorder.requests.count;
    for (const step of this.shutdown.feed({ at, saw, unanswered, lastByteAt: this.lastByteAt })) this.take(step);
  }

  private take(step: ShutdownStep): void {
    if ('signal' in step) {
      this.recording.note('signal', `${step.signal} sent to the server, its process group and its descendants`);
      void this.server.signal(step.signal);
      this.server.child.stdin.destroy();
    } else if ('wakeAfter' in step) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.saw('woke'), step.wakeAfter);
    } else if ('closePipes' in step) {
      const still = [...this.open].join(' and ');
      if (still !== '')
        this.recording.note('pipes-closed', `a process that the server left behind still held its ${still} open`);
      for (const from of this.open) this.tees[from].close();
    } else this.finish();
  }

  /** What the server said last must reach a host that is merely slow. */
  private async hostHasRead(): Promise<void> {
    const until = this.clock.now() + hostPatience;
    const sinks = [this.tees.server.sink, this.tees.stderr.sink];
    while (sinks.some((sink) => sink.isFull) && (this.why === undefined || this.clock.now() < until)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
