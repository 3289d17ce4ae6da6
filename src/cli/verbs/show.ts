import { basename } from 'node:path';
import { type ShowOptions, showRecord, showUnits } from '../../commands/show.ts';
import type { StreamName } from '../../core/trace/format.ts';
import type { RecordPage } from '../../core/trace/record-finder.ts';
import type { RedactedView } from '../../core/trace/redaction/redacted-view.ts';
import type { RedactionRules } from '../../core/trace/redaction/rules.ts';
import { faultJson, headerJson, unitJson } from '../../core/trace/unit-json.ts';
import { withoutUnseen } from '../../core/wire/json-text.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { findTrace } from '../../io/stores/find-trace.ts';
import { howCalled } from '../how-called.ts';
import { foundNothing, hasOwnRules, readAskedRedaction } from '../redaction-options.ts';
import { readShowWords } from '../show-words.ts';
import { tell } from '../tell.ts';
import { openTerminal, type Terminal } from '../terminal.ts';
import { recordText } from '../text/record-text.ts';
import { layoutFor, safe } from '../text/row-line.ts';
import { printConversation } from '../text/show-conversation.ts';
import type { Given } from '../verbs.ts';

const interrupted = 130;

export default async function runShow({ options, words }: Given): Promise<number> {
  const { trace, record } = readShowWords(words, options);
  const isFull = options['full'] === true;
  const isJson = options['json'] === true;
  const terminal = openTerminal(options['color'] !== false && !isJson);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const path = await findTrace(trace, process.env);
  const rules = readAskedRedaction(options);
  const view = rules && (await openView(rules));
  const isRedacted = view !== undefined;
  if (record !== undefined) {
    const page = await showRecord(path, record, view);
    const bytesCommand = (from: StreamName): string =>
      `${howCalled()} bytes ${visibleText(trace ?? basename(path, '.jsonl'))} --from ${from}`;
    const how = { ink: terminal.ink, isFull, isRedacted, bytesCommand };
    for (const line of isJson ? recordJson(page) : recordText(page, how)) {
      await terminal.print(`${safe(line, layoutFor(terminal, Infinity))}\n`);
    }
    return 0;
  }
  const filter = (options['filter'] as string | undefined) ?? '';
  const how: ShowOptions = { path, filter, view, follow: options['follow'] === true, signal: stop.signal };
  if (isJson) await printUnits(how, terminal);
  else await printConversation({ ...how, isFull, show: `${howCalled()} show`, name: trace }, terminal);
  if (rules && hasOwnRules(rules) && view?.replaced === 0) tell(foundNothing);
  return stop.signal.aborted ? interrupted : 0;
}

/** Nobody else waits for the code that redacts. */
async function openView(rules: RedactionRules): Promise<RedactedView> {
  const { openRedactedView } = await import('../../commands/show-redacted.ts');
  return openRedactedView(rules, process.env);
}

async function printUnits(how: ShowOptions, terminal: Terminal): Promise<void> {
  const redaction = how.view ? { redaction: how.view.words } : {};
  await showUnits(how, {
    header: (header) => terminal.print(`${headerJson({ ...header, ...redaction })}\n`),
    // That a line has not ended yet is for people who watch.
    units: (units) =>
      terminal.print(
        units.map((unit) => ('what' in unit && unit.what === 'held' ? '' : `${unitJson(unit)}\n`)).join(''),
      ),
    fault: (fault) => terminal.print(`${faultJson(fault)}\n`),
  });
}

/** The line, the body or the events that the record holds and their exchanges, or what else it says. */
function recordJson({ event, frame, more = [], exchanges }: RecordPage): string[] {
  if (frame) return [frame, ...more, ...exchanges].map(unitJson);
  return [withoutUnseen(JSON.stringify('bytes' in event ? { ...event, bytes: event.bytes.length } : event))];
}
