import type { ShowResult } from '../../commands/show.ts';
import type { ConnectionFacts } from '../../core/trace/connection-facts.ts';
import { byteCount, counted } from '../../core/trace/amounts.ts';
import { excerpt } from '../../core/trace/conversation/excerpt.ts';
import { milliseconds } from '../../core/trace/conversation/message-rows.ts';
import { closedWords } from '../../core/trace/conversation/other-rows.ts';
import type { TraceHeader } from '../../core/trace/format.ts';
import type { Ink } from './ink.ts';
import { fit, type Layout, safe } from './row-line.ts';

const nameOf = (header: TraceHeader): string =>
  header.transport === 'http' ? header.to : (header.command[0] ?? 'recording');

/** What stands above a conversation: which recording, of what, of whom, from when, and what was replaced in it. */
export function headLines(
  header: TraceHeader,
  facts: readonly ConnectionFacts[],
  layout: Layout,
  redaction?: string,
): string[] {
  const { ink } = layout;
  const first = facts.find(({ server }) => server !== undefined) ?? facts[0];
  const name = header.label ?? first?.server ?? nameOf(header);
  const about = [first?.server, first && spoken(first), callers(facts)]
    .filter((part) => part !== undefined)
    .map(excerpt);
  const id = safe(excerpt(header.id), layout);
  const started = excerpt(header.started.replace('T', ' ').replace(/\.\d+Z$|Z$/, ' UTC'));
  return [
    `${ink.bold(fit(excerpt(name), layout, Math.max(8, layout.width - id.length - 2)))}  ${ink.dim(id)}`,
    ...(about.length > 0 ? [fit(about.join(layout.showsUnicode ? ' · ' : ', '), layout, layout.width)] : []),
    ink.dim(fit(`${started}  ${command(header, layout)}`, layout, layout.width)),
    ...(redaction === undefined ? [] : [fit(`Redacted: ${excerpt(redaction)}`, layout, layout.width)]),
  ];
}

/** So many names of clients are told. */
const mostCallers = 3;

function callers(facts: readonly ConnectionFacts[]): string | undefined {
  const names = [...new Set(facts.map(({ client }) => client).filter((client) => client !== undefined))];
  if (names.length === 0) return undefined;
  const more = names.length > mostCallers ? ` and ${counted(names.length - mostCallers, 'other')}` : '';
  return `called by ${names.slice(0, mostCallers).join(', ')}${more}`;
}

/** Era and revision in force, or what was asked for where there is none. */
function spoken({ eras, revisions, askedRevision, refusedEra }: ConnectionFacts): string | undefined {
  const accepted = eras.filter((era) => era !== refusedEra);
  const asked = askedRevision === undefined ? '' : `, revision ${askedRevision} asked for`;
  const refused = refusedEra === undefined ? '' : `, ${refusedEra} era refused`;
  if (accepted.length > 0) {
    const revision = revisions.length > 0 ? `, revision ${revisions.join(' and ')}` : refused === '' ? asked : '';
    return `${accepted.join(' and ')} era${revision}${refused}`;
  }
  if (refusedEra === undefined) return undefined;
  return `${refusedEra} era asked for${askedRevision === undefined ? '' : `, revision ${askedRevision}`}, refused`;
}

function command(header: TraceHeader, { showsUnicode }: Layout): string {
  if (header.transport === 'stdio') return words(header.command);
  if (header.listen === undefined) return excerpt(header.to);
  return `${excerpt(header.listen)} ${showsUnicode ? '→' : '->'} ${excerpt(header.to)}`;
}

const words = (command: readonly string[]): string => command.map(shellWord).join(' ');

const shellWord = (word: string): string => excerpt(/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));

/** How the words below a conversation are to be. `show` is how this verb is called, `name` what the user calls the recording. */
interface FootOptions {
  show: string;
  name?: string | undefined;
  follow: boolean;
  /** The last line has said how it ended. */
  saidEnding: boolean;
  isRedacted?: boolean;
}

/** What stands below: what there was, how it ended where the last line has not said it, and how to see more. */
export function footLines(
  result: ShowResult,
  layout: Layout,
  { show, name, follow, saidEnding, isRedacted = false }: FootOptions,
): string[] {
  const { ink } = layout;
  const { facts } = result;
  const connections = facts.length > 1 ? [counted(facts.length, 'connection')] : [];
  const sums = facts.length === 0 ? [] : [[...countsOf(facts, result.header, ink), ...connections].join(', ')];
  const took = result.last.n > 0 ? [`${milliseconds(result.last.at)} in all`] : [];
  const hidden = result.hidden > 0 ? [`${counted(result.hidden, 'line')} left out by the filter`] : [];
  return [
    [...sums, ...took, ...hidden].join('; '),
    ...(saidEnding ? [] : [ending(result, follow, ink)]),
    ink.dim(
      `One record whole: ${show} ${shellWord(name ?? result.header.id)} N${isRedacted ? ', with the same --redact options' : ''}`,
    ),
  ].map((line) => safe(line, layout));
}

/** What all connections together are made of. */
function countsOf(all: readonly ConnectionFacts[], { transport }: TraceHeader, ink: Ink): string[] {
  const sum = (count: (facts: ConnectionFacts) => number): number => all.reduce((total, one) => total + count(one), 0);
  const some = (count: number, one: string, more?: string): string[] => (count > 0 ? [counted(count, one, more)] : []);
  const lostBytes = sum((facts) => facts.lostBytes);
  return [
    counted(
      sum(({ requests }) => requests),
      'request',
    ),
    ...some(
      sum(({ notifications }) => notifications),
      'notification',
    ),
    ...some(
      sum(({ errors }) => errors),
      'error',
    ).map((text) => ink.red(text)),
    ...some(
      sum(({ unanswered }) => unanswered),
      'never answered',
      'never answered',
    ).map((text) => ink.yellow(text)),
    ...some(
      sum(({ unasked }) => unasked),
      'answer to nothing',
      'answers to nothing',
    ).map((text) => ink.yellow(text)),
    ...strays(
      sum(({ stray }) => stray),
      transport,
    ).map((text) => ink.yellow(text)),
    ...some(
      sum(({ frames }) => frames.stderr),
      'line on stderr',
      'lines on stderr',
    ),
    ...(lostBytes > 0 ? [ink.yellow(`${byteCount(lostBytes)} not recorded`)] : []),
  ];
}

function strays(count: number, transport: TraceHeader['transport']): string[] {
  if (count === 0) return [];
  const what = transport === 'http' ? counted(count, 'event or body', 'events or bodies') : counted(count, 'line');
  return [`${what} that ${count === 1 ? 'is' : 'are'} no message`];
}

function ending({ state, closed }: ShowResult, follow: boolean, ink: Ink): string {
  if (closed) return closedWords(closed);
  if (state === 'running')
    return ink.yellow(`Still being recorded.${follow ? '' : ' To go on watching, add --follow.'}`);
  return ink.yellow('The recording was cut off: it has no closing record, and its writer is gone.');
}
