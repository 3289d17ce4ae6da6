import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { Target } from '../commands/open-server.ts';
import { toolArguments } from '../core/peer/tool-arguments.ts';
import { targetName } from '../core/hosts/host.ts';
import { isObject, type JsonObject } from '../core/protocol/message.ts';
import type { Era } from '../core/protocol/revision.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { readEnvironment } from './environment.ts';
import type { Given } from './verbs.ts';

/** `name=value …`, `name:=JSON`, one JSON object, `@file`, or `-` for standard input. */
export async function readWords(words: readonly string[], schema: unknown): Promise<JsonObject> {
  const [first] = words;
  if (words.length === 1 && first === '-') return objectIn(await readAll(process.stdin), 'standard input');
  if (words.length === 1 && first?.startsWith('@')) {
    const file = first.slice(1);
    const content = await readFile(file, 'utf8').catch((cause: Error) => {
      throw new WireproofError('bad-usage', `${file} cannot be read: ${cause.message}`, { cause });
    });
    return objectIn(content, file);
  }
  const read = toolArguments(words, schema);
  if ('arguments' in read) return read.arguments;
  const all = read.errors.map(({ path, message }) => `\n  ${path}: ${message}`);
  throw new WireproofError('bad-usage', `These arguments cannot be read:${all.join('')}`);
}

function objectIn(text: string, where: string): JsonObject {
  try {
    const json: unknown = JSON.parse(text);
    if (isObject(json)) return json;
  } catch (cause) {
    throw new WireproofError('bad-usage', `What ${where} holds is no JSON: ${(cause as Error).message}`, { cause });
  }
  throw new WireproofError('bad-usage', `What ${where} holds is no JSON object.`);
}

/**
 * Which server, and what is asked of it: a command behind `--`, a URL, or a server that a host on this machine has configured.
 *
 * @param told says something to the user
 * @throws WireproofError `bad-usage`
 */
export async function readTarget(
  { options, words, behindDashes }: Given,
  told: (text: string) => void,
): Promise<{ target: Target; words: readonly string[] }> {
  if (behindDashes.length > 0) {
    const env = readEnvironment(options['e'] as string[] | undefined);
    const target = { command: behindDashes, cwd: options['cwd'] as string | undefined, env };
    return { target, words: words.slice(0, words.length - behindDashes.length) };
  }
  const [first, ...rest] = words;
  if (first !== undefined && /^https?:\/\//i.test(first) && URL.canParse(first)) {
    return {
      target: { url: new URL(first), lines: readHeaders(options['header'] as string[] | undefined) },
      words: rest,
    };
  }
  if (first === undefined) {
    throw new WireproofError(
      'bad-usage',
      'Which server? Write its URL, -- and the command that starts it, or its name in the configuration of a host (see: wireproof servers).',
    );
  }
  return { target: await configured(first, options, told), words: rest };
}

/** A server that a host has configured. What a file in a project says is told before it is done. */
async function configured(name: string, options: Given['options'], told: (text: string) => void): Promise<Target> {
  const { resolveServer } = await import('../io/hosts/resolve-server.ts');
  const { thisMachine } = await import('../io/hosts/this-machine.ts');
  const { target, server, unset } = await resolveServer(name, thisMachine(process.env, process.cwd()));
  told(`${targetName(server)}, as ${server.file} has it${server.isDisabled ? ' (the host has it disabled)' : ''}`);
  if (unset.length > 0) told(`its entry refers to variables that are not set here: ${unset.join(', ')}`);
  if (target.kind !== 'stdio') {
    const own = Object.entries(target.headers);
    return { url: new URL(target.url), lines: [...own, ...readHeaders(options['header'] as string[] | undefined)] };
  }
  const env = { ...readEnvironment(options['e'] as string[] | undefined), ...target.env };
  return { command: [target.command, ...target.args], cwd: (options['cwd'] as string | undefined) ?? target.cwd, env };
}

function readHeaders(given: readonly string[] = []): [string, string][] {
  return given.map((line) => {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === '')
      throw new WireproofError('bad-usage', `--header "${line}" is no header line. Write 'Name: value'.`);
    return [name, value];
  });
}

export function readEra(text: string | undefined): Era | 'auto' {
  if (text === 'auto' || text === 'legacy' || text === 'modern') return text;
  throw new WireproofError('bad-usage', `--era "${String(text)}" is not known. Write auto, legacy or modern.`);
}
