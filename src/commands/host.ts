import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { filledIn } from '../core/peer/form-defaults.ts';
import { isObject, type JsonObject } from '../core/protocol/message.ts';
import { WireproofError } from '../core/wireproof-error.ts';

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
  /** Shows a URL and asks whether it was visited; nothing where nobody is there. */
  askUrl?: ((message: string, url: string) => Promise<'accept' | 'decline' | 'cancel'>) | undefined;
  /** Something that a person should know. */
  told: (text: string) => void;
}

const methodNotFound = -32_601;
const refusedByUser = -1;

/** Answers what servers ask of hosts: elicitation, sampling, roots (client/elicitation, client/sampling, client/roots). */
export class Host {
  private readonly options: HostOptions;

  constructor(options: HostOptions) {
    this.options = options;
  }

  /** What it can do, as clients say so. */
  get capabilities(): JsonObject {
    return { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  }

  /** Says something to the person. */
  told(text: string): void {
    this.options.told(text);
  }

  async answer(method: string, params: JsonObject): Promise<HostAnswer> {
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
    const { answers, askForm, askUrl, told } = this.options;
    const given = answers?.['elicitation/create'];
    if (isObject(given)) return filledIn(given, params);
    const message = typeof params['message'] === 'string' ? params['message'] : '';
    if (params['mode'] === 'url' && typeof params['url'] === 'string') {
      if (askUrl) return { action: await askUrl(message, params['url']) };
    } else if (askForm) {
      const schema = params['requestedSchema'];
      const content = await askForm(message, isObject(schema) ? schema : {});
      return typeof content === 'string' ? { action: content } : { action: 'accept', content };
    }
    told(`the server asks: ${message} It was declined; --answer FILE answers it ("elicitation/create").`);
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
