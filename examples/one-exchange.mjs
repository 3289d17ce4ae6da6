// One whole MCP conversation, revision 2025-11-25, over stdio. One file, no packages.
//
//   node one-exchange.mjs                 the client; starts this file again as the server
//   node one-exchange.mjs -- COMMAND...   the client; starts COMMAND as the server
//   node one-exchange.mjs --server        the server; type messages into it, one a line
//
// Three roles, kept apart below:
//   host     the application: starts the server, decides what to call, judges what comes back
//   client   the host's end of the wire: speaks the protocol with one server
//   server   a process of its own: offers a tool and answers what it is asked
//
// Nothing is simulated: host and server are two processes, and share only two pipes. A message
// is one line of JSON: `→` went into the server's stdin, `←` came out of its stdout.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const VERSION = '2025-11-25';

// A line ends at the byte 0x0A and nowhere else. A chunk may end anywhere, even inside a
// character, so bytes are gathered first and only whole lines are decoded.
async function* lines(stream) {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk]);
    for (let end; (end = rest.indexOf(0x0a)) >= 0; rest = rest.subarray(end + 1)) {
      if (String(rest.subarray(0, end)).trim()) yield rest.subarray(0, end);
    }
  }
  if (String(rest).trim()) yield rest;
}

function parse(line) {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    return undefined; // no JSON, or no UTF-8
  }
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value) => typeof value === 'string' || Number.isSafeInteger(value);
const refusal = (code, message) => ({ error: { code, message } });

// The server.
const properties = { text: { type: 'string', maxLength: 1000 } };
const TOOL = {
  name: 'count_words',
  description: 'Counts whitespace-separated tokens. This is not a language-aware word count.',
  inputSchema: { type: 'object', properties, required: ['text'], additionalProperties: false },
};
let initialized = false;

async function serve() {
  process.stdout.on('error', () => process.exit(1)); // nobody reads the answers any more
  console.error('server: ready'); // stdout belongs to the protocol, so logs go to stderr
  for await (const line of lines(process.stdin)) {
    const reply = replyTo(parse(line));
    if (reply) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...reply })}\n`);
  }
  console.error('server: input closed');
}

function replyTo(message) {
  if (message === undefined) return refusal(-32700, 'That line is not JSON');
  const { jsonrpc, id, method, params = {}, result, error } = message ?? {};
  if (method === undefined && (result || error)) return undefined; // a response; nothing was asked
  if (jsonrpc !== '2.0' || typeof method !== 'string' || (id !== undefined && !isId(id))) {
    // An answer names the id it is for, and none at all when that cannot be read.
    return { id: isId(id) ? id : undefined, ...refusal(-32600, 'That is not a request') };
  }
  if (id === undefined) return undefined; // a notification, which is never answered
  return { id, ...answer(method, params) };
}

function answer(method, params) {
  if (!isObject(params)) return refusal(-32602, 'params must be an object');
  if (method === 'ping') return { result: {} };
  if (method === 'initialize') {
    const { protocolVersion, capabilities, clientInfo } = params;
    const complete = typeof protocolVersion === 'string' && capabilities && clientInfo;
    if (!complete) return refusal(-32602, 'protocolVersion, capabilities or clientInfo is missing');
    initialized = true;
    // Whatever version was asked for, this is the one spoken here. The client decides.
    const serverInfo = { name: 'one-exchange-server', version: '1.0.0' };
    return { result: { protocolVersion: VERSION, capabilities: { tools: {} }, serverInfo } };
  }
  if (!initialized) return refusal(-32600, 'initialize comes first');
  if (method === 'tools/list') return { result: { tools: [TOOL] } };
  if (method !== 'tools/call') return refusal(-32601, `Unknown method: ${method}`);
  const { name, arguments: input = {} } = params;
  if (name !== TOOL.name) return refusal(-32602, `Unknown tool: ${name}`);
  if (!isObject(input)) return refusal(-32602, 'arguments must be an object');
  return { result: countWords(input) };
}

// A wrong argument is an outcome, not a protocol error: the model can read it and try again.
function countWords({ text, ...others }) {
  const failure = (reason) => ({ content: [{ type: 'text', text: reason }], isError: true });
  if (typeof text !== 'string') return failure('text is required and must be a string');
  const characters = Array.from(text).length; // code points, as JSON Schema counts
  if (characters > 1000) return failure('text must have at most 1000 characters');
  if (Object.keys(others).length > 0) return failure(`unknown: ${Object.keys(others).join(', ')}`);
  return { content: [{ type: 'text', text: String(text.match(/\S+/g)?.length ?? 0) }] };
}

// The client.
function connect(server) {
  const incoming = lines(server.stdout);
  let lastId = 0;
  const send = (message) => {
    const line = JSON.stringify({ jsonrpc: '2.0', ...message });
    console.log(`→ ${line}`);
    server.stdin.write(`${line}\n`);
  };
  const receive = async () => {
    const { value: line, done } = await incoming.next();
    if (done) return undefined;
    console.log(`← ${line}`);
    const message = parse(line);
    assert(message?.jsonrpc === '2.0', 'the server wrote a line that is no message');
    if (message.method === 'ping') send({ id: message.id, result: {} });
    return message.method === undefined ? message : receive(); // only answers are waited for
  };
  const request = async (method, params) => {
    send({ id: ++lastId, method, params });
    const message = await within10Seconds(receive(), `no answer to ${method}`);
    assert(message, `the server closed its output without answering ${method}`);
    assert(message.id === lastId, `not the answer to ${method}: its id is not ${lastId}`);
    const { result, error } = message;
    assert(!error, `${method} was refused: ${JSON.stringify(error)}`);
    assert(isObject(result), `the answer to ${method} has no result`);
    return result;
  };
  return { request, notify: (method) => send({ method }), receive };
}

function within10Seconds(promise, complaint) {
  const late = sleep(10_000, null, { ref: false });
  return Promise.race([promise, late.then(() => assert.fail(`${complaint} within 10 seconds`))]);
}

// The host.
async function host([command, ...args]) {
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  server.stdin.on('error', () => {}); // the server is gone, as the missing answer will tell
  try {
    await once(server, 'spawn').catch(() => assert.fail(`cannot start ${command}; is it there?`));
    const ended = once(server, 'exit');
    const client = connect(server);
    await converse(client);
    server.stdin.end(); // this is how a server is asked to end; a signal is the last resort
    const surplus = await within10Seconds(client.receive(), 'the server did not end its output');
    assert(!surplus, 'the server sent an answer to nothing');
    const [code, signal] = await within10Seconds(ended, 'the server did not end');
    assert(code === 0, `the server ended with ${signal ?? `exit code ${code}`}`);
  } catch (error) {
    console.error(`client: ${error.message}`);
    process.exitCode = 1;
    server.stdout.destroy();
    server.kill();
    server.unref();
  }
}

async function converse({ request, notify }) {
  // 1. Initialize: agree on a version, and tell each other what may be asked for.
  const clientInfo = { name: 'one-exchange-client', version: '1.0.0' };
  const offer = { protocolVersion: VERSION, capabilities: {}, clientInfo };
  const { protocolVersion } = await request('initialize', offer);
  assert(protocolVersion === VERSION, `the server speaks ${protocolVersion}, not ${VERSION}`);
  notify('notifications/initialized');
  // 2. Discover: what does this server offer?
  const { tools } = await request('tools/list');
  const tool = tools?.find(({ name }) => name === TOOL.name);
  assert(tool, `the server has no tool ${TOOL.name}`);
  // 3. Call: twice as it should be, then with an argument of the wrong type.
  const count = async (text) => {
    const call = { name: TOOL.name, arguments: { text } };
    const { content, isError } = await request('tools/call', call);
    return isError ? 'isError' : content?.map((item) => item.text).join();
  };
  // 4. Inspect: an answer is not a success yet, so look at what it says.
  assert((await count('Tools return evidence')) === '3', 'three words were not counted as 3');
  assert((await count('')) === '0', 'an empty text was not counted as 0');
  assert((await count(42)) === 'isError', 'a number was not refused with isError');
}

const [option, ...command] = process.argv.slice(2);
if (option === '--server') await serve();
else if (!option) await host([process.execPath, import.meta.filename, '--server']);
else if (option === '--' && command[0]) await host(command);
else {
  console.error('usage: node one-exchange.mjs [--server | -- COMMAND...]');
  process.exitCode = 1;
}
