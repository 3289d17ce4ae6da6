// Gives its list of tools in pages that are found by cursors of the kind that it is given.
import { echo, reply, send, serve } from './behaves.mjs';

const tool = (name) => ({ ...echo, name });
let asked = 0;

/** Each gets the cursor that came and how many pages were asked for before. */
const pages = {
  'empty-for-none': () => ({ tools: [tool('first')], nextCursor: '' }),
  'empty-refused': (cursor) => (cursor === undefined ? { tools: [tool('first')], nextCursor: '' } : undefined),
  'empty-for-second': (cursor) =>
    cursor === '' ? { tools: [tool('second')] } : { tools: [tool('first')], nextCursor: '' },
  null: () => ({ tools: [tool('first')], nextCursor: null }),
  number: () => ({ tools: [tool('first')], nextCursor: 2 }),
  again: (cursor) => ({ tools: [tool(cursor === undefined ? 'first' : 'second')], nextCursor: 'a' }),
  ignored: (_cursor, count) => ({ tools: [tool('first')], nextCursor: `${count}` }),
  'without-end': (_cursor, count) => ({ tools: [], nextCursor: `${count}` }),
  'not-all-objects': () => ({ tools: [tool('first'), null, 'second'] }),
  object: () => ({ tools: { first: tool('first') } }),
};

serve((message) => {
  if (message.method !== 'tools/list') return reply(message);
  const { id, params } = message;
  const result = pages[process.argv[2]](params?.cursor, asked++);
  send(result ? { id, result } : { id, error: { code: -32602, message: 'Invalid cursor' } });
});
