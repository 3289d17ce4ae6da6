import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { filledIn } from '../core/peer/form-defaults.ts';
import { markedAsRelated, tasksExtension } from '../core/peer/tasks.ts';
import { isObject, type JsonObject } from '../core/protocol/message.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { unlessAborted } from './unless-aborted.ts';

/** What a server gets when it asks the host for something. */
export type HostAnswer = { result: JsonObject } | { error: { code: number; message: string } };

export interface HostOptions {
  /** Answers from a file: `{"elicitation/create": {"action": "accept", "content": {…}}, "sampling/createMessage": {…}}`. */
  answers?: JsonObject | undefined;
  /** Given a sampling request on its input, it prints the result. */
  samplingCommand?: string | undefined;
  /** Folders that the server may know of. */
  roots: readonly string[];
  /** Asks the person; nothing where nobody is there. @returns the content of a form, or what the person did instead */
  askForm?: ((message: string, schema: JsonObject) => Promise<JsonObject | 'decline' | 'cancel'>) | undefined;
  /** Shows a URL and asks whether it will be visited; nothing where nobody is there. */
  askUrl?: ((message: string, url: string) => Promise<'accept' | 'decline' | 'cancel'>) | undefined;
  /** Waits until the person says that pages have been visited. @returns false where they gave it up */
  askVisited?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** How long it is waited, where nobody is there, that a server tells that a page has been visited. Milliseconds. */
  patience?: number;
  /** Answers in place of all of the above. */
  answer?: ((method: string, params: JsonObject) => Promise<HostAnswer>) | undefined;
  /** Something that a person should know. */
  told: (text: string) => void;
  /** How a task stands, each time that it stands otherwise. */
  status?: ((text: string) => void) | undefined;
}

type Listener = (method: string, params: JsonObject) => void;

const methodNotFound = -32_601;
const refusedByUser = -1;

/** Answers what servers ask of hosts: elicitation, sampling, roots (client/elicitation, client/sampling, client/roots). */
export class Host {
  private readonly options: HostOptions;
  private readonly listeners = new Set<Listener>();

  constructor(options: HostOptions) {
    this.options = options;
  }

  /** What it can do, as clients say so. Roots do not change while it is connected. */
  get capabilities(): JsonObject {
    return { elicitation: { form: {}, url: {} }, sampling: {}, roots: {}, extensions: { [tasksExtension]: {} } };
  }

  told(text: string): void {
    this.options.told(text);
  }

  status(text: string): void {
    this.options.status?.(text);
  }

  /** A notification has come. */
  heard(method: string, params: JsonObject): void {
    for (const listener of this.listeners) listener(method, params);
  }

  /** Is told of notifications from now on. @returns ends that */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /**
   * Waits until pages have been visited: the server tells so, or the person does.
   *
   * @returns false where the person gave it up
   */
  async visited(completed: Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
    const { askVisited, patience = 0 } = this.options;
    const over = new AbortController();
    const stop = (): void => over.abort();
    signal?.addEventListener('abort', stop);
    const byServer = completed.then(() => true);
    const byPerson = askVisited ? askVisited(over.signal) : elapsed(patience, over.signal);
    try {
      return (await unlessAborted(Promise.race([byServer, byPerson]), signal)) ?? false;
    } finally {
      over.abort();
      signal?.removeEventListener('abort', stop);
    }
  }

  async answer(method: string, params: JsonObject): Promise<HostAnswer> {
    return markedAsRelated(params, await (this.options.answer ?? this.decide.bind(this))(method, params));
  }

  private async decide(method: string, params: JsonObject): Promise<HostAnswer> {
    switch (method) {
      case 'ping':
        return { result: {} };
      case 'roots/list':
        return { result: { roots: this.options.roots.map(rootOf) } };
      case 'elicitation/create':
        return { result: await this.elicit(params) };
      case 'sampling/createMessage':
        return this.sample(params);
      default:
        return { error: { code: methodNotFound, message: `Method not found: ${method}` } };
    }
  }

  private async elicit(params: JsonObject): Promise<JsonObject> {
    const { answers, askForm, told } = this.options;
    if (params['mode'] === 'url' && typeof params['url'] === 'string') return this.elicitVisit(params, params['url']);
    const given = answers?.['elicitation/create'];
    if (isObject(given)) return filledIn(given, params);
    const message = messageOf(params);
    if (askForm) {
      const schema = params['requestedSchema'];
      const content = await askForm(message, isObject(schema) ? schema : {});
      return typeof content === 'string' ? { action: content } : { action: 'accept', content };
    }
    told(`the server asks: ${message} It was declined; --answer FILE answers it ("elicitation/create").`);
    return { action: 'decline' };
  }

  /** The page is never opened: that is the person's to do. */
  private async elicitVisit(params: JsonObject, url: string): Promise<JsonObject> {
    const { answers, askUrl, told } = this.options;
    const given = answers?.['elicitation/create'];
    const message = messageOf(params);
    if (!isObject(given) && askUrl) return { action: await askUrl(message, url) };
    const page = `the server asks to visit ${url} (${message}).`;
    if (isObject(given)) {
      told(`${page} The answer that was given: ${String(given['action'])}.`);
      return { action: given['action'] };
    }
    told(`${page} It was declined; --answer FILE answers it ("elicitation/create").`);
    return { action: 'decline' };
  }

  private async sample(params: JsonObject): Promise<HostAnswer> {
    const { answers, samplingCommand, told } = this.options;
    const given = answers?.['sampling/createMessage'];
    if (isObject(given)) return { result: given };
    if (samplingCommand !== undefined) return { result: await runSampling(samplingCommand, params) };
    told(
      'the server asks for a completion of a model. It was refused; --sampling-command CMD or --answer FILE answers it.',
    );
    return { error: { code: refusedByUser, message: 'The user refused the sampling request' } };
  }
}

/** @throws WireproofError `bad-usage` where the file cannot be read */
export async function readAnswers(file: string): Promise<JsonObject> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new WireproofError('bad-usage', `--answer "${file}" cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (isObject(json)) return json;
  throw new WireproofError('bad-usage', `--answer "${file}" holds no JSON object of answers by method.`);
}

const messageOf = ({ message }: JsonObject): string => (typeof message === 'string' ? message : '');

/** True, when this time has passed, or earlier where the signal says so. */
function elapsed(time: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), time);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

function rootOf(folder: string): JsonObject {
  const path = resolve(folder);
  return { uri: pathToFileURL(path).href, name: basename(path) };
}

/** The command reads the params of the request and prints the result, or plain text, as a message of the assistant. */
async function runSampling(command: string, params: JsonObject): Promise<JsonObject> {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => undefined).end(JSON.stringify(params));
  const printed = await text(child.stdout);
  try {
    const json: unknown = JSON.parse(printed);
    if (isObject(json) && 'content' in json) return json;
  } catch {
    // It is text.
  }
  return { role: 'assistant', model: command, content: { type: 'text', text: printed.trimEnd() } };
}
