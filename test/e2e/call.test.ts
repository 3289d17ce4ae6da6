import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { type Host, server, shell, test, wireproof } from './support/host.ts';

const example = (file: string): string[] => [
  process.execPath,
  fileURLToPath(new URL(`../../examples/${file}`, import.meta.url)),
  '--server',
];
const everything = [
  process.execPath,
  fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url)),
  'stdio',
];

/** Runs `wireproof call` to its end. */
async function call(
  host: Host,
  words: readonly string[],
  command: readonly string[],
  options: { env?: Record<string, string> } = {},
) {
  const started = host.start([process.execPath, wireproof, 'call', ...words, '--', ...command], options);
  started.endInput();
  const { code } = await started.ended;
  return { code, stdout: started.stdout.text, stderr: started.stderr.text };
}

describe.concurrent('what a server offers', () => {
  test.for([
    { file: 'one-exchange.mjs', era: 'legacy', revision: '2025-11-25' },
    { file: 'one-exchange-modern.mjs', era: 'modern', revision: '2026-07-28' },
  ])('$era', async ({ file, era, revision }, { host }) => {
    const { code, stdout } = await call(host, [], example(file));
    expect(code).toBe(0);
    expect(stdout).toContain(`revision ${revision} (${era} era)`);
    expect(stdout).toContain('Tools (1)');
    expect(stdout).toContain('count_words(text: string)');
    await host.nothingLeft();
  });

  test('of a real one, as JSON, and all of it is recorded', async ({ host }) => {
    const { code, stdout } = await call(host, ['--json', '--quiet'], everything);
    expect(code).toBe(0);
    const said = JSON.parse(stdout) as {
      revision: string;
      tools: { name: string }[];
      prompts: unknown[];
      trace: string;
    };
    expect(said.revision).toBe('2025-11-25');
    expect(said.tools.map(({ name }) => name)).toContain('echo');
    expect(said.prompts.length).toBeGreaterThan(0);
    const verified = host.start([process.execPath, wireproof, 'verify', said.trace]);
    expect((await verified.ended).code).toBe(0);
    expect(verified.stdout.text).toContain('Complete');
  });

  test('a server that cannot be started is told, and where it was looked for', async ({ host }) => {
    const { code, stderr } = await call(host, [], ['no-such-program']);
    expect(code).toBe(2);
    expect(stderr).toContain('no-such-program');
  });

  test('a server that answers nothing is told', async ({ host }) => {
    const { code, stderr } = await call(host, ['--era', 'legacy', '--timeout', '300ms'], shell('cat >/dev/null'));
    expect(code).toBe(2);
    expect(stderr).toContain('did not answer initialize');
    await host.nothingLeft();
  });

  test('words that are wrong leave no server behind', async ({ host }) => {
    const { code, stderr } = await call(host, ['--era', 'new'], server('obeys-nothing.mjs'));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('--era "new" is not known') });
    await host.nothingLeft();
  });

  test('a recording that is there is kept, and the one that is made is told', async ({ host }) => {
    writeFileSync(host.path('mine.jsonl'), 'mine');
    const { stderr } = await call(host, ['--trace', 'mine.jsonl'], example('one-exchange.mjs'));
    expect(stderr).toMatch(/recorded: .* show \S*mine-2\.jsonl/);
  });

  test('what a server prints beside the protocol is told and does not stop it', async ({ host }) => {
    const { code, stdout, stderr } = await call(host, [], server('banner-on-stdout.mjs'));
    expect(code).toBe(0);
    expect(stdout).toContain('revision');
    expect(stderr).toContain('the server sent what is no MCP message: ');
  });
});

describe.concurrent('a tool is called', () => {
  test('with arguments of the types that its schema names', async ({ host }) => {
    const { code, stdout } = await call(host, ['get-sum', 'a=40', 'b=2'], everything);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('42') });
  });

  test.for([
    { name: 'JSON', words: ['{"text": "one two"}'] },
    { name: 'name:=JSON', words: ['text:="one two"'] },
    { name: 'name=value', words: ['text=one two'] },
  ])('given as $name', async ({ words }, { host }) => {
    const { code, stdout } = await call(host, ['count_words', ...words], example('one-exchange.mjs'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: '2\n' });
  });

  test('given in a file', async ({ host }) => {
    writeFileSync(host.path('arguments.json'), '{"text":"a b c"}');
    const { stdout } = await call(host, ['count_words', '@arguments.json'], example('one-exchange-modern.mjs'));
    expect(stdout).toBe('3\n');
  });

  test('all that does not fit is said at once, and nothing is sent', async ({ host }) => {
    const { code, stdout, stderr } = await call(host, ['get-sum', 'a=x'], everything);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/\ba\b.*number/s);
  });

  test('what does not fit is sent where that is wanted: the tool says what it thinks of it', async ({ host }) => {
    const words = ['--no-validate', 'count_words', '{"text":5}'];
    const { code, stdout, stderr } = await call(host, words, example('one-exchange.mjs'));
    expect(code).toBe(1);
    expect(stdout).not.toBe('');
    expect(stderr).toContain('isError');
  });

  test('one that is not there is told, with those that are', async ({ host }) => {
    const { code, stderr } = await call(host, ['nothing'], example('one-exchange.mjs'));
    expect(code).toBe(2);
    expect(stderr).toContain('count_words');
  });

  test('Ctrl-C cancels it by the protocol’s way', async ({ host }) => {
    const started = host.start([
      process.execPath,
      wireproof,
      'call',
      'count',
      'to=1000',
      '--',
      ...server('both-eras.mjs'),
    ]);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(130);
    expect(readFileSync(host.recordings()[0] as string, 'utf8')).toContain('notifications/cancelled');
    await host.nothingLeft();
  });
});

describe.concurrent('a server asks back', () => {
  test('is declined where nobody is there to answer, and the way to answer is told', async ({ host }) => {
    const { stderr } = await call(host, ['--no-validate', 'greet'], server('asks-back.mjs'));
    expect(stderr).toContain('--answer FILE');
  });

  test('is answered from a file', async ({ host }) => {
    const answers = { 'elicitation/create': { action: 'accept', content: { name: 'Ada' } } };
    writeFileSync(host.path('answers.json'), JSON.stringify(answers));
    const words = ['--no-validate', '--answer', 'answers.json', 'greet'];
    const { code, stdout } = await call(host, words, server('asks-back.mjs'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello Ada\n' });
  });

  test('is answered with what the form has already, where the answer has no content', async ({ host }) => {
    writeFileSync(host.path('answers.json'), '{"elicitation/create":{"action":"accept"}}');
    const words = ['--no-validate', '--answer', 'answers.json', 'greet'];
    const { code, stdout } = await call(host, words, server('asks-back.mjs'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello nobody\n' });
  });
});

describe.concurrent('the other things that servers have', () => {
  test('a resource', async ({ host }) => {
    const { code, stdout } = await call(host, ['--read', 'test://readme'], server('both-eras.mjs'));
    expect(code).toBe(0);
    expect(stdout).toContain('Read me.');
  });

  test('a prompt', async ({ host }) => {
    const { code, stdout } = await call(host, ['--prompt', 'greet', 'name=Ada'], server('both-eras.mjs'));
    expect(code).toBe(0);
    expect(stdout).toContain('Greet Ada.');
  });

  test('a sign of life', async ({ host }) => {
    const { code, stdout } = await call(host, ['--ping'], server('both-eras.mjs'));
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/it answered server\/discover in \d+ ms\n$/),
    });
  });
});

describe.concurrent('which era a server speaks', () => {
  test('one that ends at the first question is started once more, and remembered', async ({ host }) => {
    const script = `const lines = require('readline').createInterface({ input: process.stdin });
      lines.on('line', (line) => { const { id, method } = JSON.parse(line);
        if (method === 'server/discover') process.exit(3);
        const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'old', version: '1' } };
        if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result })); })`;
    const command = [process.execPath, '-e', script];
    const first = await call(host, [], command);
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('the server is started once more, with initialize');
    expect(host.recordings().length).toBe(2);
    const second = await call(host, [], command);
    expect(second.stdout).toContain('revision 2025-06-18 (legacy era)');
    expect(second.stderr).not.toContain('once more');
  });

  test('the user’s word counts', async ({ host }) => {
    const { stdout } = await call(host, ['--revision', '2025-03-26'], server('both-eras.mjs'));
    expect(stdout).toContain('revision 2025-03-26 (legacy era)');
    const { code, stderr } = await call(host, ['--era', 'modern'], example('one-exchange.mjs'));
    expect(code).toBe(2);
    expect(stderr).toContain('does not speak 2026-07-28');
  });
});
