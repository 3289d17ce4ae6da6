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

/** What stands above a conversation: which recording, of what, of whom, from when. */
export function headLines(header: TraceHeader, facts: readonly ConnectionFacts[], layout: Layout): string[] {
  const { ink } = layout;
  const [first] = facts;
  const name = header.label ?? first?.server ?? nameOf(header);
  const client = first?.client === undefined ? undefined : `called by ${first.client}`;
  const about = [first?.server, first && spoken(first), client].filter((part) => part !== undefined).map(excerpt);
  const id = safe(excerpt(header.id), layout);
  const started = excerpt(header.started.replace('T', ' ').replace(/\.\d+Z$|Z$/, ' UTC'));
  return [
    `${ink.bold(fit(excerpt(name), layout, Math.max(8, layout.width - id.length - 2)))}  ${ink.dim(id)}`,
    ...(about.length > 0 ? [fit(about.join(layout.showsUnicode ? ' · ' : ', '), layout, layout.width)] : []),
    ink.dim(fit(`${started}  ${command(header)}`, layout, layout.width)),
  ];
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

const command = (header: TraceHeader): string =>
  header.transport === 'http' ? excerpt(`${header.listen} → ${header.to}`) : words(header.command);

const words = (command: readonly string[]): string =>
  command.map((word) => excerpt(/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');

/** What stands below: what there was, how it ended where the last line has not said it, and how to see more. */
export function footLines(
  result: ShowResult,
  layout: Layout,
  { show, follow, saidEnding }: { show: string; follow: boolean; saidEnding: boolean },
): string[] {
  const { ink } = layout;
  const sums = result.facts.map((facts) => countsOf(facts, ink).join(', '));
  const took = result.last.n > 0 ? [`${milliseconds(result.last.at)} in all`] : [];
  const hidden = result.hidden > 0 ? [`${counted(result.hidden, 'line')} left out by the filter`] : [];
  return [
    [...sums, ...took, ...hidden].join('; '),
    ...(saidEnding ? [] : [ending(result, follow, ink)]),
    ink.dim(`One record whole: ${show} ${excerpt(result.header.id)} N`),
  ].map((line) => safe(line, layout));
}

function countsOf(facts: ConnectionFacts, ink: Ink): string[] {
  const some = (count: number, one: string, more?: string): string[] => (count > 0 ? [counted(count, one, more)] : []);
  return [
    counted(facts.requests, 'request'),
    ...some(facts.notifications, 'notification'),
    ...some(facts.errors, 'error').map((text) => ink.red(text)),
    ...some(facts.unanswered, 'never answered', 'never answered').map((text) => ink.yellow(text)),
    ...some(facts.unasked, 'answer to nothing', 'answers to nothing').map((text) => ink.yellow(text)),
    ...some(facts.stray, 'line that is no message', 'lines that are no message').map((text) => ink.yellow(text)),
    ...some(facts.frames.stderr, 'line on stderr', 'lines on stderr'),
    ...(facts.lostBytes > 0 ? [ink.yellow(`${byteCount(facts.lostBytes)} not recorded`)] : []),
  ];
}

function ending({ state, closed }: ShowResult, follow: boolean, ink: Ink): string {
  if (closed) return closedWords(closed);
  if (state === 'running')
    return ink.yellow(`Still being recorded.${follow ? '' : ' To go on watching, add --follow.'}`);
  return ink.yellow('The recording was cut off: it has no closing record, and its writer is gone.');
}
