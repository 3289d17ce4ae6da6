import { expect, test } from 'vitest';
import { HttpTraceMaker } from '../../../test/http-trace-maker.ts';
import { plainInk } from '../../../test/plain-ink.ts';
import { fc } from '../../../test/properties.ts';
import { Conversation } from '../../core/trace/conversation/conversation.ts';
import { Exchanges } from '../../core/trace/exchanges.ts';
import { Filter } from '../../core/trace/filter.ts';
import type { FrameEvent, HeaderLine, StreamName } from '../../core/trace/format.ts';
import { type RecordPage, RecordFinder } from '../../core/trace/record-finder.ts';
import { unitJson } from '../../core/trace/unit-json.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { recordText } from './record-text.ts';
import { layoutFor, rowLine } from './row-line.ts';

const hostile = fc.constantFrom(
  '\u001b[2J',
  '\u009b31m',
  '\u0007',
  '\u202e',
  '\u200b',
  '\u2028',
  '\u{e0041}',
  '\r',
  '\t',
  '\0',
  '\u007f',
  '\ufeff',
  '😀',
  '漢',
  'a',
  '"',
  '\\',
);
const texts = fc.array(hostile, { maxLength: 6 }).map((parts) => parts.join(''));
/** Messages with hostile texts in every place that is shown, raw where JSON allows it. */
const messages = texts
  .map((text) => JSON.stringify(text))
  .chain((text) =>
    fc.constantFrom(
      `{"jsonrpc":"2.0","id":${text},"method":"tools/call","params":{"name":${text},"arguments":{${text}:${text}}}}`,
      `{"jsonrpc":"2.0","id":${text},"result":{"content":[{"type":"text","text":${text}}]}}`,
      `{"jsonrpc":"2.0","id":${text},"error":{"code":1,"message":${text}}}`,
      `{"jsonrpc":"2.0","method":${text},"params":${text}}`,
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${text},"reason":${text}}}`,
      `[{"jsonrpc":"2.0","id":${text},"method":${text}},${text}]`,
      `{${text}:1}`,
    ),
  );
const lines = fc.oneof(
  messages.map((json) => Buffer.from(json)),
  fc.string().map((text) => Buffer.from(text)),
  texts.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 40 }),
);
const streams = fc.constantFrom<StreamName>('client', 'server', 'stderr');

function eventsOf(said: readonly (readonly [StreamName, Uint8Array, string])[]): FrameEvent[] {
  return said.map(([from, body, eol], index) => {
    const bytes = Buffer.concat([body.filter((byte) => byte !== 0x0a), Buffer.from(eol)]);
    return { kind: 'frame', n: index + 1, at: index, c: 1, from, bytes, eol, form: 'text' };
  });
}

const conversations = fc
  .array(
    streams.chain((from) =>
      lines.chain((line) => fc.constantFrom('\n', '\r\n', '').map((eol) => [from, line, eol] as const)),
    ),
    { maxLength: 8 },
  )
  .map(eventsOf);

/** A line for people has nothing in it that is not seen. */
const isVisible = (line: string): boolean => visibleText(line) === line;

test('whatever passed, nothing that a terminal obeys reaches it', () => {
  const layout = layoutFor({ ink: plainInk(true), showsUnicode: true, isTerminal: true, width: 80 }, 400);
  fc.assert(
    fc.property(conversations, (events) => {
      const machine = new Exchanges();
      const conversation = new Conversation(new Filter(''));
      const units = [...events.flatMap((event) => machine.feed(event)), ...machine.end()];
      const rows = [...units.flatMap((unit) => conversation.feed(unit)), ...conversation.end()];
      for (const row of rows) expect(rowLine(row, layout)).toSatisfy(isVisible);
      for (const unit of units) {
        const json = unitJson(unit);
        expect(json).toSatisfy(isVisible);
        expect(JSON.parse(json)).toMatchObject({ unit: unit.unit });
      }
      for (const { n } of events) {
        const finder = new RecordFinder(n);
        for (const event of events) finder.feed(event);
        const page = finder.end();
        for (const line of page
          ? recordText(page, { ink: plainInk(false), isFull: false, bytesCommand: () => '' })
          : ['\0'])
          expect(line).toSatisfy(isVisible);
      }
    }),
    { numRuns: 300 },
  );
});

test('nor whatever passed on HTTP', () => {
  const layout = layoutFor({ ink: plainInk(true), showsUnicode: true, isTerminal: true, width: 200 }, 400);
  const said = fc.record({
    text: texts,
    body: lines,
    status: fc.constantFrom(200, 308, 401, 404),
    isEvents: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 3 }), (all) => {
      const maker = new HttpTraceMaker({ listen: 'http://\u001b[2J' });
      for (const { text, body, status, isEvents } of all) {
        const header: HeaderLine[] = ['Location', 'WWW-Authenticate', 'Mcp-Session-Id', text].map((name) => [
          name,
          text,
        ]);
        const stream = maker.stream(1, text);
        stream.ask({ method: text, target: text, lines: [['Last-Event-ID', text], ...header], body });
        stream.note(text, text);
        if (isEvents) {
          stream
            .open(header)
            .pass('server', `id: ${text}\nevent: ${text}\ndata: `)
            .pass('server', body)
            .end('server', text);
        } else stream.answer({ status, reason: text, lines: header, body });
        stream.recorder.trailers(maker.at, 'server', header);
      }
      const { events } = maker.close({ why: 'x' });
      const machine = new Exchanges();
      const conversation = new Conversation(new Filter('s:1'));
      const other = new Conversation(new Filter(''));
      const units = [...events.flatMap((event) => machine.feed(event)), ...machine.end()];
      const rows = units.flatMap((unit) => [...conversation.feed(unit), ...other.feed(unit)]);
      for (const row of [...rows, ...conversation.end(), ...other.end()]) {
        expect(rowLine(row, layout)).toSatisfy(isVisible);
      }
      for (const unit of units) expect(unitJson(unit)).toSatisfy(isVisible);
      for (const { n } of events) {
        const finder = new RecordFinder(n);
        for (const event of events) finder.feed(event);
        const page = finder.end() as RecordPage;
        const options = { ink: plainInk(false), isFull: true, bytesCommand: () => '' };
        for (const line of recordText(page, options)) expect(line).toSatisfy(isVisible);
      }
    }),
    { numRuns: 200 },
  );
});

test('no byte of a stream is missing in its frames, and none is there twice', () => {
  fc.assert(
    fc.property(conversations, (events) => {
      const machine = new Exchanges();
      const frames = [...events.flatMap((event) => machine.feed(event)), ...machine.end()].filter(
        (unit) => unit.unit === 'frame',
      );
      for (const from of ['client', 'server', 'stderr'] as const) {
        const passed = events.filter((event) => event.from === from).map(({ bytes }) => bytes);
        const kept = frames.filter((frame) => frame.from === from).map(({ bytes }) => bytes);
        expect(Buffer.concat(kept)).toEqual(Buffer.concat(passed));
      }
    }),
    { numRuns: 300 },
  );
});
