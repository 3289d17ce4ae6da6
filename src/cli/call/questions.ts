import { createInterface, type Interface } from 'node:readline';

/** Asks the person at the terminal, one question after the other, on stderr: what is printed on stdout stays apart. */
export class Questions {
  private readonly lines: Interface;
  /** What was typed before it was asked for. */
  private readonly ahead: string[] = [];
  private answer: ((line: string | undefined) => void) | undefined;
  private isOver = false;

  constructor() {
    this.lines = createInterface({ input: process.stdin, output: process.stderr, historySize: 0 });
    this.lines.on('line', (line) => {
      if (this.answer) this.answer(line);
      else this.ahead.push(line);
    });
    // The terminal sends no signal while single keys are read.
    this.lines.on('SIGINT', () => {
      process.stderr.write('\n');
      // What it means is done first: the request is cancelled before this question is answered.
      process.once('SIGINT', () => this.end());
      process.kill(process.pid, 'SIGINT');
    });
    this.lines.on('close', () => this.end());
  }

  /** @returns what was typed; nothing where the person has ended it, with Ctrl-D or Ctrl-C */
  async ask(question: string): Promise<string | undefined> {
    if (this.isOver) return undefined;
    const typed = this.ahead.shift();
    if (typed !== undefined) {
      process.stderr.write(`${question}${typed}\n`);
      return typed;
    }
    return new Promise((resolve) => {
      this.answer = (line) => {
        this.answer = undefined;
        resolve(line);
      };
      this.lines.setPrompt(question);
      this.lines.prompt();
    });
  }

  say(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.lines.close();
    this.answer?.(undefined);
  }
}
