import type { Outgoing } from '../../core/peer/client.ts';

/** Messages on their way: those that have to wait, and those of which it is not known yet whether they arrived. */
export class Outbox {
  private readonly post: (message: Outgoing) => void;
  private held: Outgoing[] | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Messages that nobody answers, until the server has taken them. */
  private readonly untaken = new Set<Outgoing>();
  private whenTaken: () => void = () => undefined;

  constructor(post: (message: Outgoing) => void) {
    this.post = post;
  }

  add(message: Outgoing): void {
    if (this.held) this.held.push(message);
    else {
      if (message.id === undefined) this.untaken.add(message);
      this.post(message);
    }
  }

  /** Takes back a request that has not been sent. */
  remove(id: number): void {
    this.held = this.held?.filter((message) => message.id !== id);
  }

  /** Holds back all that is added from now on. @param patience how long at most, in milliseconds */
  hold(patience: number): void {
    this.held = [];
    this.timer = setTimeout(() => this.release(), patience);
  }

  /** @returns whether anything was held back until now */
  release(): boolean {
    const { held } = this;
    clearTimeout(this.timer);
    this.held = undefined;
    for (const message of held ?? []) this.add(message);
    return held !== undefined;
  }

  taken(message: Outgoing): void {
    this.untaken.delete(message);
    if (this.untaken.size === 0) this.whenTaken();
  }

  /** Waits until everything has been taken. @param patience how long at most, in milliseconds */
  async allTaken(patience: number): Promise<void> {
    if (this.untaken.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patience);
      this.whenTaken = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Nothing more is sent. */
  stop(): void {
    clearTimeout(this.timer);
  }
}
