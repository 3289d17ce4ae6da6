import type { Machine } from '../machine.ts';

/** What happens to a stdio server, as far as its ending is concerned. Times are in milliseconds. */
export interface ShutdownInput {
  at: number;
  saw: 'input-ended' | 'stop' | 'server-exited' | 'pipes-closed' | 'woke';
  /** Requests to the server that have no answer yet. */
  unanswered: number;
  /** When the server last wrote anything. */
  lastByteAt: number;
}

/** What is to be done about it. */
export type ShutdownStep =
  | { signal: 'SIGTERM' | 'SIGKILL' }
  | { wakeAfter: number }
  /** Close the server's pipes, whoever still holds their other ends. */
  | { closePipes: true }
  | { finished: true };

export interface ShutdownTimes {
  /** How long a server may be silent after its input has ended, and then again between signals. Milliseconds. */
  grace: number;
  /** The most that it is waited for after its input has ended. Milliseconds. */
  drain: number;
}

type Phase = 'running' | 'draining' | 'terminating' | 'killing' | 'exited' | 'finished';

/**
 * How a stdio server is ended (specification: basic/lifecycle, shutdown; basic/transports/stdio, shutdown):
 * its input is closed; it keeps the grace, anew with each byte it writes, and while a request is unanswered
 * the drain; then SIGTERM, and after another grace SIGKILL. What its children still hold open when it has
 * exited is read for one grace.
 */
export class Shutdown implements Machine<ShutdownInput, ShutdownStep> {
  private phase: Phase = 'running';
  private readonly times: ShutdownTimes;
  private inputEndedAt = 0;
  private phaseSince = 0;

  constructor(times: ShutdownTimes) {
    this.times = times;
  }

  feed(input: ShutdownInput): ShutdownStep[] {
    switch (input.saw) {
      case 'input-ended':
        if (this.phase !== 'running') return [];
        this.inputEndedAt = input.at;
        return this.enter('draining', input.at, [this.nextLook(input)]);
      case 'stop':
        return this.stop(input.at);
      case 'server-exited':
        return this.exited(input.at);
      case 'pipes-closed':
        return this.phase === 'exited' ? this.enter('finished', input.at, [{ finished: true }]) : [];
      case 'woke':
        return this.woke(input);
    }
  }

  end(): ShutdownStep[] {
    return [];
  }

  private stop(at: number): ShutdownStep[] {
    if (this.phase === 'running' || this.phase === 'draining') return this.terminate(at);
    return this.phase === 'terminating' ? this.kill(at) : [];
  }

  private terminate(at: number): ShutdownStep[] {
    return this.enter('terminating', at, [{ signal: 'SIGTERM' }, { wakeAfter: this.times.grace }]);
  }

  private kill(at: number): ShutdownStep[] {
    return this.enter('killing', at, [{ signal: 'SIGKILL' }, { wakeAfter: this.times.grace }]);
  }

  private exited(at: number): ShutdownStep[] {
    if (this.phase === 'exited' || this.phase === 'finished') return [];
    return this.enter('exited', at, [{ wakeAfter: this.times.grace }]);
  }

  private woke(input: ShutdownInput): ShutdownStep[] {
    const { at } = input;
    if (this.phase === 'running' || this.phase === 'finished') return [];
    if (this.phase === 'draining') return at < this.drainEnd(input) ? [this.nextLook(input)] : this.terminate(at);
    const left = this.phaseSince + this.times.grace - at;
    if (left > 0) return [{ wakeAfter: left }];
    if (this.phase === 'terminating') return this.kill(at);
    return this.enter('finished', at, [{ closePipes: true }, { finished: true }]);
  }

  /** When the server's own time is over, as things stand. */
  private drainEnd({ unanswered, lastByteAt }: ShutdownInput): number {
    const last = this.inputEndedAt + this.times.drain;
    return unanswered > 0 ? last : Math.min(last, Math.max(lastByteAt, this.inputEndedAt) + this.times.grace);
  }

  /** An answer may come at any time, and one grace later the server's time is over: so look that often. */
  private nextLook(input: ShutdownInput): ShutdownStep {
    return { wakeAfter: Math.min(this.drainEnd(input) - input.at, Math.max(this.times.grace, 50)) };
  }

  private enter(phase: Phase, at: number, steps: ShutdownStep[]): ShutdownStep[] {
    this.phase = phase;
    this.phaseSince = at;
    return steps;
  }
}
