import { discover, requestToEnd, watch } from '../commands/call.ts';
import type { Connection } from '../commands/connect.ts';
import { Host, readAnswers } from '../commands/host.ts';
import { openServer } from '../commands/open-server.ts';
import { said } from '../core/peer/opening.ts';
import { isCalledAsTask } from '../core/peer/tasks.ts';
import { isObject, type JsonObject } from '../core/protocol/message.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import type { ServerProcess } from '../io/channels/server-process.ts';
import type { Outcome } from '../io/session.ts';
import { askForm, askUrl } from './ask.ts';
import { askVisited } from './ask-visited.ts';
import { notified, showProgress, strayText, visibleLines } from './call-notices.ts';
import { readEra, readTarget, readWords } from './call-words.ts';
import { readConnectOptions } from './connect-options.ts';
import { howCalled } from './how-called.ts';
import { keepFile } from './keep-file.ts';
import { mayAskToSignIn, openAuthorizer } from './sign-in-options.ts';
import { tell } from './tell.ts';
import { openTerminal, type Terminal } from './terminal.ts';
import { agreementText, offerText } from './text/offer-text.ts';
import { completionText, promptText, resourceText, toolResultText } from './text/result-text.ts';
import type { Given } from './verbs.ts';

const interrupted = 130;

/**
 * Does what `call` was asked for.
 *
 * @param started the server, where it was started while this was being loaded
 * @returns the exit code
 */
export async function beHost(given: Given, started: ServerProcess | undefined): Promise<number> {
  const { options } = given;
  const { target, words } = await readTarget(given, tell);
  const terminal = openTerminal(options['color'] !== false && options['json'] !== true);
  const isQuiet = options['quiet'] === true;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const connecting = readConnectOptions(options);
  const host = await openHost(options, connecting.timeout);
  const schemas = new Map<string, unknown>();
  const text = (name: string): string | undefined => options[name] as string | undefined;
  const signIn = { mayAsk: mayAskToSignIn(options), afresh: false, signal: stop.signal };
  const authorizer = await openAuthorizer(target, options, signIn);
  const connection = await openServer(
    {
      ...connecting,
      target,
      started,
      era: readEra(text('era')),
      revision: text('revision'),
      capabilities: host.capabilities,
      schemaOf: (tool) => schemas.get(tool),
      authorizer,
    },
    {
      ...(authorizer ? { refused: authorizer.refused } : {}),
      request: (method, params) => host.answer(method, params),
      notification: (method, params) => {
        host.heard(method, params);
        notified(method, params, options['watch'] === true);
      },
      stray: (heard) => tell(`${heard.kind === 'stray' ? 'no message' : 'an answer to nothing'}: ${strayText(heard)}`),
      undelivered: (what, { why }) => tell(`${what ?? 'an answer to the server'} did not get through: ${why}`),
      told: tell,
      stderr: (bytes) => void (isQuiet || process.stderr.write(visibleLines(bytes))),
    },
  );
  const task = { connection, host, words, options, terminal, signal: stop.signal, schemas };
  try {
    const code = await fulfil(task);
    return stop.signal.aborted && options['watch'] !== true ? interrupted : code;
  } finally {
    await connection.close();
    if (!isQuiet && options['json'] !== true) tell(`recorded: ${howCalled()} show ${connection.trace}`);
  }
}

interface Task {
  connection: Connection;
  host: Host;
  words: readonly string[];
  options: Given['options'];
  terminal: Terminal;
  signal: AbortSignal;
  /** The input schemas of tools, by their names. */
  schemas: Map<string, unknown>;
}

/** Does what was asked for. @returns the exit code */
async function fulfil(task: Task): Promise<number> {
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
      : offerText(agreement, offer, terminal.ink);
  await terminal.print(`${lines.join('\n')}\n`);
  return Object.values(offer).some(({ stopped, trouble }) => stopped ?? trouble) ? 1 : 0;
}

const namesOf = (offer: Awaited<ReturnType<typeof discover>>): Record<string, JsonObject[]> =>
  Object.fromEntries(Object.entries(offer).map(([name, { items }]) => [name, items]));

async function callTool(task: Task): Promise<number> {
  const { connection, words, options } = task;
  const [name = '', ...rest] = words;
  const { items } = await connection.list('tools/list', 'tools');
  const tool = items.find((one) => one['name'] === name);
  task.schemas.set(name, tool?.['inputSchema']);
  if (!tool && options['validate'] !== false) {
    const names = items.map((one) => String(one['name'])).join(', ');
    throw new WireproofError('bad-usage', `The server has no tool "${name}". It has ${names || 'none'}.`);
  }
  const given = await readWords(rest, tool?.['inputSchema']);
  if (tool && options['validate'] !== false) await refuseMisfits(name, tool['inputSchema'], given);
  const asTask = isCalledAsTask(tool, connection.agreement) ? { task: {} } : {};
  const outcome = await request(task, 'tools/call', { name, arguments: given, ...asTask });
  const code = await answered(task, outcome, toolResultText);
  if (tool?.['outputSchema'] !== undefined && outcome.kind === 'result') await judgeOutput(tool, outcome.result);
  return code;
}

/** @throws WireproofError `bad-usage` with all that does not fit */
async function refuseMisfits(name: string, schema: unknown, given: JsonObject): Promise<void> {
  const { SchemaChecker } = await import('../io/schema-worker/schema-checker.ts');
  const checker = new SchemaChecker();
  const verdict = await checker.check(schema, given);
  checker.close();
  if ('unchecked' in verdict) tell(`the arguments were not checked: ${verdict.unchecked}`);
  if (!('errors' in verdict)) return;
  const all = verdict.errors.map(({ path, message }) => `\n  ${path === '' ? '(all of it)' : path}: ${message}`);
  throw new WireproofError(
    'bad-usage',
    `These arguments do not fit ${name}:${all.join('')}\n--no-validate sends them all the same.`,
  );
}

async function judgeOutput(tool: JsonObject, result: unknown): Promise<void> {
  if (!isObject(result) || result['isError'] === true) return;
  const { SchemaChecker } = await import('../io/schema-worker/schema-checker.ts');
  const checker = new SchemaChecker();
  const verdict = await checker.check(tool['outputSchema'], result['structuredContent']);
  checker.close();
  if (!('errors' in verdict)) return;
  for (const { path, message } of verdict.errors)
    tell(`the result does not fit the tool's outputSchema: ${path}: ${message}`);
}

function request({ connection, host, signal }: Task, method: string, params: JsonObject): Promise<Outcome> {
  return requestToEnd(connection, host, { method, params, options: { signal, progress: showProgress } });
}

/** Prints what came. @returns 0 where all is well, 1 where the tool or the server says no, 2 where there was no answer */
async function answered(
  { options, terminal, connection }: Task,
  outcome: Outcome,
  lines: typeof toolResultText,
): Promise<number> {
  if (options['json'] === true) {
    await terminal.print(`${JSON.stringify({ ...outcome, trace: connection.trace }, undefined, 2)}\n`);
  } else if (outcome.kind === 'result' && isObject(outcome.result)) {
    const printed = await lines(outcome.result, terminal.ink, keepFile(connection.trace));
    if (printed.length > 0) await terminal.print(`${printed.join('\n')}\n`);
  }
  switch (outcome.kind) {
    case 'result':
      if (!isObject(outcome.result) || outcome.result['isError'] !== true) return 0;
      tell('the tool says that it failed (isError)');
      return 1;
    case 'error':
      tell(`the server refused it: ${said(outcome.error)}`);
      return 1;
    case 'lost':
      tell(
        `${outcome.lost.why}. ${outcome.lost.neverLeft ? 'The request never reached the server.' : 'Whether the server did it is not known.'}`,
      );
      return 2;
    case 'silence':
      tell(`no answer in ${outcome.after} ms; the request was cancelled. --timeout waits longer.`);
      return 2;
    default:
      return interrupted;
  }
}

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

async function watching({ connection, options, signal, terminal }: Task): Promise<number> {
  const { read } = options;
  await terminal.print(`${agreementText(connection.agreement, terminal.ink).join('\n')}\n`);
  tell('watching; Ctrl-C ends it');
  const outcome = await watch(connection, typeof read === 'string' ? [read] : [], signal);
  if (outcome.kind === 'cancelled') return 0;
  tell(outcome.kind === 'error' ? `the server refused it: ${said(outcome.error)}` : 'the server told that this is all');
  return outcome.kind === 'result' ? 0 : 1;
}

async function ping({ connection, terminal }: Task): Promise<number> {
  const begun = performance.now();
  const method = connection.agreement.era === 'modern' ? 'server/discover' : 'ping';
  const outcome = await connection.request(method);
  const lines = agreementText(connection.agreement, terminal.ink);
  await terminal.print(
    `${lines.join('\n')}\n${method}: ${outcome.kind} in ${Math.round(performance.now() - begun)} ms\n`,
  );
  return outcome.kind === 'result' ? 0 : 1;
}

/** Of the handshake's era a request says it once, later each request does (server/utilities/logging). */
async function setLogLevel(connection: Connection, level: string): Promise<void> {
  if (connection.agreement.era === 'modern') connection.session.client.logLevel = level;
  else await connection.request('logging/setLevel', { level });
}

async function openHost(options: Given['options'], patience: number): Promise<Host> {
  const file = options['answer'] as string | undefined;
  const isThere = process.stdin.isTTY && process.stderr.isTTY && options['json'] !== true;
  return new Host({
    answers: file === undefined ? undefined : await readAnswers(file),
    samplingCommand: options['samplingCommand'] as string | undefined,
    roots: (options['setRoots'] as string[] | undefined) ?? [],
    askForm: isThere ? askForm : undefined,
    askUrl: isThere ? askUrl : undefined,
    askVisited: isThere ? askVisited : undefined,
    patience,
    told: tell,
    status: options['quiet'] === true ? undefined : tell,
  });
}
