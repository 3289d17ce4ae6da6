import type { JsonObject } from '../../core/protocol/message.ts';
import { jsonLine } from '../text/result-text.ts';
import { type Loudness, readLoudness } from '../loudness.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { tell } from '../tell.ts';
import { openTerminal, type Terminal } from '../terminal.ts';
import type { Given } from '../verbs.ts';
import type { Ink } from '../text/ink.ts';
import { logText } from './notices.ts';
import { StatusLine } from './status-line.ts';

/** How long the end of a recording is waited for, to be shown. Milliseconds. */
const endPatience = 1000;

/** All that `call` says: its result on stdout, and the rest on stderr, where the lines do not run into one another. */
export class Voice {
  readonly loudness: Loudness;
  /** Where the result goes. */
  readonly terminal: Terminal;
  readonly status: StatusLine;
  private readonly errors: Terminal;
  private readonly isJson: boolean;
  private readonly over = new AbortController();
  private following: Promise<void>[] = [];
  private isRecordingSaid = false;
  private recording: { readonly trace: string } | undefined;

  constructor(options: Given['options']) {
    this.loudness = readLoudness(options);
    this.isJson = options['json'] === true;
    const wantsColour = options['color'] !== false;
    this.terminal = openTerminal(wantsColour && !this.isJson);
    this.errors = openTerminal(wantsColour, process.stderr);
    this.status = new StatusLine(this.loudness === 'usual' ? this.errors : undefined);
  }

  /** How text looks on stderr. */
  get errorInk(): Ink {
    return this.errors.ink;
  }

  /** A person is asked something: nothing is written over it. @returns to be called when that is over */
  giveWay(): () => void {
    this.status.pause();
    return () => this.status.goOn();
  }

  /** What the user must know. */
  readonly tell = (text: string): void => {
    if (this.recording && text.includes(`show ${this.recording.trace}`)) this.isRecordingSaid = true;
    this.status.clear();
    tell(text);
  };

  /** What is good to know. */
  readonly note = (text: string): void => {
    if (this.loudness !== 'quiet') this.tell(text);
  };

  /** What a server prints on stderr. */
  serverSays(text: string): void {
    // What passes is shown with it.
    if (this.loudness !== 'usual') return;
    this.status.clear();
    process.stderr.write(text.replaceAll(/[^\n]+/g, (line) => this.errors.ink.dim(line)));
  }

  /** What a server tells of itself: what is watched for is the result, a log message is not. */
  heard(method: string, params: JsonObject, isWatching: boolean): void {
    if (isWatching && method !== 'notifications/progress') {
      const { terminal } = this;
      const line = this.isJson
        ? jsonLine({ method, params })
        : `${terminal.ink.cyan(visibleText(method))}  ${jsonLine(params)}`;
      this.status.clear();
      void terminal.print(`${line}\n`);
    } else if (method === 'notifications/message') this.note(logText(params));
  }

  /** A recording has begun: all that passes is said, where that is wanted. */
  follow(recording: { readonly trace: string }): void {
    this.recording = recording;
    if (this.loudness !== 'verbose') return;
    this.following.push(this.showing(recording));
  }

  /** All is over, and recorded. @param show how the recording is looked at */
  async end(show: string): Promise<void> {
    this.status.clear();
    // Its end is recorded by now, unless the store could not be written.
    const giveUp = setTimeout(() => this.over.abort(), endPatience);
    await Promise.all(this.following);
    clearTimeout(giveUp);
    if (this.recording && !this.isJson && !this.isRecordingSaid) this.note(`recorded: ${show} ${this.recording.trace}`);
  }

  private async showing({ trace }: { readonly trace: string }): Promise<void> {
    const { followTrace } = await import('./follow-trace.ts');
    const { errors, over } = this;
    await followTrace({ trace, signal: over.signal }, errors, (text) => errors.print(text)).catch((error: unknown) =>
      this.tell(`what passes cannot be shown: ${error instanceof Error ? error.message : String(error)}`),
    );
  }
}
