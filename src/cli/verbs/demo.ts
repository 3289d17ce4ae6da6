import { relative } from 'node:path';
import { demo, type DemoMessage, type DemoResult } from '../../commands/demo.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { howCalled } from '../how-called.ts';
import { examplesFolder, programFile } from '../package-files.ts';
import { openTerminal } from '../terminal.ts';
import type { Ink } from '../text/ink.ts';
import type { Given } from '../verbs.ts';

export default async function runDemo({ options }: Given): Promise<number> {
  const era = options['era'];
  if (era !== 'legacy' && era !== 'modern') {
    throw new WireproofError('bad-usage', `--era "${String(era)}" is not known. Write --era legacy or --era modern.`);
  }
  const result = await demo({ era, program: programFile, examples: examplesFolder, env: process.env });
  const terminal = openTerminal(options['color'] !== false);
  const text = options['json'] === true ? `${JSON.stringify(result, undefined, 2)}\n` : story(result, terminal.ink);
  await terminal.print(text);
  return result.ok ? 0 : 1;
}

/** The exchange told step by step. */
function story(result: DemoResult, ink: Ink): string {
  return [...opening(result, ink), ...steps(result, ink), ...inspection(result, ink), ...closing(result, ink), ''].join(
    '\n',
  );
}

function opening({ era, revision, hostPid, serverPid }: DemoResult, ink: Ink): string[] {
  const [down, line] = [ink.glyph('│', '|'), ink.glyph('─', '-').repeat(12)];
  return [
    '',
    ink.bold(`One complete exchange, revision ${revision} (${era} era), between real processes`),
    '',
    `  ${ink.bold('host')}    pid ${hostPid ?? '?'}: decides what to call, judges what comes back`,
    `  ${ink.bold('client')}  the host's end of the wire, inside the same process`,
    `    ${down}     ${ink.cyan(`${line} wireproof tap: every byte passes here, and is recorded ${line}`)}`,
    `  ${ink.bold('server')}  pid ${serverPid ?? '?'}: a process of its own; offers one tool, answers what it is asked`,
  ];
}

const explanations = {
  legacy: {
    Initialize: 'agree on a revision; tell each other what may be asked for',
    Discover: 'what does this server offer?',
    Call: 'twice as it should be, and once with an argument of the wrong type',
  },
  modern: {
    Initialize:
      'no handshake any more: the client asks what the server speaks, and every request carries its own _meta',
    Discover: 'what does this server offer?',
    Call: 'twice as it should be, and once with an argument of the wrong type',
  },
} as const;

function steps({ era, steps: found }: DemoResult, ink: Ink): string[] {
  const lines: string[] = [];
  for (const [index, step] of (['Initialize', 'Discover', 'Call'] as const).entries()) {
    lines.push('', `${ink.bold(`${index + 1} ${step}`)}  ${ink.dim(explanations[era][step])}`);
    lines.push(...found[step].map((message) => messageLine(message, ink)));
    if (index === 0) lines.push(ink.dim('            (the time includes the start of the server)'));
  }
  return lines;
}

function messageLine({ from, text, took }: DemoMessage, ink: Ink): string {
  const arrow = from === 'client' ? ink.glyph('→', '>') : ink.glyph('←', '<');
  const time = took === undefined ? '' : `${took.toFixed(1)} ms`;
  const line = fold(`${time.padStart(9)} ${arrow} ${visibleText(text)}`, 12);
  return from === 'client' ? ink.cyan(line) : ink.green(line);
}

function inspection({ outcomes, isComplete, problems, steps: { Discover } }: DemoResult, ink: Ink): string[] {
  const mark = (ok: boolean): string => (ok ? ink.green(ink.glyph('✓', 'ok')) : ink.red(ink.glyph('✗', 'WRONG')));
  return [
    '',
    `${ink.bold('4 Inspect')}  ${ink.dim('an answer is not a success yet: look at what it says')}`,
    ...outcomes.map(
      ({ call, expected, got, ok }) => `  ${mark(ok)} ${call.padEnd(46)} expected ${expected}, got ${visibleText(got)}`,
    ),
    `  ${mark(isComplete)} the recording is complete: its sums are those of the bytes that passed`,
    ...problems.map((problem) => `  ${ink.red(visibleText(problem))}`),
    '',
    ink.bold('Where the trust boundary lies'),
    "  At the wire. Everything the server sent is a claim by somebody else's code. Its description of the tool",
    `  says what it is (${ink.dim(descriptionIn(Discover))});`,
    '  it does not prove what the code does, that it does nothing else, or that it will say the same tomorrow.',
    '  What to call, and whether a person must agree, is for the host to decide.',
  ];
}

function descriptionIn(messages: readonly DemoMessage[]): string {
  const answer = messages.find(({ from }) => from === 'server')?.text ?? '';
  const found = /"description":("(?:[^"\\]|\\.)*")/.exec(answer)?.[1];
  return visibleText(found ?? 'none');
}

function closing({ id, trace, ok, steps: { Call } }: DemoResult, ink: Ink): string[] {
  const wireproof = howCalled();
  const next = [
    [`${wireproof} show ${id}`, 'the conversation'],
    [`${wireproof} show ${id} ${Call.at(-1)?.n ?? 1}`, 'one message whole'],
    [`${wireproof} verify ${id}`, 'the proof that nothing is missing'],
    [`${wireproof} tap -- node your-server.js`, 'the same with a server of your own'],
  ] as const;
  const widest = Math.max(...next.map(([command]) => command.length));
  return [
    '',
    ok ? ink.green('Everything was as expected.') : ink.red('Something was not as expected: see above.'),
    `The recording is a file of JSON lines: ${shortPath(trace)}`,
    '',
    ink.bold('What to type next'),
    ...next.map(([command, what]) => `  ${command.padEnd(widest)}  ${ink.dim(what)}`),
  ];
}

function shortPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.length < path.length && !near.startsWith('..') ? near : path;
}

/** Cuts a line where the terminal would, and sets what follows under its beginning. */
function fold(line: string, indent: number): string {
  const width = process.stdout.isTTY ? process.stdout.columns : Infinity;
  if (line.length <= width || width < indent + 20) return line;
  const rows = [line.slice(0, width)];
  const room = width - indent;
  for (let at = width; at < line.length; at += room) rows.push(' '.repeat(indent) + line.slice(at, at + room));
  return rows.join('\n');
}
