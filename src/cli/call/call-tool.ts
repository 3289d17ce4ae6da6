import { signature } from '../../core/peer/signature.ts';
import { isCalledAsTask } from '../../core/peer/tasks.ts';
import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { stoppedText } from '../text/offer-text.ts';
import { toolResultText } from '../text/result-text.ts';
import { answered } from './answered.ts';
import { readWords } from './argument-words.ts';
import { request, type Task } from './task.ts';

const longestSignature = 200;

/** Calls a tool with what was typed, where that fits. @returns the exit code */
export async function callTool(task: Task): Promise<number> {
  const { connection, words, options, tell } = task;
  const [name = '', ...rest] = words;
  const { items, stopped, trouble } = await connection.list('tools/list', 'tools');
  const whyNotWhole = trouble ?? (stopped && stoppedText(stopped));
  if (whyNotWhole !== undefined) tell(`the list of tools is not whole: ${whyNotWhole}`);
  const tool = items.find((one) => one['name'] === name);
  task.schemas.set(name, tool?.['inputSchema']);
  if (!tool && options['validate'] !== false) {
    const names = items.map((one) => String(one['name'])).join(', ');
    throw new WireproofError(
      'bad-usage',
      `The server has no tool "${name}". It has: ${names || 'none'}.\n--no-validate calls it all the same.`,
    );
  }
  const given = await readWords(rest, tool?.['inputSchema']);
  if (tool && options['validate'] !== false) await refuseMisfits(name, tool['inputSchema'], given, tell);
  const asTask = isCalledAsTask(tool, connection.agreement) ? { task: {} } : {};
  const outcome = await request(task, 'tools/call', { name, arguments: given, ...asTask });
  const code = await answered(task, outcome, toolResultText);
  if (tool?.['outputSchema'] !== undefined && outcome.kind === 'result') await judgeOutput(tool, outcome.result, tell);
  return code;
}

/** @throws WireproofError `bad-usage` with all that does not fit */
async function refuseMisfits(name: string, schema: unknown, given: JsonObject, tell: Task['tell']): Promise<void> {
  const { SchemaChecker } = await import('../../io/schema-worker/schema-checker.ts');
  const checker = new SchemaChecker();
  const verdict = await checker.check(schema, given);
  checker.close();
  if ('unchecked' in verdict) tell(`the arguments were not checked: ${verdict.unchecked}`);
  if (!('errors' in verdict)) return;
  const all = verdict.errors.map(({ path, message }) => `\n  ${path === '' ? '(all of it)' : path}: ${message}`);
  throw new WireproofError(
    'bad-usage',
    `These arguments do not fit ${signature(name, schema, longestSignature)}:${all.join('')}\n--no-validate sends them all the same.`,
  );
}

async function judgeOutput(tool: JsonObject, result: unknown, tell: Task['tell']): Promise<void> {
  if (!isObject(result) || result['isError'] === true || result['structuredContent'] === undefined) return;
  const { SchemaChecker } = await import('../../io/schema-worker/schema-checker.ts');
  const checker = new SchemaChecker();
  const verdict = await checker.check(tool['outputSchema'], result['structuredContent']);
  checker.close();
  if ('unchecked' in verdict) tell(`the result was not checked: ${verdict.unchecked}`);
  if (!('errors' in verdict)) return;
  for (const { path, message } of verdict.errors) {
    tell(`the result does not fit the tool's outputSchema: ${path === '' ? '(all of it)' : path}: ${message}`);
  }
}
