import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { type Host, shell, test, type Started, wireproof } from './support/host.ts';
import { digest } from './support/read-trace.ts';
import { pause, until } from './support/until.ts';

const request = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
const answer = '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}';

const elapsed = ({ startedAt }: Started): number => performance.now() - startedAt;
const closedIn = (host: Host) =>
  host.trace().events.flatMap((event) => (event.kind === 'closed' ? [event.closed] : []));

/** Says so when it is asked to end, and does. */
const politely = `trap 'echo asked to end; exit 5' TERM; echo ready; while :; do sleep 0.05; done`;
/** Ends neither with its input nor when it is asked to. */
const stubbornly = `trap '' TERM; echo ready; while :; do sleep 0.05; done`;

describe.concurrent('the exit code is that of the server', () => {
  const exits = [
    { script: 'exit 0', code: 0, closed: { exit: 0 } },
    { script: 'exit 3', code: 3, closed: { exit: 3 } },
    { script: 'exit 255', code: 255, closed: { exit: 255 } },
    { script: 'kill -KILL $$', code: 137, closed: { signal: 'SIGKILL' } },
    { script: 'kill -SEGV $$', code: 139, closed: { signal: 'SIGSEGV' } },
  ];

  test.for(exits)('$script gives $code', async ({ script, code, closed }, { host }) => {
    const tap = host.tap(shell(script));
    expect(await tap.ended).toEqual({ code, signal: null });
    expect(tap.stderr.text).toBe('');
    expect(closedIn(host)).toEqual([closed]);
  });

  test('a server that exits at once while the host still writes', async ({ host }) => {
    const tap = host.tap(shell('exit 4'));
    for (let at = 0; at < 100; at++) tap.send(Buffer.alloc(100_000, 'x'));
    expect(await tap.ended).toEqual({ code: 4, signal: null });
    expect(tap.stderr.text).toBe('');
    expect(host.trace().verification.gaps).toEqual([]);
  });
});

describe.concurrent('a server whose input has ended', () => {
  test('keeps its time while a request is unanswered', async ({ host }) => {
    const tap = host.tap(shell(`read line; sleep 2; echo '${answer}'`), { words: ['--grace', '700ms'] });
    tap.child.stdin?.end(request);
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(tap.stdout.text).toBe(`${answer}\n`);
    expect(host.trace().notes()).toEqual([]);
  });

  test('keeps it for --drain at most', async ({ host }) => {
    const tap = host.tap(shell(politely), { words: ['--grace', '1500ms', '--drain', '2s'] });
    await tap.line('ready');
    const before = elapsed(tap);
    tap.child.stdin?.end(request);
    expect(await tap.ended).toEqual({ code: 5, signal: null });
    expect(elapsed(tap) - before).toBeGreaterThan(1990);
  });

  test('begins its grace anew with each byte that it writes', async ({ host }) => {
    const script = 'cat; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3; echo $i; done';
    const tap = host.tap(shell(script), { words: ['--grace', '1500ms'] });
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(tap.stdout.lines).toHaveLength(9);
  });

  test('is ended at last, however much it talks', async ({ host }) => {
    const script = 'while :; do echo still here >&2; sleep 0.1; done';
    const tap = host.tap(shell(script), { words: ['--grace', '1s', '--drain', '1500ms'] });
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 143, signal: null });
    await host.nothingLeft();
  });

  test('has one grace of silence before SIGTERM', async ({ host }) => {
    const tap = host.tap(shell(politely), { words: ['--grace', '1500ms'] });
    await tap.line('ready');
    const before = elapsed(tap);
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 5, signal: null });
    expect(elapsed(tap) - before).toBeGreaterThan(1490);
    expect(tap.stdout.text).toBe('ready\nasked to end\n');
    expect(host.trace().notes()).toContain('signal');
  });

  test('has another grace before SIGKILL', async ({ host }) => {
    const tap = host.tap(shell(stubbornly), { words: ['--grace', '400ms'] });
    await tap.line('ready');
    const before = elapsed(tap);
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 137, signal: null });
    expect(elapsed(tap) - before).toBeGreaterThan(780);
    expect(host.trace().notes()).toEqual(['signal', 'signal']);
    expect(closedIn(host)).toEqual([{ signal: 'SIGKILL' }]);
    await host.nothingLeft();
  });

  test('gets its time although the host reads later', async ({ host }) => {
    const bytes = Buffer.alloc(3_000_000, 'some bytes\n');
    const tap = host.tap(['cat'], { words: ['--grace', '1s', '--drain', '1500ms'], stalls: ['stdout'] });
    tap.child.stdin?.end(bytes);
    await pause(3500); // much longer than it would have if time did not stand still
    tap.read('stdout');
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(digest(tap.stdout.bytes)).toBe(digest(bytes));
    expect(host.trace().notes()).toEqual([]);
  });
});

describe.concurrent('stop', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} to wireproof ends the server at once`, async ({ host }) => {
      const tap = host.tap(shell(politely), { words: ['--grace', '1m'] });
      await tap.line('ready');
      tap.child.kill(signal);
      expect(await tap.ended).toEqual({ code: 5, signal: null });
      expect(tap.stdout.text).toBe('ready\nasked to end\n');
      expect(closedIn(host)).toEqual([{ exit: 5, why: `wireproof got ${signal}` }]);
      expect(tap.stderr.text).not.toContain('wireproof');
      await host.nothingLeft();
    });
  }

  test('a server that does not obey is killed before a host would kill wireproof', async ({ host }) => {
    const tap = host.tap(shell(stubbornly), { words: ['--grace', '1s'] });
    await tap.line('ready');
    tap.child.kill('SIGTERM');
    const before = elapsed(tap);
    expect(await tap.ended).toEqual({ code: 137, signal: null });
    expect(elapsed(tap) - before).toBeGreaterThan(740);
    await host.nothingLeft();
  });

  test('said twice, the server is killed at once', async ({ host }) => {
    const tap = host.tap(shell(stubbornly), { words: ['--grace', '1m'] });
    await tap.line('ready');
    tap.child.kill('SIGINT');
    await until('SIGTERM is sent', () => host.recorded('SIGTERM sent'));
    tap.child.kill('SIGINT');
    expect(await tap.ended).toEqual({ code: 137, signal: null });
    await host.nothingLeft();
  });

  test('said in two ways, the server keeps its time', async ({ host }) => {
    const script = `trap 'sleep 0.5; echo clean; exit 0' TERM; echo ready; while :; do sleep 0.05; done`;
    const tap = host.tap(shell(script), { words: ['--grace', '1m'] });
    await tap.line('ready');
    tap.child.kill('SIGINT');
    tap.child.kill('SIGTERM');
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(tap.stdout.text).toBe('ready\nclean\n');
  });

  test('a server that is halted by SIGSTOP', async ({ host }) => {
    const tap = host.tap(shell('echo ready; kill -STOP $$'), { words: ['--grace', '200ms'] });
    await tap.line('ready');
    tap.child.kill('SIGTERM');
    expect(await tap.ended).toEqual({ code: 137, signal: null });
    await host.nothingLeft();
  });

  test('a host that closes our output ends a server that says nothing, where it is a socket', async ({ host }) => {
    const tap = host.tap(shell(politely), { words: ['--grace', '1m'] });
    await tap.line('ready');
    tap.child.stdout?.destroy();
    expect(await tap.exited).toEqual({ code: 5, signal: null });
    expect(closedIn(host)).toEqual([{ exit: 5, why: 'the host closed its end of our output' }]);
    await host.nothingLeft();
  });

  test('a host that closes our output ends the server with its next word, where it is a pipe', async ({ host }) => {
    const line = 'exec 3<&0; { "$@" <&3; echo $? > code; } | head -n 1';
    const run = host.start(
      shell(line, process.execPath, wireproof, 'tap', '--', 'sh', '-c', 'while echo word; do sleep 0.05; done; exit 6'),
    );
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stdout.text).toBe('word\n');
    await until('wireproof has ended', () => existsSync(host.path('code')));
    expect(closedIn(host)).toMatchObject([{ why: 'the host closed its end of our output' }]);
    await host.nothingLeft();
  });

  test('a host that does not read cannot keep it from ending', async ({ host }) => {
    const tap = host.tap(['yes'], { words: ['--grace', '200ms'], stalls: ['stdout'] });
    await until('it runs', () => host.recorded('"server"'));
    tap.child.kill('SIGTERM');
    expect(await tap.exited).toEqual({ code: 143, signal: null });
    await host.nothingLeft();
  });
});

describe.concurrent('nothing is left behind', () => {
  test('a host that is killed', async ({ host }) => {
    const program = `const { spawn } = require('node:child_process');
      spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] }).stdout.pipe(process.stdout);`;
    const words = [wireproof, 'tap', '--grace', '200ms', '--', ...shell(stubbornly)];
    const run = host.start([process.execPath, '-e', program, ...words]);
    await run.line('ready');
    run.child.kill('SIGKILL');
    await host.nothingLeft();
  });

  test('wireproof is killed: the server sees its input end', async ({ host }) => {
    const tap = host.tap(shell('echo ready; cat; echo over > over'));
    await tap.line('ready');
    tap.child.kill('SIGKILL');
    await until('the server has seen the end', () => existsSync(host.path('over')));
    await host.nothingLeft();
  });

  test('wireproof is killed after it was told to end: the server is killed too', async ({ host }) => {
    const tap = host.tap(shell(`setsid sleep 1000 & ${stubbornly}`), { words: ['--grace', '1m'] });
    await tap.line('ready');
    tap.child.kill('SIGTERM');
    await until('SIGTERM is sent', () => host.recorded('SIGTERM sent'));
    tap.child.kill('SIGKILL');
    await host.nothingLeft();
  });

  const families = [
    { name: 'children in its group', script: 'sleep 1000 & sleep 1000 & echo ready; wait' },
    {
      name: 'a child that does not obey, whose parent does',
      script: `sh -c "trap '' TERM; echo ready; while :; do sleep 0.1; done" & wait`,
    },
    { name: 'a child in a session of its own', script: 'setsid sh -c "echo ready; sleep 1000" & wait' },
    {
      name: 'a grandchild in a session of its own that does not obey',
      script: `sh -c 'setsid sh -c "trap \\"\\" TERM; echo ready; while :; do sleep 0.1; done" & wait' & wait`,
    },
    {
      name: 'the same without our pipes',
      script: `setsid sh -c "trap '' TERM; while :; do sleep 0.1; done" < /dev/null > /dev/null 2>&1 & echo ready; wait`,
    },
  ];

  test.for(families)('$name', async ({ script }, { host }) => {
    const tap = host.tap(shell(script), { words: ['--grace', '400ms'] });
    await tap.line('ready');
    tap.child.kill('SIGTERM');
    expect(await tap.ended).toEqual({ code: 143, signal: null });
    await host.nothingLeft(500);
  });
});

describe.concurrent('when the server has exited', () => {
  test('what others still hold open is read for one grace', async ({ host }) => {
    const tap = host.tap(shell('sleep 1000 & echo hi'), { words: ['--grace', '500ms'] });
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(tap.stdout.text).toBe('hi\n');
    expect(host.trace().notes()).toEqual(['pipes-closed']);
    expect(host.trace().verification.gaps).toEqual([]);
  });

  test('what others say within that time is passed on', async ({ host }) => {
    const tap = host.tap(shell('(sleep 0.3; echo late; echo later >&2) & echo hi'), { words: ['--grace', '20s'] });
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(tap.stdout.text).toBe('hi\nlate\n');
    expect(tap.stderr.text).toBe('later\n');
    expect(host.trace().notes()).toEqual([]);
  });

  test('all that it wrote reaches a host that reads later', async ({ host }) => {
    const line = '"$@" | { until [ -e read ]; do sleep 0.05; done; cat > out; }';
    // More than the pipe to the host takes, and less than that and all that is before it.
    const script = 'head -c 150000 /dev/zero; echo > gone';
    const run = host.start(shell(line, process.execPath, wireproof, 'tap', '--grace', '0', '--', ...shell(script)));
    await until('the server is gone', () => existsSync(host.path('gone')));
    await pause(800); // longer than the pipes are read otherwise
    writeFileSync(host.path('read'), '');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(readFileSync(host.path('out'))).toHaveLength(150_000);
    expect(host.trace().notes()).toEqual([]);
    expect(host.trace().verification.gaps).toEqual([]);
  });
});

test('what a pipeline gives is the same with and without', async ({ host }) => {
  const serverScript = `while read -r line; do sleep 0.2; echo "$line"; done; sleep 0.5; echo end; exit 9`;
  const line = 'printf "%s\\n" one two three | "$@" > out; echo $? > code';
  const results = [];
  for (const before of [[], [process.execPath, wireproof, 'tap', '--']]) {
    await host.start(shell(line, ...before, ...shell(serverScript))).ended;
    results.push([readFileSync(host.path('out'), 'utf8'), readFileSync(host.path('code'), 'utf8')]);
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[0]).toEqual(['one\ntwo\nthree\nend\n', '9\n']);
});
