import { describe, expect, test } from 'vitest';
import { readUtf8 } from '../../core/wire/utf8.ts';
import { EventStreamReader } from './event-stream-reader.ts';

const stream = Buffer.from(
  '\ufeffid: 1\nretry: 30\ndata:\n\n' + // Only opens the stream.
    ': keep-alive\n\n' +
    'event: message\r\nid: 2\r\ndata: {"a":"ü"}\r\n\r\n' +
    'data: {"b":\ndata:1}\n\n' +
    'event: ping\ndata: x\n\n' +
    'data: unfinished\n',
);
const said = [
  ['message', '{"a":"ü"}'],
  ['message', '{"b":\n1}'],
  ['ping', 'x'],
];

describe('an event stream', () => {
  test.each(Array.from(stream.keys()))('is read wherever it is cut: at %i', (cut) => {
    const reader = new EventStreamReader();
    const events = [...reader.feed(stream.subarray(0, cut)), ...reader.feed(stream.subarray(cut))];
    expect(events.map(({ type, data }) => [type, readUtf8(data)])).toEqual(said);
    expect(reader).toMatchObject({ lastId: '2', retry: 30 });
    expect(reader.held).toBe('data: unfinished\n'.length);
  });

  test('goes on from where it was', () => {
    const reader = new EventStreamReader({ lastId: 'a', retry: 5 });
    reader.feed(Buffer.from('data: x\n\n'));
    expect(reader).toMatchObject({ lastId: 'a', retry: 5 });
    reader.feed(Buffer.from('id\nretry: soon\n\n'));
    expect(reader).toMatchObject({ lastId: undefined, retry: 5 });
  });
});
