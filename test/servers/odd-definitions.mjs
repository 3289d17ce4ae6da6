// Defines tools in ways that hosts stumble over, and in odd ways that are legal. Counts who fetches what a schema refers to.
import { createServer } from 'node:http';
import { reply, send, serve, text } from './behaves.mjs';

const object = { type: 'object' };
let fetched = 0;
const trap = createServer((_request, response) => {
  fetched++;
  process.stderr.write('FETCHED\n');
  response.end('{"type":"object"}');
});

trap.listen(0, '127.0.0.1', () => {
  trap.unref();
  const foreign = { $ref: `http://127.0.0.1:${trap.address().port}/schema.json` };
  const sets = {
    legal: [
      { name: 'none', inputSchema: object },
      { name: 'closed', inputSchema: { ...object, additionalProperties: false } },
      {
        name: 'inside',
        inputSchema: {
          ...object,
          properties: { a: { $ref: '#/$defs/a' } },
          $defs: { a: { type: ['string', 'null'], maxLength: 5 } },
        },
      },
    ],
    twice: [
      { name: 'search', description: 'first', inputSchema: object },
      { name: 'search', description: 'second', inputSchema: { ...object, required: ['q'] } },
      { name: 'Search', inputSchema: object },
    ],
    foreign: [{ name: 'remote', inputSchema: { ...object, properties: { a: foreign } }, outputSchema: foreign }],
    broken: [
      { inputSchema: object },
      { name: 'no-schema' },
      { name: 'null-schema', inputSchema: null },
      { name: 'no-type', inputSchema: {}, outputSchema: { properties: { ok: { type: 'boolean' } } } },
    ],
  };
  serve((message) => {
    const { id, method } = message;
    if (method === 'tools/list') return send({ id, result: { tools: sets[process.argv[2]] } });
    if (method === 'tools/call') return send({ id, result: { ...text('done'), structuredContent: { fetched } } });
    reply(message);
  });
});
