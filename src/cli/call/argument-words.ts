import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { toolArguments } from '../../core/peer/tool-arguments.ts';
import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { WireproofError } from '../../core/wireproof-error.ts';

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
