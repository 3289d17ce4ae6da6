import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import type { connect as Connect } from '../../src/client.ts';
import { type Host, server, test, wireproof } from './support/host.ts';
import { until } from './support/until.ts';

const built = fileURLToPath(new URL('../../dist/client.js', import.meta.url));
const { connect } = (await import(built)) as { connect: typeof Connect };

const everything = [
  process.execPath,
  fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url)),
  'stdio',
];

const begin = (host: Host, words: readonly string[], command: readonly string[]) => {
  const started = host.start([process.execPath, wireproof, 'call', ...words, '--', ...command]);
  started.endInput();
  return started;
};

/** Runs `wireproof call` to its end. */
async function call(host: Host, words: readonly string[], command: readonly string[]) {
  const started = begin(host, words, command);
  const { code } = await started.ended;
  return { code, stdout: started.stdout.text, stderr: started.stderr.text };
}

/** Runs it until the task goes on, and presses Ctrl-C. */
async function interrupted(host: Host, words: readonly string[], command: readonly string[]) {
  const started = begin(host, words, command);
  await started.line('working', 'stderr');
  started.child.kill('SIGINT');
  const { code } = await started.ended;
  return { code, stderr: started.stderr.text };
}

/** The options that answer what a server asks for. */
function answering(host: Host, answer: object): string[] {
  writeFileSync(host.path('answers.json'), JSON.stringify({ 'elicitation/create': answer }));
  return ['--answer', 'answers.json'];
}

const ada = { action: 'accept', content: { name: 'Ada' } };

/** All that was recorded, the messages as they stood on the wire. */
const recording = (host: Host): string =>
  host
    .recordings()
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

describe.concurrent('a task of 2025-11-25', () => {
  const tasks = server('legacy-tasks.mjs');

  test('of a real server is gone with to its end', async ({ host }) => {
    const answer = answering(host, { action: 'accept', content: { interpretation: 'snake' } });
    const words = [...answer, 'simulate-research-query', 'topic=python', 'ambiguous=true'];
    const { code, stdout, stderr } = await call(host, words, everything);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Research Report: python (snake)'),
    });
    expect(stderr).toMatch(/task \w+ waits for input: Found multiple interpretations/);
  });

  test('asks in its midst, and the answer says of which task it is', async ({ host }) => {
    const { code, stdout } = await call(host, ['--era', 'legacy', ...answering(host, ada), 'ask'], tasks);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello Ada, of task-1\n' });
  });

  test('is not made of a tool that can do without', async ({ host }) => {
    const { stdout } = await call(host, ['--era', 'legacy', 'either'], tasks);
    expect(stdout).toBe('plainly\n');
  });

  test('that fails is told, and has the error of its request', async ({ host }) => {
    const { code, stderr } = await call(host, ['--era', 'legacy', 'fail'], tasks);
    expect(code).toBe(1);
    expect(stderr).toContain('task task-1 failed: bad luck');
    expect(stderr).toContain('the server answered with an error: -32000 it broke');
  });

  test('that the server cancels has no answer', async ({ host }) => {
    const { code, stderr } = await call(host, ['--era', 'legacy', 'stop'], tasks);
    expect(code).toBe(2);
    expect(stderr).toContain('the server ended the task (cancelled: shutting down)');
  });

  test('is not waited for longer than the server tells of it', async ({ host }) => {
    const { code, stdout } = await call(host, ['--era', 'legacy', 'told'], tasks);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'told of it\n' });
    expect(recording(host)).not.toContain('tasks/get');
  });

  test('is asked for again where a poll got no answer', async ({ host }) => {
    const { code, stdout } = await call(host, ['--era', 'legacy', '--timeout', '3s', 'deaf-once'], tasks);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'heard\n' });
  });

  test('is given up and cancelled where no poll gets an answer', async ({ host }) => {
    const { code } = await call(host, ['--era', 'legacy', '--timeout', '3s', 'deaf'], tasks);
    expect(code).toBe(2);
    expect(recording(host).match(/tasks\/get/g)).toHaveLength(4);
    expect(recording(host)).toContain('tasks/cancel');
  });

  test('is cancelled with tasks/cancel by Ctrl-C', async ({ host }) => {
    const { code, stderr } = await interrupted(host, ['--era', 'legacy', 'forever'], tasks);
    expect(code).toBe(130);
    expect(stderr).not.toContain('may go on');
    expect(recording(host)).toContain('tasks/cancel');
    expect(recording(host)).not.toContain('notifications/cancelled');
    await host.nothingLeft();
  });

  test('that never got an id is given up as any request', async ({ host }) => {
    const started = begin(host, ['--era', 'legacy', 'silent'], tasks);
    await until('the call is made', () => host.recorded('tools/call'));
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(130);
    expect(recording(host)).toContain('notifications/cancelled');
  });

  test('goes on where the server cannot cancel, which is told', async ({ host }) => {
    const { code, stderr } = await interrupted(
      host,
      ['--era', 'legacy', 'forever'],
      server('legacy-tasks.mjs', 'no-cancel'),
    );
    expect({ code, stderr }).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('this server cannot cancel tasks'),
    });
    expect(recording(host)).not.toContain('tasks/cancel');
  });

  test('is told with --json as any result, and quietly', async ({ host }) => {
    const words = ['--json', '--quiet', '--era', 'legacy', ...answering(host, ada), 'ask'];
    const { stdout, stderr } = await call(host, words, tasks);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'result',
      result: { content: [{ text: 'hello Ada, of task-1' }] },
    });
    expect(stderr).toBe('');
  });

  test('says nothing of the extension in the handshake, and that roots do not change', async ({ host }) => {
    await call(host, ['--era', 'legacy', '--ping'], tasks);
    const recorded = recording(host);
    expect(recorded).toContain('clientInfo');
    expect(recorded).not.toContain('extensions');
    expect(recorded).not.toContain('listChanged');
  });
});

describe.concurrent('a task of the extension', () => {
  const tasks = server('tasks-extension.mjs');

  test('is polled to its end, and what it asks for is answered once', async ({ host }) => {
    const { code, stdout } = await call(host, [...answering(host, ada), 'ask'], tasks);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello Ada, 1 update\n' });
  });

  test.for([
    { tool: 'isError', code: 1, says: 'the tool says that it failed' },
    { tool: 'fail', code: 1, says: 'the server answered with an error: -32603 rate limit' },
    { tool: 'stop', code: 2, says: 'the server ended the task (cancelled: shutting down)' },
    { tool: 'empty', code: 2, says: 'gives no result' },
  ])('that ends with $tool', async ({ tool, code, says }, { host }) => {
    const told = await call(host, [tool], tasks);
    expect(told).toMatchObject({ code, stderr: expect.stringContaining(says) });
  });

  test('is cancelled with tasks/cancel by Ctrl-C', async ({ host }) => {
    const { code } = await interrupted(host, ['forever'], tasks);
    expect(code).toBe(130);
    expect(recording(host)).toContain('tasks/cancel');
    expect(recording(host)).not.toContain('notifications/cancelled');
    await host.nothingLeft();
  });

  test('is gone with by the library too', async ({ host }) => {
    const client = await connect(tasks, {
      trace: host.path('library.jsonl'),
      answer: async () => ({ result: ada }),
    });
    const { content } = await client.callTool('ask');
    await client.close();
    expect(content).toEqual([{ type: 'text', text: 'hello Ada, 1 update' }]);
  });

  test('in answer to another request than a call is none', async ({ host }) => {
    const { code, stderr } = await call(host, ['--prompt', 'p'], tasks);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the answer to prompts/get is a task'),
    });
  });
});

describe.concurrent('a page has to be visited first', () => {
  const words = ['--era', 'legacy', '--no-validate', '--timeout', '10m'];
  const accepted = (host: Host): string[] => [...words, ...answering(host, { action: 'accept' }), 'sign'];

  test('the call is made once more when the server tells that it was', async ({ host }) => {
    const { code, stdout, stderr } = await call(host, accepted(host), server('wants-a-page-visited.mjs', '--tells'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done in 2 calls\n' });
    expect(stderr).toContain('https://pages.example/e1 (Sign the form)');
  });

  test('or when it has been waited long enough', async ({ host }) => {
    const patient = [...accepted(host).slice(0, -1), '--timeout', '3s', 'sign'];
    const { code, stdout } = await call(host, patient, server('wants-a-page-visited.mjs'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done in 2 calls\n' });
  });

  test('and not again and again', async ({ host }) => {
    const { code, stderr } = await call(host, accepted(host), server('wants-a-page-visited.mjs', '--tells', '--never'));
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('-32042 A page first') });
    expect(recording(host).match(/tools\/call/g)).toHaveLength(2);
  });

  test('it is told with what to do where nobody is there', async ({ host }) => {
    const { code, stderr } = await call(host, [...words, 'sign'], server('wants-a-page-visited.mjs', '--tells'));
    expect(code).toBe(1);
    expect(stderr).toContain('https://pages.example/e1 (Sign the form). It was declined; --answer FILE answers it');
    expect(stderr).toContain('call once more when the page has been visited');
    expect(recording(host).match(/tools\/call/g)).toHaveLength(1);
  });
});
