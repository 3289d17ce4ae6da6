import type { JsonObject } from '../../core/protocol/message.ts';
import { cutToWidth } from '../../core/wire/text-width.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import type { Terminal } from '../terminal.ts';
import type { Ink } from '../text/ink.ts';

const barLength = 20;

/** One line at the bottom of a terminal that is written anew as a request goes on; nothing elsewhere. */
export class StatusLine {
  private readonly terminal: Terminal | undefined;
  private isShown = false;
  private isPaused = false;

  /** @param terminal where it stands; nothing where it is not wanted */
  constructor(terminal: Terminal | undefined) {
    this.terminal = terminal?.isTerminal ? terminal : undefined;
  }

  /** What a server says of how far it is (basic/utilities/progress). */
  readonly show = (progress: JsonObject): void => {
    if (!this.terminal || this.isPaused) return;
    const { terminal } = this;
    const { ink, width = 80 } = terminal;
    // A line that fills the last column, or wraps, could not be taken back.
    const line = cutToWidth(progressText(progress, ink), width - 1, ink.glyph('…', '~'));
    void terminal.print(`\r\u001b[K${line}`);
    this.isShown = true;
  };

  /** Makes room for something else. */
  readonly clear = (): void => {
    if (this.isShown) void this.terminal?.print('\r\u001b[K');
    this.isShown = false;
  };

  /** Something else stands in the last line for a while. */
  pause(): void {
    this.clear();
    this.isPaused = true;
  }

  goOn(): void {
    this.isPaused = false;
  }
}

/** A bar where it is known how much there is to do, else how much was done; and what the server says of it. */
export function progressText({ progress, total, message }: JsonObject, ink: Pick<Ink, 'glyph'>): string {
  const words = typeof message === 'string' && message !== '' ? `  ${visibleText(message)}` : '';
  if (typeof progress !== 'number') return words.trimStart();
  if (typeof total !== 'number' || !(total > 0)) return `${progress}${words}`;
  // Servers count from 1, go beyond the end, or back.
  const share = Math.min(1, Math.max(0, progress / total));
  const full = Math.round(share * barLength);
  const bar = ink.glyph('█', '#').repeat(full) + ink.glyph('░', '.').repeat(barLength - full);
  return `${bar} ${`${Math.round(share * 100)}`.padStart(3)} %${words}`;
}
