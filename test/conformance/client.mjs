// The client that the official conformance suite starts, with the address of its server: it does what the scenario asks
// for by calling `wireproof call` as a user would. What goes wrong here is a line on stderr that begins with "client: ".
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const skills = 'call does not offer the extension io.modelcontextprotocol/skills: it never asks for skills/list';
const dpop = 'wireproof signs in with Bearer tokens only: a proof for each request (RFC 9449) is not made yet';

/** Scenarios that call cannot do, and why. One that passes does not belong here. */
export const doesNotApply = {
  'auth/dpop': dpop,
  'auth/dpop-nonce': dpop,
  'auth/enterprise-managed-authorization':
    'call has no option for an identity provider and its ID token, which are exchanged (RFC 8693) for an assertion',
  'auth/wif-jwt-bearer': 'call has no option for the assertion of a workload (RFC 7523, section 2.1)',
  'sep-2640-client-no-prefetch': skills,
  'sep-2640-client-verify-digest': skills,
  'sep-2640-client-verify-frontmatter': skills,
  'sep-2640-client-verify-size': skills,
};

/** What call has to refuse, and what it says then: the suite takes any client that ends for one that refused. */
const refusals = {
  'auth/resource-mismatch': 'its resource is https://evil.example.com/mcp, which is not this server',
  'auth/iss-supported-missing': 'response parameter "iss" (issuer) missing',
  'auth/iss-wrong-issuer': 'unexpected "iss" (issuer) response parameter value',
  'auth/iss-unexpected': 'unexpected "iss" (issuer) response parameter value',
  'auth/iss-normalized': 'unexpected "iss" (issuer) response parameter value',
  'auth/metadata-issuer-mismatch': 'its issuer is "https://attacker.example.com" and not',
  'auth/scope-retry-limit': 'The server wants more scopes once more',
};

const wireproof = fileURLToPath(new URL('../../dist/wireproof.cjs', import.meta.url));

/** Accepts each form as the server filled it in. */
const accept = JSON.stringify({ 'elicitation/create': { action: 'accept' } });

const onlyLists = () => [{ words: [] }];

/** What each scenario is done by: the words behind the address, call by call. One that `mayFail` may be refused. */
const scenarios = {
  initialize: onlyLists,
  tools_call: () => [{ words: ['add_numbers', 'a=2', 'b=3'] }],
  'elicitation-sep1034-client-defaults': () => [{ words: ['test_client_elicitation_defaults'] }],
  'sse-retry': () => [{ words: ['test_reconnection'] }],
  'request-metadata': onlyLists,
  'sep-2322-client-request-state': () =>
    ['echo_state', 'unrelated', 'no_state', 'no_result_type'].map((tool) => ({ words: [`test_mrtr_${tool}`] })),
  'sep-2640-client-no-prefetch': onlyLists,
  'sep-2640-client-verify-digest': onlyLists,
  'sep-2640-client-verify-frontmatter': onlyLists,
  'sep-2640-client-verify-size': onlyLists,
  'http-standard-headers': () => [
    { words: [] },
    { words: ['test_headers'] },
    { words: ['my-hyphenated-tool'] },
    { words: ['--read', 'file:///path/to/file%20name.txt'] },
    { words: ['--read', 'https://example.com/resource?id=123'] },
    { words: ['--prompt', 'test_prompt'] },
  ],
  // One of the values is null where the schema wants a boolean.
  'http-custom-headers': ({ toolCalls }) =>
    toolCalls.map(({ name, arguments: given }) => ({ words: ['--no-validate', name, JSON.stringify(given)] })),
  'http-invalid-tool-headers': async () => [
    ...(await listedTools()).map(({ name, inputSchema }) => ({ words: [name, fitting(inputSchema)] })),
    { words: ['invalid_space_in_name', 'value=a'], mayFail: true },
  ],
  // The server can only list its tools; a call makes wireproof read the schema.
  'json-schema-ref-no-deref': () => [{ words: [] }, { words: ['lookup_user', 'id=1', 'profile:={}'], mayFail: true }],
  'json-schema-2020-12-preservation': async () => {
    const { inputSchema } = (await listedTools()).find(({ name }) => name === 'json_schema_2020_12_tool');
    return [{ words: ['json_schema_echo', JSON.stringify({ schema: inputSchema })] }];
  },
};

const values = { string: 'a', integer: 1, number: 1, boolean: true, object: {}, array: ['a'], null: null };

/** Arguments that a tool takes, so that only what is wrong with the tool itself can keep it from being called. */
const fitting = ({ properties }) =>
  JSON.stringify(Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, values[type]])));

const env = process.env;
const [url] = process.argv.slice(-1);
const place = env.WIREPROOF_HOME;

/** How to sign in for a scenario of authorization: with what the suite gives, else with a document, else by registration. */
function signInWords(scenario, { client_id: id, client_secret: secret, private_key_pem: key }) {
  const words = ['--no-browser'];
  if (id === undefined)
    return [...words, '--client-metadata-url', 'https://conformance-test.local/client-metadata.json'];
  words.push('--client-id', id);
  if (secret !== undefined) {
    env.CONFORMANCE_SECRET = secret;
    words.push('--client-secret-env', 'CONFORMANCE_SECRET');
  }
  if (key !== undefined) {
    writeFileSync(join(place, 'client-key.pem'), key, { mode: 0o600 });
    words.push('--client-key', join(place, 'client-key.pem'));
  }
  if (scenario.startsWith('auth/client-credentials')) words.push('--client-credentials');
  return words;
}

/** Calls, and goes to each address to sign in at, as a browser would. */
function call(words) {
  process.stderr.write(`\n$ wireproof call ${words.join(' ')}\n`);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [wireproof, 'call', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const visited = new Set();
    let printed = '';
    let told = '';
    child.stdout.on('data', (chunk) => (printed += chunk)).pipe(process.stdout);
    child.stderr.on('data', (chunk) => {
      process.stderr.write(chunk);
      told += chunk;
      for (const [, address] of told.matchAll(/^wireproof: (https?:\S+)\n/gm)) {
        if (visited.has(address)) continue;
        visited.add(address);
        fetch(address).catch((error) => process.stderr.write(`client: the browser: ${error.message}\n`));
      }
    });
    child.on('close', (code) => resolve({ code, printed, told }));
  });
}

async function listedTools() {
  const { printed } = await call(['--json', url]);
  return JSON.parse(printed).tools;
}

/** @returns why the scenario was not done as it should be, if it was not */
async function play(scenario, context) {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'answers.json'), accept);
  // Scenarios of authorization have one tool.
  const isAuthorization = scenario.startsWith('auth/');
  const always = isAuthorization ? signInWords(scenario, context) : ['--answer', join(place, 'answers.json')];
  const calls = isAuthorization ? [{ words: ['test-tool'] }] : await scenarios[scenario]?.(context);
  if (!calls) return `test/conformance/client.mjs has no words for ${scenario}`;
  const refusal = refusals[scenario];
  for (const { words, mayFail } of calls) {
    const { code, told } = await call([...always, url, ...words]);
    if (refusal !== undefined && !(code === 2 && told.includes(refusal))) return `call did not say: ${refusal}`;
    if (refusal === undefined && code !== 0 && !mayFail) return `call ${words.join(' ')} ended with ${code}`;
  }
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const trouble = await play(env.MCP_CONFORMANCE_SCENARIO, JSON.parse(env.MCP_CONFORMANCE_CONTEXT ?? '{}')).catch(
    (error) => error.stack,
  );
  if (trouble !== undefined) process.stderr.write(`client: ${trouble}\n`);
  process.exitCode = trouble === undefined ? 0 : 1;
}
