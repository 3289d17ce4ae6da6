import type { Machine } from '../machine.ts';

/** What happens to a stdio server, as far as its ending is concerned. Times are in milliseconds. */
export interface ShutdownInput {
  at: number;
  saw:
    | 'input-ended'
    /** It is to end now. */
    | 'stop'
    /** It is to end without another grace. */
    | 'kill'
    | 'server-exited'
    | 'pipes-closed'
    /** The answer to `lookForOthers`. */
    | 'others-run'
    | 'others-gone'
    | 'woke';
  /** The server owes answers, or has not taken all of its input. */
  isBusy: boolean;
  /** When the server last wrote anything or took input. */
  lastByteAt: number;
  /** The host has not taken what the server wrote: meanwhile no time passes for the server. */
  hostIsBehind: boolean;
}

/** What is to be done about it. */
export type ShutdownStep =
  | { signal: 'SIGTERM' | 'SIGKILL' }
  | { wakeAfter: number }
  /** Say whether processes that the server started run still. */
  | { lookForOthers: true }
  /** Close the server's pipes, whoever still holds their other ends. */
  | { closePipes: true }
  | { finished: true };

export interface ShutdownTimes {
  /** How long a server may be silent after its input has ended, and then again between signals. Milliseconds. */
  grace: number;
  /** The most that it is waited for after its input has ended. Milliseconds. */
  drain: number;
}

type Phase = 'running' | 'draining' | 'terminating' | 'killing' | 'reading' | 'finished';

/** How often processes are looked for that are being terminated. Milliseconds. */
const betweenLooks = 50;
/** The least that pipes are read after the server has exited: its last words may lie in them. Milliseconds. */
const leastReading = 250;
/** Of the grace between SIGTERM and SIGKILL, where the host said stop: it tends to kill us after the same grace. */
const shareBeforeHost = 0.75;

/**
 * How a stdio server is ended (specification: basic/lifecycle, shutdown; basic/transports/stdio, shutdown):
 * its input is closed; it keeps the grace, anew with each byte it writes, and while it owes an answer the
 * drain; then SIGTERM, and after another grace SIGKILL, for all its processes. What others still hold open
 * when it has exited is read for one grace.
 */
export class Shutdown implements Machine<ShutdownInput, ShutdownStep> {
  private phase: Phase = 'running';
  private readonly times: ShutdownTimes;
  private inputEndedAt = 0;
  private phaseSince = 0;
  private wasTold = false;
  private hasExited = false;
  private pipesClosed = false;

  constructor(times: ShutdownTimes) {
    this.times = times;
  }

  feed(input: ShutdownInput): ShutdownStep[] {
    if (input.saw === 'stop' || input.saw === 'kill') this.wasTold = true;
    if (input.saw === 'server-exited') this.hasExited = true;
    if (input.saw === 'pipes-closed') this.pipesClosed = true;
    switch (this.phase) {
      case 'running':
        return this.whileRunning(input);
      case 'draining':
        return this.whileDraining(input);
      case 'terminating':
        return this.whileTerminating(input);
      case 'killing':
        return this.whileKilling(input);
      case 'reading':
        return this.whileReading(input);
      case 'finished':
        return [];
    }
  }

  end(): ShutdownStep[] {
    return [];
  }

  private whileRunning(input: ShutdownInput): ShutdownStep[] {
    if (this.hasExited) return this.read(input.at);
    if (this.wasTold) return this.terminate(input.at);
    if (input.saw !== 'input-ended') return [];
    this.inputEndedAt = input.at;
    return this.enter('draining', input.at, [this.nextLook(input)]);
  }

  private whileDraining(input: ShutdownInput): ShutdownStep[] {
    if (this.hasExited) return this.read(input.at);
    if (this.wasTold) return this.terminate(input.at);
    if (input.hostIsBehind) this.inputEndedAt = input.at;
    return input.at < this.drainEnd(input) ? [this.nextLook(input)] : this.terminate(input.at);
  }

  private whileTerminating(input: ShutdownInput): ShutdownStep[] {
    const left = this.phaseSince + this.terminationTime - input.at;
    if (left <= 0 || input.saw === 'kill') return this.kill(input.at);
    if (!this.hasExited) return [{ wakeAfter: left }];
    if (input.saw === 'others-gone') return this.read(input.at);
    return input.saw === 'others-run' ? [{ wakeAfter: Math.min(left, betweenLooks) }] : [{ lookForOthers: true }];
  }

  private whileKilling({ at }: ShutdownInput): ShutdownStep[] {
    if (this.hasExited) return this.read(at);
    const left = this.phaseSince + this.times.grace - at;
    return left > 0 ? [{ wakeAfter: left }] : this.finish(at);
  }

  private whileReading({ at, saw, hostIsBehind }: ShutdownInput): ShutdownStep[] {
    if (hostIsBehind && !this.wasTold) this.phaseSince = at;
    const left = this.phaseSince + this.readingTime - at;
    return left <= 0 || this.pipesClosed || saw === 'kill' ? this.finish(at) : [{ wakeAfter: left }];
  }

  private terminate(at: number): ShutdownStep[] {
    return this.enter('terminating', at, [{ signal: 'SIGTERM' }, { wakeAfter: this.terminationTime }]);
  }

  private kill(at: number): ShutdownStep[] {
    const steps: ShutdownStep[] = [{ signal: 'SIGKILL' }, { wakeAfter: this.times.grace }];
    return this.hasExited ? [{ signal: 'SIGKILL' }, ...this.read(at)] : this.enter('killing', at, steps);
  }

  private read(at: number): ShutdownStep[] {
    return this.pipesClosed ? this.finish(at) : this.enter('reading', at, [{ wakeAfter: this.readingTime }]);
  }

  private finish(at: number): ShutdownStep[] {
    return this.enter(
      'finished',
      at,
      this.pipesClosed ? [{ finished: true }] : [{ closePipes: true }, { finished: true }],
    );
  }

  private get terminationTime(): number {
    return this.times.grace * (this.wasTold ? shareBeforeHost : 1);
  }

  private get readingTime(): number {
    return Math.max(this.times.grace, leastReading);
  }

  /** When the server's own time is over, as things stand. */
  private drainEnd({ isBusy, lastByteAt }: ShutdownInput): number {
    const last = this.inputEndedAt + this.times.drain;
    return isBusy ? last : Math.min(last, Math.max(lastByteAt, this.inputEndedAt) + this.times.grace);
  }

  /** An answer may come at any time, and one grace later the server's time is over: so look that often. */
  private nextLook(input: ShutdownInput): ShutdownStep {
    return { wakeAfter: Math.min(this.drainEnd(input) - input.at, Math.max(this.times.grace, betweenLooks)) };
  }

  private enter(phase: Phase, at: number, steps: ShutdownStep[]): ShutdownStep[] {
    this.phase = phase;
    this.phaseSince = at;
    return steps;
  }
}
