import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Host, server, type Started, test, wireproof } from './support/host.ts';
import { until } from './support/until.ts';

/** `script` of util-linux gives a program a terminal; that of other systems takes other words. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
if (!hasScript) process.stderr.write('call at a terminal: skipped, as there is no "script" of util-linux here.\n');

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Starts `wireproof call` at a terminal of 80 columns. All that it prints comes on stdout. */
function atTerminal(host: Host, words: readonly string[], env: Record<string, string> = {}): Started {
  const command = [process.execPath, wireproof, 'call', ...words, '--', ...server('asks-in-a-terminal.mjs')];
  const line = `stty cols 80 rows 24; exec ${command.map(quoted).join(' ')}`;
  const plain = { TERM: 'xterm-256color', TERM_PROGRAM: '', KITTY_WINDOW_ID: '', TMUX: '', STY: '', NO_COLOR: '1' };
  return host.start(['script', '-qec', line, '/dev/null'], { env: { ...plain, LC_ALL: 'C.UTF-8', ...env } });
}

/** Types each line when the words before it stand at the end of the screen. */
async function converse(started: Started, lines: readonly (readonly [shown: string, typed: string])[]): Promise<void> {
  let from = 0;
  for (const [shown, typed] of lines) {
    await until(`the terminal shows ${shown}: ${started.stdout.text}`, () => started.stdout.text.includes(shown, from));
    from = started.stdout.text.length;
    started.send(typed);
  }
}

const lastAnswers = [
  ['colour [', '\r'],
  ['code [', 'abc\r'],
  ['expected text that matches', 'ABC\r'],
] as const;

describe.skipIf(!hasScript).concurrent('call at a terminal', () => {
  test('asks what the server asks, until it fits', async ({ host }) => {
    const started = atTerminal(host, ['ask']);
    await converse(started, [
      ['name [text; 2 characters or more; required]: ', 'A\r'],
      ['too short', '\r'],
      ['It is required', 'Ada\r'],
      ...lastAnswers,
    ]);
    expect(await started.ended).toMatchObject({ code: 0 });
    const { text } = started.stdout;
    expect(text).toContain('The server asks: Who is there?');
    expect(text).toContain('{"action":"accept","content":{"name":"Ada","colour":"green","code":"ABC"}}');
    expect(text).not.toContain('\u001b_G');
    await host.nothingLeft();
  });

  test('shows how far it is on one line that is taken back, whatever the server says', async ({ host }) => {
    const started = atTerminal(host, ['ask']);
    await converse(started, [['name [', '!\r']]);
    await started.ended;
    const { text } = started.stdout;
    const shown = text.split('\r\u001b[K').slice(1, 4);
    expect(shown.map((line) => line.slice(0, 26))).toEqual([
      `${'░'.repeat(20)}   0 %`,
      `${'█'.repeat(10)}${'░'.repeat(10)}  50 %`,
      `${'█'.repeat(20)} 100 %`,
    ]);
    for (const line of shown) expect(line.length).toBeLessThan(80);
    expect(text).not.toContain('\u001b[2J');
    // Nothing is left of it where the question stands.
    expect(text).toMatch(/\r\u001b\[K\r\nThe server asks/);
    expect(text).toContain('{"action":"decline"}');
  });

  test('Ctrl-D cancels the form', async ({ host }) => {
    const started = atTerminal(host, ['ask']);
    await converse(started, [['name [', '\u0004']]);
    expect(await started.ended).toMatchObject({ code: 0 });
    expect(started.stdout.text).toContain('{"action":"cancel"}');
  });

  test('Ctrl-C ends it all', async ({ host }) => {
    const started = atTerminal(host, ['ask']);
    await converse(started, [['name [', '\u0003']]);
    expect(await started.ended).toMatchObject({ code: 130 });
    expect(host.recorded('notifications/cancelled')).toBe(true);
    await host.nothingLeft();
  });

  test.for([
    { name: 'kitty', env: { TERM: 'xterm-kitty' }, drawn: '\u001b_Ga=T,f=100,q=2,c=1,r=1,m=0;iVBORw0KGgo' },
    { name: 'iTerm2', env: { TERM_PROGRAM: 'iTerm.app' }, drawn: '\u001b]1337;File=inline=1;size=70;' },
  ])('draws an image in $name, and keeps it all the same', async ({ env, drawn }, { host }) => {
    const started = atTerminal(host, ['ask'], env);
    await converse(started, [['name [', 'Ada\r'], ...lastAnswers]);
    await started.ended;
    expect(started.stdout.text).toContain(drawn);
    const [file = ''] = readdirSync(join(host.home, 'files'));
    expect(started.stdout.text).toContain(file);
    expect(readFileSync(join(host.home, 'files', file)).length).toBe(70);
  });

  test('draws nothing where JSON is asked for', async ({ host }) => {
    const started = atTerminal(host, ['--json', 'ask'], { TERM: 'xterm-kitty' });
    expect(await started.ended).toMatchObject({ code: 0 });
    expect(started.stdout.text).toContain('"kind": "result"');
    expect(started.stdout.text).not.toContain('\u001b_G');
  });
});
