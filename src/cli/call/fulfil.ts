import { discover, watch } from '../../commands/call.ts';
import type { Connection } from '../../commands/connect.ts';
import { said } from '../../core/peer/opening.ts';
import type { JsonObject } from '../../core/protocol/message.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import type { Outcome } from '../../io/session.ts';
import { agreementText, offerText } from '../text/offer-text.ts';
import { completionText, promptText, resourceText } from '../text/result-text.ts';
import { answered, codeOf } from './answered.ts';
import { readWords } from './argument-words.ts';
import { callTool } from './call-tool.ts';
import { request, type Task } from './task.ts';

/** Does what was asked for. @returns the exit code */
export async function fulfil(task: Task): Promise<number> {
  const { connection, options, words, terminal } = task;
  const level = options['logLevel'];
  if (typeof level === 'string') await setLogLevel(connection, level);
  if (options['ping'] === true) return ping(task);
  if (options['watch'] === true) return watching(task);
  if (typeof options['complete'] === 'string') return complete(task, options['complete']);
  if (typeof options['read'] === 'string') {
    return answered(task, await request(task, 'resources/read', { uri: options['read'] }), resourceText);
  }
  if (typeof options['prompt'] === 'string') {
    const params = { name: options['prompt'], arguments: await readWords(words, undefined) };
    return answered(task, await request(task, 'prompts/get', params), promptText);
  }
  if (words.length > 0) return callTool(task);
  const offer = await discover(connection);
  const { agreement, trace } = connection;
  const lines =
    options['json'] === true
      ? [JSON.stringify({ ...agreement, result: undefined, ...namesOf(offer), trace }, undefined, 2)]
      : offerText(agreement, offer, terminal.ink, options['verbose'] === true);
  await terminal.print(`${lines.join('\n')}\n`);
  return Object.values(offer).some(({ stopped, trouble }) => stopped ?? trouble) ? 1 : 0;
}

const namesOf = (offer: Awaited<ReturnType<typeof discover>>): Record<string, JsonObject[]> =>
  Object.fromEntries(Object.entries(offer).map(([name, { items }]) => [name, items]));

/** What may stand for an argument of a prompt, or of the template of a resource (server/utilities/completion). */
async function complete(task: Task, wanted: string): Promise<number> {
  const { options, words } = task;
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(wanted) ?? [];
  const { prompt, read } = options;
  if (name === '' || (typeof prompt !== 'string' && typeof read !== 'string')) {
    throw new WireproofError(
      'bad-usage',
      'Write --complete argument=begin together with --prompt NAME or --read TEMPLATE.',
    );
  }
  const ref =
    typeof prompt === 'string' ? { type: 'ref/prompt', name: prompt } : { type: 'ref/resource', uri: read as string };
  const given = await readWords(words, undefined);
  const context = Object.keys(given).length > 0 ? { context: { arguments: given } } : {};
  return answered(
    task,
    await request(task, 'completion/complete', { ref, argument: { name, value }, ...context }),
    completionText,
  );
}

async function watching({ connection, options, signal, terminal, tell }: Task): Promise<number> {
  const { read } = options;
  if (options['json'] !== true)
    await terminal.print(`${agreementText(connection.agreement, terminal.ink).join('\n')}\n`);
  if (options['quiet'] !== true) tell('watching what the server tells of itself; Ctrl-C ends it');
  const outcome = await watch(connection, typeof read === 'string' ? [read] : [], signal);
  if (outcome.kind === 'cancelled') return 0;
  tell(outcome.kind === 'error' ? `the server answered with an error: ${said(outcome.error)}` : endOf(outcome));
  return outcome.kind === 'result' ? 0 : 1;
}

function endOf(outcome: Outcome): string {
  if (outcome.kind === 'lost') return `it is over: ${outcome.lost.why}`;
  return 'the server says that nothing more will come';
}

async function ping({ connection, options, terminal, signal, tell }: Task): Promise<number> {
  const { agreement, trace } = connection;
  const begun = performance.now();
  const method = agreement.era === 'modern' ? 'server/discover' : 'ping';
  const outcome = await connection.request(method, {}, { signal });
  const took = Math.round(performance.now() - begun);
  if (options['json'] === true) {
    await terminal.print(`${JSON.stringify({ method, took, ...outcome, trace }, undefined, 2)}\n`);
    return codeOf(outcome, tell);
  }
  const lines = agreementText(agreement, terminal.ink);
  if (outcome.kind === 'result') lines.push(`it answered ${method} in ${took} ms`);
  await terminal.print(`${lines.join('\n')}\n`);
  return codeOf(outcome, tell);
}

/** Of the handshake's era a request says it once, later each request does (server/utilities/logging). */
async function setLogLevel(connection: Connection, level: string): Promise<void> {
  if (connection.agreement.era === 'modern') connection.session.client.logLevel = level;
  else await connection.request('logging/setLevel', { level });
}
